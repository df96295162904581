// What follows for a task from how those stand that it depends on.
#include "store/sqlite/ledger.hpp"
#include "store/sqlite/outcome_front.hpp"

namespace errand::sqlite {

// What the news of a parent change at a task that waits for it, or was cancelled because of it. Whether it is to hear of
// this parent again.
bool ledger::hear(const task_id& id, const task_id& parent, tidings what, const waiting_row& record) {
    switch (what) {
    case tidings::success:
        drop_link('n', id, parent);
        drop_link('f', id, parent);
        return false;
    case tidings::revived:
        if (drop_link('f', id, parent)) add_link('n', id, parent);
        return true;
    case tidings::check: return false;
    default: break;
    }
    if (drop_link('n', id, parent)) {
        if (record.rule == 'r') return false;
        add_link('f', id, parent);
        return true;
    }
    return has_link('f', id, parent);
}

// `outcome`: when it is cancelled now (may be empty); `gathered`: when it is a group, all of whose members succeeded.
void ledger::settle(const task_id& id, waiting_row record, std::string_view outcome,
                    std::string_view gathered) {
    if (record.phase == 'r') return;
    if (record.phase == 'f') {
        if (any_link('f', id)) return;
        take_up(id, record);
    }
    const bool unmet = any_link('n', id);
    // Some rules do not ask for the failed while others have not ended.
    if (unmet && record.rule != 'c') return;
    if (any_link('f', id)) {
        if (record.rule != 'w') forsake(id, record, outcome);
    } else if (!unmet) {
        if (record.rule == 'g') {
            gather(id, gathered);
        } else {
            release(id, record);
        }
    }
}

// All it waited for is there.
void ledger::release(const task_id& id, const waiting_row& record) {
    auto row = row_of(id);
    if (!row) return;
    sql_.forget_waiting.run(ns(), id.view());
    const auto [to, place] = free_place(*row->list->queue, row->priority, record.due);
    move(id, *row, *to, place);
}

void ledger::forsake(const task_id& id, waiting_row record, std::string_view outcome) {
    // The last news were good ones: who looks at the task finds what was not.
    if (outcome.empty()) return announce(id, tidings::check);
    auto row = row_of(id);
    if (!row) return;
    record.phase = 'f';
    keep_waiting(id, record);
    bury(id, *row, kept_as(outcome, body_of(*row)));
    if (!row_of(id)) forget_waiting(id);
}

// Takes a cancelled task back to those that wait; what depends on it hears of that.
void ledger::take_up(const task_id& id, waiting_row record) {
    auto row = row_of(id);
    if (!row) return;
    change_list(*row, cache_->list(*row->list->queue, kind_of(state::waiting)));
    sql_.revive.run(ns(), id.view(), row->list->k, now_, std::optional<std::string_view>{});
    record.phase = 'w';
    keep_waiting(id, record);
    if (any_link('c', id)) announce(id, tidings::revived);
}

void ledger::gather(const task_id& id, std::string_view outcome) {
    auto row = row_of(id);
    if (!row) return;
    sql_.forget_waiting.run(ns(), id.view());
    bury(id, *row, kept_as(outcome, body_of(*row)));
}

std::vector<std::vector<task_id>> ledger::resolve(std::span<const resolution> all,
                                                  std::string_view gathered) {
    std::vector<std::vector<task_id>> again(all.size());
    for (std::size_t at = 0; at < all.size(); ++at) {
        const auto& one = all[at];
        // Whoever was slow to tell may not undo what another has told since.
        const bool overtaken = !still_true(one.parent, one.what);
        for (const auto& child : one.children) {
            const auto record = waiting_of(child);
            if (!record) continue;
            if (overtaken) {
                again[at].push_back(child);
                continue;
            }
            if (hear(child, one.parent, one.what, *record)) again[at].push_back(child);
            settle(child, *record, one.cancelled, gathered);
        }
    }
    return again;
}

}  // namespace errand::sqlite
