// Limits whose workers are killed.
#include "fault/fleet.hpp"
#include "fault/ticks.hpp"

#include <catch2/catch_test_macros.hpp>

#include <algorithm>
#include <cstdint>
#include <map>
#include <numeric>
#include <optional>
#include <set>
#include <string>
#include <utility>
#include <vector>

using namespace fault_test;

namespace {

struct running_look {
    std::size_t most = 0;                     // at once
    std::optional<std::uint64_t> full_again;  // ms after the kill: three ran once more
};

// Lines stand in the order in which they were written: a `done` before whoever was let in by the end of it.
running_look look_at(journal& book, pid_t killed, std::size_t lines_before) {
    running_look all;
    std::set<std::pair<std::string, int>> running;
    std::uint64_t last = 0, cut = 0;
    std::size_t line = 0;
    for (const auto& one : book.entries()) {
        if (line++ == lines_before) {
            std::erase_if(running, [&](const auto& it) {
                return std::ranges::any_of(book.entries(), [&](const entry& by) {
                    return by.pid == killed && by.task == it.first && by.attempt == it.second;
                });
            });
            cut = last;
        }
        last = one.fence;
        if (one.what == "begun") running.emplace(one.task, one.attempt);
        if (one.what == "done") running.erase({one.task, one.attempt});
        all.most = std::max(all.most, running.size());
        if (cut > 0 && running.size() == 3 && !all.full_again) all.full_again = last - cut;
    }
    return all;
}

}  // namespace

TEST_CASE("three of many run at once over four workers of which one is killed, and its places come back",
          "[any_store]") {
    constexpr std::size_t count = 200;
    fleet all{{}, "ticker"};
    const variables quick{{"ERRAND_LEASE", "1s"}};
    errand::app app{all.settings()};
    std::vector<int> numbers(count);
    std::iota(numbers.begin(), numbers.end(), 0);
    const auto handles = app.block_on(app.handler<one_of_three>().perform_bulk(numbers));
    for (int i = 0; i < 4; ++i) all.start_worker(quick);
    const auto victim = [&]() -> errand::test::program* {
        std::map<pid_t, int> open;
        for (const auto& one : all.book.entries()) {
            if (one.what == "begun") ++open[one.pid];
            if (one.what == "done") --open[one.pid];
        }
        for (const auto& one : all.workers) {
            if (open[one->pid()] > 0) return one.get();
        }
        return nullptr;
    };
    eventually([&] { return all.book.count("done") >= 10 && victim(); });
    auto* const dies = victim();
    REQUIRE(dies);
    dies->kill();
    const auto lines_before = all.book.entries().size();
    for (const auto& one : handles) app.block_on(one.result(patience));
    const auto seen = look_at(all.book, dies->pid(), lines_before);
    CHECK(seen.most == 3);
    // While others waited still.
    CHECK(seen.full_again);
    UNSCOPED_INFO("three again after " << seen.full_again.value_or(0) << " ms");
    CHECK(app.block_on(app.inspect().check()).found == 0);
    std::map<std::string, int> done;
    for (const auto& one : all.book.entries()) done[one.task] += one.what == "done" ? 1 : 0;
    CHECK(done.size() == count);
    CHECK(std::ranges::all_of(done, [](const auto& one) { return one.second >= 1; }));
}
