#include "worker/schedule_ends.hpp"

#include <errand/error.hpp>

#include "runtime/schedule_steps.hpp"
#include "worker/announce.hpp"

#include <map>

namespace errand {

namespace {

// Somebody else changes a schedule at the same moment, and again.
constexpr int most_rounds = 4;

using ends_by_schedule = std::map<task_id, std::vector<task_id>>;

// Nullopt: it has not ended (it was revived), and will tell of its end again.
awaitable<std::optional<ended_run>> end_of_run(store& in, task_id id, time_point now) {
    const auto found = co_await in.find(id);
    // Deleted: only that it has ended is known.
    if (!found) co_return ended_run{.id = id, .ended_as = state::cancelled, .finished_at = now};
    if (!is_end(found->where)) co_return std::nullopt;
    ended_run over{.id = id, .ended_as = found->where, .finished_at = found->finished_at.value_or(now)};
    const auto outcome = decode_outcome(found->outcome);
    if (outcome.notes) over.wish = outcome.notes->wish;
    co_return over;
}

// One schedule's next record, after all that has ended.
awaitable<schedule_step> step_after(worker_shared& shared, store& in, const kept_schedule& kept,
                                    const std::vector<task_id>& ended, time_point now) {
    if (kept.record.empty()) {
        schedule_step gone{.id = kept.id};
        gone.heard = ended;
        co_return gone;
    }
    auto record = decode_schedule(kept.record);
    const auto seen = record.stamp;
    schedule_move all{.record = std::move(record)};
    // The scheduler asks the quota for what it fires.
    const bool fires = !shared.app.overrides.any_quota();
    for (const auto& id : ended) {
        const auto over = co_await end_of_run(in, id, now);
        if (!over) continue;
        auto move = hear_end(all.record, *over, now, shared.app.zone_finder(), fires);
        all.record = std::move(move.record);
        for (auto& made : move.runs) all.runs.push_back(std::move(made));
    }
    count_what_runs(shared.app.overrides, all);
    const bool is_queued = all.record.queued && all.record.state == schedule_state::active;
    auto step = step_of(seen, std::move(all), now);
    if (is_queued && !fires) step.look_at = now;
    step.heard = ended;
    co_return step;
}

// Leaves those that are to be tried again.
awaitable<std::size_t> tell_once(worker_shared& shared, store& in, ends_by_schedule& left) {
    std::vector<task_id> ids;
    for (const auto& [id, runs] : left) ids.push_back(id);
    const auto found = co_await in.find_schedules(ids);
    std::vector<schedule_step> steps;
    for (const auto& kept : found.schedules) {
        try {
            steps.push_back(co_await step_after(shared, in, kept, left.at(kept.id),
                                                kept.now.value_or(found.now)));
        } catch (const store_error&) {
            throw;
        } catch (const error&) {
            announce_failure(shared.app, "telling schedule " + to_text(kept.id) + " of the end of its run",
                             std::current_exception());
            left.erase(kept.id);
        }
    }
    const auto verdicts = co_await in.step_schedules(steps);
    std::size_t told = 0;
    for (std::size_t at = 0; at < steps.size(); ++at) {
        if (verdicts[at] == step_verdict::stale) continue;
        told += steps[at].heard.size();
        left.erase(steps[at].id);
    }
    co_return told;
}

}  // namespace

awaitable<std::size_t> tell_schedules(worker_shared& shared, store& in, std::span<const news> entries) {
    ends_by_schedule left;
    for (const auto& one : entries) {
        if (one.what == tidings::ran && !one.heirs.empty()) left[one.about].push_back(one.heirs.front());
    }
    std::size_t told = 0;
    for (int tries = 0; tries < most_rounds && !left.empty(); ++tries)
        told += co_await tell_once(shared, in, left);
    co_return told;
}

}  // namespace errand
