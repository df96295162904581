// Registration, news, delivery, revival.
#include "store/sqlite/dependencies.hpp"

#include "core/record.hpp"

#include <algorithm>
#include <array>

namespace errand::sqlite {
namespace {

constexpr std::size_t edges_per_call = 1000;
constexpr std::array every_end{tidings::success, tidings::dead, tidings::cancelled, tidings::expired};

standing standing_of(state where) {
    switch (where) {
    case state::success: return standing::success;
    case state::dead: return standing::dead;
    case state::cancelled: return standing::cancelled;
    case state::expired: return standing::expired;
    default: return standing::open;
    }
}

}  // namespace

store::enrol_answer dependencies::enrol(const task_id& id, incarnation life,
                                        std::span<const parent_task> parents) {
    const auto record = edges_.waiting_of(id);
    const auto row = rows_.find(id);
    if (!record || !row || record->phase != waiting_phase::registering || row->life != life)
        return {.mine = false};
    const auto found = edges_.weigh(record->rule, parents, {});
    if (found.gone) return {.mine = true, .gone = found.gone};
    edges_.tie(id, found);
    edges_.announce(id, tidings::overdue, tx_.now() + registration_patience);
    return {};
}

bool dependencies::is_told(const task_id& parent) {
    return std::ranges::any_of(every_end, [&](tidings what) { return edges_.any_news(parent, what); });
}

bool dependencies::tell_again(const task_id& parent) {
    bool ended = false;
    for (const auto what : every_end) {
        if (!edges_.any_news(parent, what)) continue;
        edges_.announce(parent, what);
        ended = true;
    }
    if (edges_.any_news(parent, tidings::revived)) edges_.announce(parent, tidings::revived);
    return ended;
}

// Who is registered hears what is being told, and would take the end of the parent's last life for that of the one that is about
// to begin: also an end that comes before that.
standing dependencies::begin_with(const task_id& child, const task_id& parent) {
    if (is_told(parent)) return standing::told;
    if (const auto row = rows_.find(parent); row && !row->ended()) return standing::absent;
    edges_.add(link::tells, parent, child);
    return standing::open;
}

standing dependencies::stand(const task_id& child, depend_mode mode, const task_id& parent) {
    if (mode == depend_mode::note) return begin_with(child, parent);
    const auto row = rows_.find(parent);
    if (!row || !row->ended()) {
        edges_.add(link::tells, parent, child);
        const bool told = tell_again(parent);
        return row || told ? standing::open : standing::absent;
    }
    if (row->where() == state::success) {
        edges_.drop(link::tells, parent, child);
        edges_.add(link::served, parent, child);
    } else {
        edges_.add(link::tells, parent, child);
        tell_again(parent);
    }
    return standing_of(row->where());
}

std::vector<standing> dependencies::depend(const task_id& child, depend_mode mode,
                                           std::span<const task_id> parents) {
    std::vector<standing> all;
    for (const auto& parent : parents) {
        if (mode == depend_mode::forget) {
            edges_.drop(link::tells, parent, child);
            all.push_back(standing::open);
        } else {
            all.push_back(stand(child, mode, parent));
        }
    }
    return all;
}

confirm_verdict dependencies::confirm(const task_id& id, incarnation life, bool walked) {
    auto record = edges_.waiting_of(id);
    const auto row = rows_.find(id);
    if (!row || row->life != life) return confirm_verdict::lost;
    // A repeat may find that it waits no longer.
    if (record && record->phase == waiting_phase::withdrawn) return confirm_verdict::withdrawn;
    if (!record || record->phase != waiting_phase::registering) return confirm_verdict::accepted;
    if (!walked && edges_.any_of(link::tells, id)) return confirm_verdict::walk;
    record->phase = waiting_phase::waits;
    edges_.keep_waiting(id, *record);
    edges_.drop_news(id, tidings::overdue);
    if (edges_.any_of(link::failed, id) || !edges_.any_of(link::needs, id))
        edges_.announce(id, tidings::check);
    return confirm_verdict::accepted;
}

bool dependencies::withdraw(const task_id& id, incarnation life) {
    auto record = edges_.waiting_of(id);
    const auto row = rows_.find(id);
    if (!record || !row || !is_incomplete(record->phase) || (life != 0 && row->life != life)) return true;
    if (!edges_.forget_some(id)) {
        // Nobody may complete what has forgotten a part of what it waits for.
        record->phase = waiting_phase::withdrawn;
        edges_.keep_waiting(id, *record);
        return false;
    }
    edges_.forget_record(id);
    edges_.drop_news(id, tidings::overdue);
    rows_.drop(id, *row);
    return true;
}

std::vector<links_page> dependencies::links(link kind, std::span<const links_from> from, bool of_waiting) {
    std::vector<links_page> pages;
    std::size_t room = edges_per_call;
    for (const auto& one : from) {
        if (room == 0) break;
        links_page page;
        if (!of_waiting || edges_.waiting_of(one.of))
            page.others = edges_.page(kind, one.of, room, one.after);
        page.more = page.others.size() == room;
        room -= std::min(room, page.others.size() + 1);
        pages.push_back(std::move(page));
    }
    return pages;
}

news_answer dependencies::take_news(std::size_t limit, duration lease) {
    struct due_news {
        task_id id;
        tidings what;
        std::optional<task_id> schedule;
    };
    std::vector<due_news> due;
    for (auto rows = sql_.take_news(tx_.ns(), tx_.now(), limit); rows.next();)
        due.push_back({*task_id::from_bytes(rows.bytes(0)), static_cast<tidings>(rows.bytes(1).front()),
                       task_id::from_bytes(rows.bytes(2))});
    news_answer got;
    std::size_t room = store::heirs_per_call;
    for (const auto& [id, what, schedule] : due) {
        if (!edges_.still_true(id, what)) {
            edges_.drop_news(id, what);
            continue;
        }
        if (room == 0) continue;
        news one{.about = schedule.value_or(id), .what = what};
        if (schedule) {
            one.heirs = {id};
        } else if (what != tidings::check && what != tidings::overdue) {
            one.heirs = edges_.page(link::tells, id, room);
        }
        one.more = !schedule && one.heirs.size() == room;
        room -= std::min(room, std::max<std::size_t>(one.heirs.size(), 1));
        const auto token = tx_.cache().next_token();
        one.token = std::to_string(token);
        const char letter = static_cast<char>(what);
        sql_.put_off_news.run(tx_.ns(), id.view(), text{{&letter, 1}}, tx_.now() + lease.count(), token);
        got.entries.push_back(std::move(one));
    }
    if (got.entries.empty()) tx_.idle.wait_for_news(tx_.by());
    auto rows = sql_.next_news(tx_.ns());
    if (rows.next() && !rows.is_null(0)) got.next = time_point{duration{rows.number(0)}};
    got.now = tx_.time();
    return got;
}

// News that came again meanwhile have another token and stay, and so do those who are to hear of them.
void dependencies::delivered(std::span<const delivery> all) {
    for (const auto& one : all) {
        const char letter = static_cast<char>(one.what);
        {
            auto rows = sql_.find_news(tx_.ns(), one.about.view(), text{{&letter, 1}});
            if (!rows.next() || rows.is_null(1) || std::to_string(rows.number(1)) != one.token) continue;
        }
        const bool known = !one.done.empty() && rows_.find(one.about);
        for (const auto& child : one.done) {
            edges_.drop(link::tells, one.about, child);
            if (known) edges_.add(link::served, one.about, child);
        }
        if (one.last) edges_.drop_news(one.about, one.what);
    }
}

// A worker that does not know its handler has had it before: it stands aside from the beginning.
std::pair<list_row*, std::int64_t> dependencies::place_of_revived(const task_id& id, const task_row& row,
                                                                  std::string_view notes) {
    if (!notes.empty() && decode_notes(notes).unknown_handler > 0)
        return {&aside_.take_in(decode_body(rows_.body_of(row))), tx_.now()};
    return queues_.free_place(*row.list->queue, row.priority, std::nullopt, row.group, id);
}

bool dependencies::revive(const task_id& id, incarnation life, time_point finished_at, std::string_view notes,
                          std::string_view other_body) {
    auto row = rows_.find(id);
    if (!row || !row->ended() || row->life != life || row->where() == state::success) return false;
    if (row->finished_at() != finished_at.time_since_epoch().count()) return false;
    // A group is not run: it comes back with its members.
    if (const auto record = edges_.waiting_of(id); record && record->rule == on_failed::gather) return false;
    auto again = *row;
    if (!other_body.empty()) {
        again.priority = priority_of(other_body);
        again.group = group_in(row->list->queue->name, other_body);
        rows_.change_body(id, *row, other_body);
        sql_.revive_as_other.run(tx_.ns(), id.view(), again.priority, again.group);
    }
    const auto [to, place] = place_of_revived(id, again, notes);
    rows_.change_list(*row, *to);
    sql_.revive.run(tx_.ns(), id.view(), to->k, place, std::optional<std::string_view>{notes});
    // Who revives it by name wants it to run, whatever became of its parents.
    edges_.forget_record(id);
    if (edges_.any_of(link::tells, id)) edges_.announce(id, tidings::revived);
    return true;
}

}  // namespace errand::sqlite
