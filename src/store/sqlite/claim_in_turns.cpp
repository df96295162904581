// Claims in queues where tasks have gates, and of tasks that stand aside, which may have some: each is taken by itself.
#include "store/sqlite/claims.hpp"

namespace errand::sqlite {
namespace {

// Of tasks that stand aside behind closed gates, so many are looked past.
constexpr std::size_t most_passed_over = 100;
// In one claim, beside twice what it asks for.
constexpr std::size_t most_looks = 50;

}  // namespace

bool claims::open_claim::is_full() const { return tasks.size() >= limit || bytes > most_bytes_claimed; }

claim_number claims::number_of(open_claim& one) {
    if (one.number == 0 || one.apart) one.number = tx_.cache().next_claim(tx_.micros());
    return one.number;
}

void claims::claim_in_turns(queue_row& queue, open_claim& into) {
    groups_.look_at_due(queue);
    const auto* ready = tx_.cache().find_list(queue, kind_of(state::ready));
    std::optional<int> plain;  // the rank of the first task without gates
    const auto look_at_plain = [&] {
        plain.reset();
        if (!ready) return;
        auto rows = sql_.first_place(ready->k);
        if (rows.next() && !rows.is_null(0)) plain = rank_of_place(rows.number(0));
    };
    look_at_plain();
    // Of groups that wait at their gates now one call does not see all.
    for (auto looks = 2 * into.limit + most_looks; !into.is_full(); --looks) {
        if (looks == 0) {
            into.cut_short = true;
            return;
        }
        const auto group = groups_.first(queue);
        if (!group && !plain) return;
        std::size_t room = 0;
        if (plain && (!group || *plain < group->rank)) {
            room = into.limit - into.tasks.size();
        } else if (plain && *plain == group->rank && groups_.lets_plain_go_first(queue, *group)) {
            room = 1;
        }
        if (room == 0) {
            start_first_of(queue, *group, into);
            continue;
        }
        const auto before = group ? end_of_rank(room == 1 ? *plain : group->rank - 1) : INT64_MAX;
        if (take_plain(queue, room, before, into) > 0) {
            look_at_plain();
        } else {
            plain.reset();  // what is left there has lost its body
        }
    }
}

std::size_t claims::take_plain(queue_row& queue, std::size_t room, std::int64_t before, open_claim& into) {
    auto& from = tx_.cache().list(queue, kind_of(state::ready));
    const auto count = read_rows(sql_.heads_before(from.k, room, before), queue, into);
    if (count > 0) take_heads(from, count, into);
    return count;
}

void claims::start_first_of(queue_row& queue, const waiting_group& group, open_claim& into) {
    auto& from = groups_.list(queue);
    claimed_task task;
    task.queue = queue.name;
    std::int64_t row = 0, place = 0;
    bool found = false;
    {
        auto rows = sql_.group_head(from.k, group.number, tx_.ns());
        found = rows.next();
        if (found) {
            task.id = *task_id::from_bytes(rows.bytes(0));
            task.notes = rows.bytes(1);
            task.body = rows.bytes(2);
            row = rows.number(3);
            place = rows.number(4);
        }
    }
    if (!found) return groups_.drop(queue, group.number);
    if (const int rank = rank_of_place(place); rank != group.rank)
        return groups_.change_rank(queue, group, rank);
    const auto all = gates_of(task.body);
    if (const auto closed = gates_.first_closed(all); !closed.empty()) {
        if (groups_.park(queue, group, closed)) into.timed.push_back(queue.name);
        return;
    }
    if (const auto kept = groups_.kept_gate(group, all, into.queues); !kept.empty()) {
        groups_.stand_back(queue, group, kept);
        into.timed.push_back(queue.name);
        return;
    }
    into.bytes += task.body.size();
    if (into.bytes > most_bytes_claimed && !into.tasks.empty()) return;
    task.claim = number_of(into);
    gates_.take(all, task.id, task.claim);
    auto& to = tx_.cache().list(queue, kind_of(state::working));
    sql_.take_one.run(row, to.k, task.claim);
    sql_.leave_group.run(from.k, group.number, place);
    tx_.cache().shift(from, to);
    rows_taken_[tx_.ns()][task.id] = row;
    into.tasks.push_back(std::move(task));
    std::optional<std::int64_t> next;
    {
        auto rows = sql_.group_place(from.k, group.number);
        if (rows.next() && !rows.is_null(0)) next = rows.number(0);
    }
    groups_.started(queue, group, next);
}

// ---- what stands aside ---------------------------------------------------------------------------------

adopt_answer claims::adopt(const adopt_call& asked) {
    auto handlers = aside_tasks::keys_of(asked.handlers);
    adopt_answer got;
    open_claim claimed{.tasks = got.tasks, .limit = asked.limit};
    for (auto* list : aside_.lists(asked.queues, handlers, asked.all_but)) {
        if (claimed.is_full()) break;
        adopt_from(*list, claimed);
    }
    const auto number = take_lease(got.tasks, asked.lease, claimed.number);
    for (auto& task : got.tasks) task.claim = number;
    got.more = any_adoptable(aside_.lists(asked.queues, handlers, asked.all_but));
    if (got.more) {
        tx_.idle.stop_waiting_aside(tx_.by());
    } else if (!asked.all_but) {
        tx_.idle.wait_aside({&tx_.by(), asked.queues, std::move(handlers)});
    }
    return got;
}

void claims::adopt_from(list_row& from, open_claim& into) {
    struct candidate {
        claimed_task task;
        std::int64_t row;
    };
    std::vector<candidate> all;
    const auto room = into.limit - into.tasks.size();
    for (auto rows = sql_.adoptable(from.k, room + most_passed_over); rows.next();) {
        if (all.size() == room) break;
        const auto body = rows.bytes(2), notes = rows.bytes(1);
        if (!rows.is_null(4) && !gates_.first_closed(gates_of(body)).empty()) continue;
        all.push_back({{.id = *task_id::from_bytes(rows.bytes(0)),
                        .queue = from.queue->name,
                        .body = std::string{body},
                        .notes = std::string{notes}},
                       rows.number(3)});
    }
    auto& to = tx_.cache().list(*from.queue, kind_of(state::working));
    for (auto& [task, row] : all) {
        // One before it may have closed its gates.
        const auto gates = gates_of(task.body);
        if (!gates_.first_closed(gates).empty()) continue;
        into.bytes += task.body.size() + task.notes.size();
        if (into.bytes > most_bytes_claimed && !into.tasks.empty()) return;
        const auto number = number_of(into);
        if (!gates.empty()) gates_.take(gates, task.id, number);
        sql_.take_one.run(row, to.k, number);
        tx_.cache().shift(from, to);
        into.tasks.push_back(std::move(task));
    }
}

bool claims::any_adoptable(const std::vector<list_row*>& lists) {
    for (const auto* list : lists) {
        for (auto rows = sql_.adoptable(list->k, most_passed_over); rows.next();) {
            if (rows.is_null(4) || gates_.first_closed(gates_of(rows.bytes(2))).empty()) return true;
        }
    }
    return false;
}

}  // namespace errand::sqlite
