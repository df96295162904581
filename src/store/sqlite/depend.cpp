// What tasks that depend on others ask of the store: registration, news, delivery, revival.
#include "store/sqlite/ledger.hpp"

#include <algorithm>

namespace errand::sqlite {
namespace {

// A task whose submission is not complete is given up after so long without a sign of its submitter, ms.
constexpr std::int64_t patience = 15'000;
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

store::enrol_answer ledger::enrol(const task_id& id, incarnation life, std::span<const parent_task> parents) {
    const auto record = waiting_of(id);
    const auto row = row_of(id);
    if (!record || !row || record->phase != 'r' || row->life != life) return {.mine = false};
    const auto rule = record->rule == 'r' ? on_failed::run : on_failed::cancel;
    const auto found = weigh(rule, parents, {});
    if (found.gone) return {.mine = true, .gone = found.gone};
    tie(id, found);
    announce(id, tidings::overdue, now_ + patience);
    return {};
}

// What is being told was begun without this task: it is told again, and who is at it strikes nothing off.
bool ledger::tell_again(const task_id& parent) {
    bool ended = false;
    for (const auto what : every_end) {
        if (!any_news(parent, what)) continue;
        announce(parent, what);
        ended = true;
    }
    if (any_news(parent, tidings::revived)) announce(parent, tidings::revived);
    return ended;
}

standing ledger::stand(const task_id& child, depend_mode mode, const task_id& parent) {
    const auto row = row_of(parent);
    if (mode == depend_mode::note || !row || !row->ended()) {
        add_link('c', parent, child);
        const bool told = tell_again(parent);
        return mode == depend_mode::note || row || told ? standing::open : standing::absent;
    }
    if (row->where() == state::success) {
        drop_link('c', parent, child);
        add_link('s', parent, child);
    } else {
        add_link('c', parent, child);
        tell_again(parent);
    }
    return standing_of(row->where());
}

std::vector<standing> ledger::depend(const task_id& child, depend_mode mode,
                                     std::span<const task_id> parents) {
    std::vector<standing> all;
    for (const auto& parent : parents) {
        if (mode == depend_mode::forget) {
            drop_link('c', parent, child);
            all.push_back(standing::open);
        } else {
            all.push_back(stand(child, mode, parent));
        }
    }
    return all;
}

confirm_verdict ledger::confirm(const task_id& id, incarnation life, bool walked) {
    auto record = waiting_of(id);
    const auto row = row_of(id);
    if (!row || row->life != life) return confirm_verdict::lost;
    // A repeat may find that it waits no longer.
    if (!record || record->phase != 'r') return confirm_verdict::accepted;
    if (!walked && any_link('c', id)) return confirm_verdict::walk;
    record->phase = 'w';
    keep_waiting(id, *record);
    drop_news(id, tidings::overdue);
    if (any_link('f', id) || !any_link('n', id)) announce(id, tidings::check);
    return confirm_verdict::accepted;
}

void ledger::withdraw(const task_id& id, incarnation life) {
    const auto record = waiting_of(id);
    const auto row = row_of(id);
    if (!record || !row || record->phase != 'r' || (life != 0 && row->life != life)) return;
    forget_waiting(id);
    drop_news(id, tidings::overdue);
    drop(id, *row);
}

std::vector<links_page> ledger::links(link kind, std::span<const links_from> from, bool of_waiting) {
    std::vector<links_page> pages;
    std::size_t room = edges_per_call;
    for (const auto& one : from) {
        if (room == 0) break;
        links_page page;
        if (!of_waiting || waiting_of(one.of))
            page.others = links_of(static_cast<char>(kind), one.of, room, one.after);
        page.more = page.others.size() == room;
        room -= std::min(room, page.others.size() + 1);
        pages.push_back(std::move(page));
    }
    return pages;
}

news_answer ledger::take_news(std::size_t limit, duration lease) {
    std::vector<std::pair<task_id, tidings>> due;
    for (auto rows = sql_.take_news(ns(), now_, limit); rows.next();)
        due.emplace_back(*task_id::from_bytes(rows.bytes(0)), static_cast<tidings>(rows.bytes(1).front()));
    news_answer got;
    std::size_t room = store::heirs_per_call;
    for (const auto& [id, what] : due) {
        if (!still_true(id, what)) {
            drop_news(id, what);
            continue;
        }
        if (room == 0) continue;
        news one{.about = id, .what = what};
        if (what != tidings::check && what != tidings::overdue) one.heirs = links_of('c', id, room);
        one.more = one.heirs.size() == room;
        room -= std::min(room, std::max<std::size_t>(one.heirs.size(), 1));
        const auto token = cache_->next_token();
        one.token = std::to_string(token);
        const char letter = static_cast<char>(what);
        sql_.put_off_news.run(ns(), id.view(), text{{&letter, 1}}, now_ + lease.count(), token);
        got.entries.push_back(std::move(one));
    }
    if (got.entries.empty()) idle_.wait_for_news(*by_);
    auto rows = sql_.next_news(ns());
    if (rows.next() && !rows.is_null(0)) got.next = time_point{duration{rows.number(0)}};
    got.now = now();
    return got;
}

// News that came again meanwhile have another token and stay, and so do those who are to hear of them.
void ledger::delivered(std::span<const delivery> all) {
    for (const auto& one : all) {
        const char letter = static_cast<char>(one.what);
        {
            auto rows = sql_.find_news(ns(), one.about.view(), text{{&letter, 1}});
            if (!rows.next() || rows.is_null(1) || std::to_string(rows.number(1)) != one.token) continue;
        }
        const bool known = !one.done.empty() && row_of(one.about);
        for (const auto& child : one.done) {
            drop_link('c', one.about, child);
            if (known) add_link('s', one.about, child);
        }
        if (one.last) drop_news(one.about, one.what);
    }
}

bool ledger::revive(const task_id& id, incarnation life, time_point finished_at, std::string_view notes) {
    auto row = row_of(id);
    if (!row || !row->ended() || row->life != life || row->where() == state::success) return false;
    if (row->finished_at() != finished_at.time_since_epoch().count()) return false;
    // A group is not run: it comes back with its members.
    if (const auto record = waiting_of(id); record && record->rule == 'g') return false;
    const auto [to, place] = free_place(*row->list->queue, row->priority, std::nullopt);
    change_list(*row, *to);
    sql_.revive.run(ns(), id.view(), to->k, place, std::optional<std::string_view>{notes});
    // Who revives it by name wants it to run, whatever became of its parents.
    sql_.forget_waiting.run(ns(), id.view());
    if (any_link('c', id)) announce(id, tidings::revived);
    return true;
}

}  // namespace errand::sqlite
