// Schedules whose workers are killed.
#include "fault/fleet.hpp"
#include "fault/ticks.hpp"

#include <catch2/catch_test_macros.hpp>

#include <algorithm>
#include <map>

using namespace fault_test;

namespace {

// Of each tick (ms) the ids of the runs that were made for it.
std::map<std::uint64_t, std::set<std::string>> runs_by_tick(journal& book) {
    std::map<std::uint64_t, std::set<std::string>> runs;
    for (const auto& one : book.entries()) {
        if (one.what == "tick") runs[one.fence].insert(one.task);
    }
    return runs;
}

}  // namespace

TEST_CASE("each second's tick runs once while workers are killed one after the other", "[any_store]") {
    fleet all{{}, "ticker"};
    const variables quick{{"ERRAND_LEASE", "1s"}};
    for (int i = 0; i < 3; ++i) all.start_worker(quick);
    errand::app app{all.settings()};
    app.block_on(app.handler<writes_tick>().cron("* * * * * *", {.key = "each second",
                                                                 .missed = errand::missed_rule::run_all}));

    const auto end = std::chrono::steady_clock::now() + std::chrono::seconds{2 * seconds_of_fire()};
    for (std::size_t victim = 0; std::chrono::steady_clock::now() < end; ++victim) {
        const auto known = runs_by_tick(all.book).size();
        eventually([&] { return runs_by_tick(all.book).size() >= known + 5; });
        all.workers[victim]->kill();
        all.start_worker(quick);
    }
    const auto runs = runs_by_tick(all.book);
    // A killed worker's run comes after its lease: only those before it are whole by now.
    const auto last = runs.rbegin()->first;
    eventually([&] {
        const auto now = runs_by_tick(all.book);
        const auto until = std::ranges::count_if(now, [&](const auto& one) { return one.first <= last; });
        return until == static_cast<std::int64_t>((last - now.begin()->first) / 1000 + 1);
    });
    for (const auto& [tick, ids] : runs_by_tick(all.book)) {
        INFO("tick " << tick);
        CHECK(tick % 1000 == 0);
        CHECK(ids.size() == 1);
    }
    CHECK(all.workers.size() > 4);
}
