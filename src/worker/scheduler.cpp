#include "worker/scheduler.hpp"

#include <errand/error.hpp>
#include <errand/policy.hpp>

#include "core/pace.hpp"
#include "core/random.hpp"
#include "runtime/at_most.hpp"
#include "runtime/quota_desk.hpp"
#include "runtime/schedule_steps.hpp"
#include "worker/announce.hpp"

#include <boost/asio/this_coro.hpp>

#include <algorithm>

namespace errand {

namespace {

// Of several shards one may be away: its schedules are not to hold up the others.
constexpr duration longest_round{2'000};
// How long the quota is not asked after it has not answered.
constexpr duration quota_rest{10'000};
// A zone that is not known here: perhaps on another machine, or after an update of this one.
constexpr duration put_off_for = std::chrono::minutes{1};
constexpr duration left_to_others{3'000};

std::string outcome_of_overtaken(time_point now) {
    task_outcome outcome;
    outcome.ended_as = state::cancelled;
    outcome.retention = policy{}.retention;
    task_notes notes;
    notes.errors.push_back({0, now, "errand::overlap", "the next run of its schedule began", {}, {}});
    outcome.notes = std::move(notes);
    return encode(outcome);
}

}  // namespace

scheduler::scheduler(worker_shared& shared, const boost::asio::any_io_executor& executor, loop& on)
    : role{shared.app, executor, "firing schedules"}, shared_{shared}, on_{on}, in_{on.tasks()} {}

awaitable<std::size_t> scheduler::pass() {
    std::size_t done = 0;
    for (;;) {
        auto due = co_await in_.due_schedules(store::steps_per_call);
        next_.reset();
        if (due.next) next_ = std::max(*due.next - due.now, duration{0});
        if (due.schedules.empty()) co_return done;
        const auto changed = co_await look_at_all(std::move(due));
        done += changed;
        // Others have changed them all meanwhile, or what cannot be done now would be tried again at once.
        if (changed == 0) co_return done;
    }
}

awaitable<std::vector<schedule_step>> scheduler::steps_for(const schedules_answer& due, std::int64_t room) {
    std::vector<schedule_step> steps;
    for (const auto& kept : due.schedules) {
        auto step = co_await step_for(kept, kept.now.value_or(due.now), room);
        if (!step) continue;
        room -= std::ssize(step->runs);
        steps.push_back(std::move(*step));
    }
    co_return steps;
}

awaitable<std::size_t> scheduler::look_at_all(schedules_answer due) {
    auto steps = co_await steps_for(due, any_number_of_runs);
    if (app().overrides.any_quota()) {
        std::int64_t runs = 0;
        for (const auto& one : steps) runs += std::ssize(one.runs);
        const auto room = runs > 0 ? co_await admitted(runs) : runs;
        if (room < runs) steps = co_await steps_for(due, room);
    }
    const auto executor = co_await boost::asio::this_coro::executor;
    std::size_t done = 0;
    for (std::size_t from = 0; from < steps.size();) {
        // Many ticks of one may be due together.
        auto to = from;
        for (std::size_t runs = 0; to < steps.size() && (to == from || runs < store::steps_per_call); ++to)
            runs += steps[to].runs.size() + 1;
        const auto some = std::span{steps}.subspan(from, to - from);
        std::vector<step_verdict> verdicts;
        if (in_.shards() == 1)
            verdicts = co_await in_.step_schedules(some);
        else
            verdicts = co_await at_most(executor, in_.step_schedules(some), longest_round);
        done += static_cast<std::size_t>(std::ranges::count(verdicts, step_verdict::done));
        from = to;
    }
    co_return done;
}

// So many of these runs the quota lets through. While the shard that counts it is away, all: it holds up the ticks of the others no
// more than it does commits.
awaitable<std::int64_t> scheduler::admitted(std::int64_t runs) {
    if (in_.shards() == 1) co_return (co_await on_.quotas().take(runs, false)).admitted;
    if (std::chrono::steady_clock::now() < asks_quota_at_) co_return runs;
    const auto executor = co_await boost::asio::this_coro::executor;
    const auto rules = app().overrides.quota_rules();
    auto question = take_from_quota(in_, rules ? *rules : quota{}, runs, false, false);
    try {
        co_return (co_await at_most(executor, std::move(question), longest_round)).admitted;
    } catch (const std::exception&) {
        announce_failure(app(), "asking the quota for the runs of schedules", std::current_exception());
    }
    // Each round would wait for it anew.
    asks_quota_at_ = std::chrono::steady_clock::now() + quota_rest;
    co_return runs;
}

awaitable<std::optional<schedule_step>> scheduler::step_for(const kept_schedule& kept, time_point now,
                                                            std::int64_t room) {
    std::string trouble;
    try {
        auto seen = decode_schedule(kept.record);
        // The runs that take their place are there: whoever dies or comes too late on the way leaves one run.
        for (const auto& old : seen.overtaken) {
            if (!co_await cancel_run(old)) co_return std::nullopt;
        }
        seen.overtaken.clear();
        auto move = look(seen, now, kept.last_run, app().zone_finder(), room);
        count_what_runs(app().overrides, move);
        // Also one that stays as it is: it is looked at again at another time.
        co_return step_of(seen.stamp, std::move(move), now);
    } catch (const store_error&) {
        throw;
    } catch (const error& e) {
        trouble = e.what();
    }
    co_return put_off(kept, now, trouble);
}

std::optional<schedule_step> scheduler::put_off(const kept_schedule& kept, time_point now,
                                                std::string_view why) {
    try {
        auto record = decode_schedule(kept.record);
        const auto seen = record.stamp;
        // Another worker may know the zone: it comes by in less than that.
        if (record.next && now < *record.next + left_to_others) return std::nullopt;
        announce_failure(app(), "firing schedule " + to_text(kept.id),
                         std::make_exception_ptr(usage_error{std::string{why}}));
        auto step = step_of(seen, {.changed = true, .record = std::move(record)}, now);
        step.look_at = now + put_off_for;
        return step;
    } catch (const error&) {
        return std::nullopt;  // written by a later version: its workers fire it
    }
}

// False: its shard does not answer, and others are not to wait for it.
awaitable<bool> scheduler::cancel_run(task_id overtaken) {
    const auto outcome = outcome_of_overtaken(in_.now());
    const auto executor = co_await boost::asio::this_coro::executor;
    auto call = in_.cancel(overtaken, 0, outcome);
    if (in_.shards() == 1) {
        co_await std::move(call);
        co_return true;
    }
    try {
        co_await at_most(executor, std::move(call), longest_round);
        co_return true;
    } catch (const std::exception&) {
        co_return false;
    }
}

duration scheduler::pause() { return look_or_due(next_, shared_.alive.load(), random_unit()); }

}  // namespace errand
