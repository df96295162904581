#include "trial/closing.hpp"

#include <errand/inspect.hpp>
#include <errand/schedule.hpp>

#include "support/task_journal.hpp"
#include "trial/site.hpp"

#include <algorithm>
#include <climits>

namespace trial {

using namespace std::chrono_literals;
using errand::test::holds_within;

namespace {

// More than any of them takes, also by a clock that was set back last.
constexpr std::chrono::milliseconds soon = 15s;
// By then who waits for the end of a run has been looked at without being told of it.
constexpr std::int64_t next_look_ms = 5 * 60'000 + 1000;
constexpr int no_producers_number = INT_MAX;
// What schedules alone keep ready.
constexpr std::size_t few = 50;

using infos = std::vector<errand::schedule_info>;

infos all_schedules(site& at) {
    infos all;
    std::string after;
    do {
        auto page = at.app().block_on(at.app().schedules({}, after));
        std::ranges::move(page.schedules, std::back_inserter(all));
        after = std::move(page.next);
    } while (!after.empty());
    return all;
}

std::int64_t ms_of(errand::time_point when) { return when.time_since_epoch().count(); }

std::size_t ready_tasks(site& at) {
    std::size_t all = 0;
    for (const auto& queue : at.app().block_on(at.app().inspect().queues()))
        all += queue.count(errand::state::ready);
    return all;
}

void resume_all(site& at, const infos& all) {
    const errand::test::task_journal book{at.book().path()};
    for (const auto& one : all) {
        if (one.state != errand::schedule_state::paused) continue;
        book.add("resumes", one.key, no_producers_number);
        at.app().block_on(at.app().block_on(at.app().find_schedule(one.id))->resume());
        book.add("resumed", one.key, no_producers_number);
    }
}

// Those of which nothing has come since.
infos standing_still(site& at, const infos& before) {
    const auto ticks = [](const auto& one) { return one.runs + one.missed + one.skipped; };
    infos still;
    for (auto& one : all_schedules(at)) {
        const auto was = std::ranges::find(before, one.id, &errand::schedule_info::id);
        if (was != before.end() && ticks(one) == ticks(*was)) still.push_back(std::move(one));
    }
    return still;
}

chronicle::schedule standing_of(const errand::schedule_info& one) {
    chronicle::schedule stood{.id = one.id, .key = one.key, .created = ms_of(one.created_at)};
    if (one.next_at) stood.next = ms_of(*one.next_at);
    stood.runs = stood.runs_at_end = one.runs;
    stood.missed = one.missed;
    stood.skipped = one.skipped;
    return stood;
}

}  // namespace

void end_schedules(site& at) {
    // Where the machine is busy a run waits behind thousands of tasks, and the schedule that follows it with it.
    holds_within(at.how.patience, [&] { return ready_tasks(at) < few; });
    const auto before = all_schedules(at);
    if (before.empty()) return;
    resume_all(at, before);
    const auto all_go_on = [&] { return standing_still(at, before).empty(); };
    infos late, stopped;
    if (!holds_within(std::min<std::chrono::milliseconds>(soon, at.how.patience), all_go_on)) {
        late = standing_still(at, before);
        at.shift_store_clock(next_look_ms);
        holds_within(at.how.patience, all_go_on);
        stopped = standing_still(at, before);
    }
    for (const auto& one : all_schedules(at)) {
        auto stood = standing_of(one);
        const auto its = [&](const errand::schedule_info& other) { return other.id == one.id; };
        stood.stopped = std::ranges::any_of(stopped, its);
        stood.late = std::ranges::any_of(late, its);
        const auto there = *at.app().block_on(at.app().find_schedule(one.id));
        at.app().block_on(there.cancel());
        stood.runs_at_end = at.app().block_on(there.info()).runs;
        at.happened.schedules.push_back(std::move(stood));
    }
}

}  // namespace trial
