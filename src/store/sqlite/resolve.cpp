// What follows for a task from how those stand that it depends on.
#include "store/sqlite/dependencies.hpp"
#include "store/sqlite/outcome_front.hpp"

namespace errand::sqlite {

// What the news of a parent change at a task that waits for it, or was cancelled because of it. Whether it is to hear of
// this parent again.
bool dependencies::tell(const task_id& id, const task_id& parent, tidings what, const waiting_row& record) {
    const parent_edges before{.needs = edges_.has(link::needs, id, parent),
                              .failed = edges_.has(link::failed, id, parent)};
    const auto [after, again] = hear(what, record.rule, before);
    edges_.change(link::needs, id, parent, before.needs, after.needs);
    edges_.change(link::failed, id, parent, before.failed, after.failed);
    return again;
}

// `outcome`: when it is cancelled now (may be empty); `gathered`: when it is a group, all of whose members succeeded.
void dependencies::carry_out(const task_id& id, const waiting_row& record, std::string_view outcome,
                             std::string_view gathered) {
    const auto found = settle(record.phase, record.rule, [&](link kind) { return edges_.any_of(kind, id); });
    if (found.taken_up) take_up(id, record);
    switch (found.then) {
    case settlement::none: return;
    case settlement::release: return release(id, record);
    case settlement::forsake: return forsake(id, record, outcome);
    case settlement::gather: return gather(id, gathered);
    }
}

// All it waited for is there.
void dependencies::release(const task_id& id, const waiting_row& record) {
    auto row = rows_.find(id);
    if (!row) return;
    edges_.forget_record(id);
    const auto [to, place] = queues_.free_place(*row->list->queue, row->priority, record.due, row->group, id);
    rows_.move(id, *row, *to, place);
}

void dependencies::forsake(const task_id& id, waiting_row record, std::string_view outcome) {
    // The last news were good ones: who looks at the task finds what was not.
    if (outcome.empty()) return edges_.announce(id, tidings::check);
    auto row = rows_.find(id);
    if (!row) return;
    record.phase = waiting_phase::forsaken;
    edges_.keep_waiting(id, record);
    endings_.bury(id, *row, kept_as(outcome, rows_.body_of(*row)));
    if (!rows_.find(id)) edges_.forget_waiting(id);
}

// Takes a cancelled task back to those that wait; what depends on it hears of that.
void dependencies::take_up(const task_id& id, waiting_row record) {
    auto row = rows_.find(id);
    if (!row) return;
    rows_.change_list(*row, tx_.cache().list(*row->list->queue, kind_of(state::waiting)));
    sql_.revive.run(tx_.ns(), id.view(), row->list->k, tx_.now(), std::optional<std::string_view>{});
    record.phase = waiting_phase::waits;
    edges_.keep_waiting(id, record);
    if (edges_.any_of(link::tells, id)) edges_.announce(id, tidings::revived);
}

void dependencies::gather(const task_id& id, std::string_view outcome) {
    auto row = rows_.find(id);
    if (!row) return;
    edges_.forget_record(id);
    endings_.bury(id, *row, kept_as(outcome, rows_.body_of(*row)));
}

std::vector<std::vector<task_id>> dependencies::resolve(std::span<const resolution> all,
                                                        std::string_view gathered) {
    std::vector<std::vector<task_id>> again(all.size());
    for (std::size_t at = 0; at < all.size(); ++at) {
        const auto& one = all[at];
        // Whoever was slow to tell may not undo what another has told since.
        const bool overtaken = !edges_.still_true(one.parent, one.what);
        for (const auto& child : one.children) {
            const auto record = edges_.waiting_of(child);
            if (!record) continue;
            // An item hears of its carrier by `bundled` alone.
            const bool not_for_it = one.what != tidings::bundled && record->rule == on_failed::bundle &&
                                    is_carrier(one.parent) && edges_.has(link::needs, child, one.parent);
            if (overtaken || not_for_it) {
                again[at].push_back(child);
                continue;
            }
            if (one.what == tidings::bundled) {
                bundles_.settle(child, one.parent, *record, one.cancelled);
                continue;
            }
            if (tell(child, one.parent, one.what, *record)) again[at].push_back(child);
            carry_out(child, *record, one.cancelled, gathered);
        }
    }
    return again;
}

}  // namespace errand::sqlite
