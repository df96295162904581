#include "store/sqlite/groups.hpp"

#include <algorithm>
#include <charconv>
#include <functional>
#include <map>

namespace errand::sqlite {
namespace {

constexpr std::size_t stops_at_once = 1000;

}  // namespace

std::optional<group_number> group_in(std::string_view queue, std::string_view encoded_body) {
    const auto gates = gates_of(encoded_body);
    if (gates.empty()) return std::nullopt;
    const auto digits = group_of(queue, gates);
    std::uint64_t number = 0;
    std::from_chars(digits.data(), digits.data() + digits.size(), number, 16);
    return static_cast<group_number>(number);
}

void groups::enter() {
    times_.clear();
    left_.clear();
    went_on_.clear();
    earlier_.clear();
    let_go_.clear();
    kept_.clear();
    opened_ = false;
}

void groups::write() {
    for (auto& [of, time] : times_) {
        if (std::exchange(time.changed, false))
            sql_.keep_virtual_time.run(of.first, of.second, time.present, time.plain);
    }
}

groups::known_time& groups::time_of(queue_row& queue, int rank) {
    const std::pair of{queue.k, rank};
    if (const auto at = times_.find(of); at != times_.end()) return at->second;
    auto& time = times_[of];
    auto rows = sql_.virtual_time(queue.k, rank);
    if (rows.next()) {
        time.present = rows.number(0);
        time.plain = rows.number(1);
    }
    return time;
}

std::int64_t groups::entry(queue_row& queue, int rank, std::int64_t own) {
    std::optional<std::int64_t> first;
    auto rows = sql_.first_turn(queue.k, rank);
    if (rows.next() && !rows.is_null(0)) first = rows.number(0);
    return turn_on_entry(own, first, time_of(queue, rank));
}

// ---- tasks that wait -----------------------------------------------------------------------------------

bool groups::come(queue_row& queue, group_number group, std::int64_t place, const task_id& id) {
    const int rank = rank_of_place(place);
    sql_.wait_in_group.run(list(queue).k, group, place, id.view());
    bool known = false, parked = false;
    int before = rank;
    {
        auto rows = sql_.find_group(queue.k, group);
        if (rows.next()) {
            known = true;
            before = static_cast<int>(rows.number(0));
            parked = !rows.is_null(1);
        }
    }
    if (!known) {
        sql_.add_group.run(queue.k, group, rank, entry(queue, rank, 0), tx_.cache().next_in_order());
    } else if (rank < before) {
        sql_.rank_group.run(queue.k, group, rank, entry(queue, rank, 0));
    }
    return !parked;
}

void groups::left(const list_row& from, std::optional<group_number> group,
                  std::optional<std::int64_t> place) {
    if (!group || !place || !from.gated()) return;
    sql_.leave_group.run(from.k, *group, *place);
    left_.emplace(from.queue, *group);
}

void groups::settle() {
    for (const auto& [queue, group] : std::exchange(left_, {})) tidy(*queue, group);
    for (const auto& place : gates_.take_left()) {
        opened_ = true;
        gates_.let_run_again(place);
        for (const auto kind : {gate_kind::both, gate_kind::running}) {
            const auto gate = static_cast<char>(kind) + place;
            for (const auto& stop : stops(gate, gate)) {
                if (!stop.let_go) look_at(gate, *stop.queue);
            }
        }
    }
}

// Its first task, or its last one, may have gone.
void groups::tidy(queue_row& queue, group_number group) {
    const auto* in = find_list(queue);
    if (!in) return;
    std::optional<std::int64_t> place;
    {
        auto rows = sql_.group_place(in->k, group);
        if (rows.next() && !rows.is_null(0)) place = rows.number(0);
    }
    if (!place) return drop(queue, group);
    int before = -1;
    {
        auto rows = sql_.find_group(queue.k, group);
        if (rows.next()) before = static_cast<int>(rows.number(0));
    }
    const int rank = rank_of_place(*place);
    if (before >= 0 && before != rank) sql_.rank_group.run(queue.k, group, rank, entry(queue, rank, 0));
}

// ---- turns ---------------------------------------------------------------------------------------------

bool groups::any(queue_row& queue) { return find_list(queue) && sql_.first_group(queue.k).next(); }

std::optional<waiting_group> groups::first(queue_row& queue) {
    auto rows = sql_.first_group(queue.k);
    if (!rows.next()) return std::nullopt;
    return waiting_group{.number = rows.number(0),
                         .rank = static_cast<int>(rows.number(1)),
                         .turn = rows.number(2),
                         .since = rows.number(3),
                         .via = std::string{rows.bytes(4)}};
}

bool groups::lets_plain_go_first(queue_row& queue, const waiting_group& group) {
    auto& time = time_of(queue, group.rank);
    if (!is_turn_of_plain(time, group.turn)) return false;
    plain_started(time, group.turn);
    time.changed = true;
    return true;
}

void groups::started(queue_row& queue, const waiting_group& group, std::optional<std::int64_t> place) {
    auto& time = time_of(queue, group.rank);
    const auto turn = group_started(time, group.turn);
    time.changed = true;
    if (!place) {
        sql_.drop_group.run(queue.k, group.number);
    } else {
        const int rank = rank_of_place(*place);
        sql_.group_started.run(queue.k, group.number, rank, rank == group.rank ? turn : entry(queue, rank, 0),
                               tx_.cache().next_in_order());
    }
    if (!group.via.empty()) look_at(group.via, queue);
}

std::optional<std::int64_t> groups::park(queue_row& queue, const waiting_group& group,
                                         std::string_view gate) {
    const bool back = group.via == gate;
    sql_.park_group.run(queue.k, group.number, gate, back ? group.since : tx_.cache().next_in_order());
    gates_.settle(gate);
    const auto opens = opening_of(gates_.look(gate));
    if (back) {
        sql_.keep_stop.run(tx_.ns(), gate, queue.k, opens, 0);
    } else {
        sql_.park_at.run(tx_.ns(), gate, queue.k, opens);
        sql_.begin_wait_at_limit.run(tx_.ns(), limit_of_gate(gate), tx_.now());
        if (!group.via.empty()) look_at(group.via, queue);
    }
    return opens;
}

void groups::change_rank(queue_row& queue, const waiting_group& group, int rank) {
    sql_.rank_group.run(queue.k, group.number, rank, entry(queue, rank, 0));
}

void groups::drop(queue_row& queue, group_number group) {
    std::string at;
    bool taking_turns = false;
    {
        auto rows = sql_.find_group(queue.k, group);
        if (!rows.next()) return;
        taking_turns = rows.is_null(1);
        at = rows.bytes(taking_turns ? 2 : 1);
    }
    sql_.drop_group.run(queue.k, group);
    if (at.empty()) return;
    if (taking_turns) return look_at(at, queue);
    // One that was let go there brings the next look with it.
    bool let_go = false;
    {
        auto rows = sql_.stop(tx_.ns(), std::string_view{at}, queue.k);
        let_go = rows.next() && rows.number(0) != 0;
    }
    if (!let_go) look_at(at, queue);
}

// ---- stops ---------------------------------------------------------------------------------------------

// Rounded up: it is open then.
std::optional<std::int64_t> groups::opening_of(const gate_look& found) const {
    if (found.how != gate_look::standing::too_soon) return std::nullopt;
    return (found.opens_at + 999'999) / 1'000'000;
}

void groups::drop_stop(std::string_view gate, queue_row& queue) {
    sql_.drop_stop.run(tx_.ns(), gate, queue.k);
    const std::string number{limit_of_gate(gate)}, last(8, '\xff');
    const auto both = 'b' + number, running = 'm' + number, starts = 's' + number;
    const auto both_end = both + last, running_end = running + last, starts_end = starts + last;
    sql_.end_wait_at_limit.run(tx_.ns(), std::string_view{number}, tx_.now(), std::string_view{both},
                               std::string_view{both_end}, std::string_view{running},
                               std::string_view{running_end}, std::string_view{starts},
                               std::string_view{starts_end});
}

void groups::look_at(std::string_view gate, queue_row& queue) {
    group_number group = 0;
    std::int64_t turn = 0, since = 0;
    int rank = 0;
    {
        auto rows = sql_.first_parked(queue.k, gate);
        if (!rows.next()) return drop_stop(gate, queue);
        group = rows.number(0);
        rank = static_cast<int>(rows.number(1));
        turn = rows.number(2);
        since = rows.number(3);
    }
    gates_.settle(gate);
    const auto found = gates_.look(gate);
    if (found.open()) {
        sql_.let_group_go.run(queue.k, group, gate, entry(queue, rank, turn));
        went_on_.insert(&queue);
        let_go_[{std::string{gate}, &queue}] = {group, {rank, since}};
    }
    const auto opens = opening_of(found);
    if (opens) {
        if (const auto known = next_opening(queue); !known || *opens < *known) earlier_.insert(&queue);
    }
    sql_.keep_stop.run(tx_.ns(), gate, queue.k, opens, found.open() ? 1 : 0);
}

std::vector<groups::stop_row> groups::stops(std::string_view from, std::string_view to) {
    std::vector<stop_row> all;
    for (auto rows = sql_.stops(tx_.ns(), from, to); rows.next();) {
        if (auto* queue = tx_.cache().find_queue_of(rows.number(1)))
            all.push_back({std::string{rows.bytes(0)}, queue, rows.number(2) != 0});
    }
    return all;
}

void groups::look_at_due(queue_row& queue) {
    std::vector<std::string> due;
    for (auto rows = sql_.due_stops(queue.k, tx_.now(), stops_at_once); rows.next();)
        due.emplace_back(rows.bytes(0));
    for (const auto& gate : due) look_at(gate, queue);
}

std::optional<std::int64_t> groups::next_opening(queue_row& queue) {
    if (queue.paused || !find_list(queue)) return std::nullopt;
    auto rows = sql_.next_opening(queue.k);
    if (!rows.next() || rows.is_null(0)) return std::nullopt;
    return rows.number(0);
}

namespace {

template <class Each>
void for_each_kind_under(std::string_view limit, Each each) {
    for (const auto kind : {gate_kind::both, gate_kind::running, gate_kind::starts}) {
        const auto front = static_cast<char>(kind) + std::string{limit};
        each(front + std::string(8, '\0'), front + std::string(8, '\xff'));
    }
}

}  // namespace

std::int64_t groups::waiting_for(std::string_view limit) {
    std::int64_t waiting = 0;
    for_each_kind_under(limit, [&](const std::string& from, const std::string& to) {
        for (const auto& stop : stops(from, to)) {
            const auto* in = find_list(*stop.queue);
            if (!in) continue;
            auto rows = sql_.waiting_at(stop.queue->k, std::string_view{stop.gate}, in->k);
            if (rows.next()) waiting += rows.number(0);
        }
    });
    return waiting;
}

std::vector<gate_waiters> groups::waiters_at(std::string_view limit, std::size_t most) {
    struct found_gate {
        gate_waiters waiters;
        std::int64_t place = 0;  // of the first
    };
    std::map<std::string, found_gate> by_key;
    for_each_kind_under(limit, [&](const std::string& from, const std::string& to) {
        for (const auto& stop : stops(from, to)) {
            const auto* in = find_list(*stop.queue);
            if (!in) continue;
            auto rows = sql_.waiters_at(stop.queue->k, std::string_view{stop.gate}, in->k);
            if (!rows.next() || rows.number(0) == 0) continue;
            auto& gate = by_key[stop.gate.substr(1 + limit_number_width)];
            const auto place = rows.number(1);
            if (gate.waiters.waiting == 0 || place < gate.place) {
                gate.place = place;
                gate.waiters.first = *task_id::from_bytes(rows.bytes(2));
            }
            gate.waiters.waiting += rows.number(0);
        }
    });
    std::vector<gate_waiters> all;
    for (auto& [key, gate] : by_key) {
        gate.waiters.key = key;
        all.push_back(std::move(gate.waiters));
    }
    std::ranges::stable_sort(all, std::ranges::greater{}, &gate_waiters::waiting);
    if (all.size() > most) all.resize(most);
    return all;
}

void groups::limit_changed(std::string_view limit) {
    gates_.forget_limits();
    opened_ = true;
    tx_.concerns_others();
    gates_.let_run_again_under(limit);
    for_each_kind_under(limit, [&](const std::string& from, const std::string& to) {
        for (const auto& stop : stops(from, to)) {
            if (!stop.let_go) look_at(stop.gate, *stop.queue);
        }
    });
}

}  // namespace errand::sqlite
