// Limits whose workers are killed.
#include "fault/fleet.hpp"
#include "fault/ticks.hpp"

#include <catch2/catch_test_macros.hpp>

#include <algorithm>
#include <chrono>
#include <cstdint>
#include <map>
#include <numeric>
#include <optional>
#include <set>
#include <signal.h>
#include <string>
#include <utility>
#include <vector>

using namespace fault_test;

namespace {

struct running_look {
    std::size_t most = 0;                     // at once
    std::size_t cut = 0;                      // attempts that ended with the killed worker
    std::optional<std::uint64_t> full_again;  // ms after that: three ran once more
};

using attempt_key = std::pair<std::string, int>;

std::set<attempt_key> open_attempts(journal& book, pid_t of) {
    std::set<attempt_key> open;
    for (const auto& one : book.entries()) {
        if (one.pid != of) continue;
        if (one.what == "begun") open.emplace(one.task, one.attempt);
        if (one.what == "done") open.erase({one.task, one.attempt});
    }
    return open;
}

// Lines stand in the order in which they were written: a `done` before whoever was let in by the end of it.
running_look look_at(const std::vector<entry>& lines, const std::set<attempt_key>& cut,
                     std::uint64_t killed_at) {
    running_look all;
    std::set<attempt_key> running;
    bool is_cut = false;
    for (const auto& one : lines) {
        if (!is_cut && one.fence > killed_at) {
            is_cut = true;
            for (const auto& it : cut) all.cut += running.erase(it);
        }
        if (one.what == "begun") running.emplace(one.task, one.attempt);
        if (one.what == "done") running.erase({one.task, one.attempt});
        all.most = std::max(all.most, running.size());
        if (is_cut && running.size() == 3 && !all.full_again) all.full_again = one.fence - killed_at;
    }
    return all;
}

std::uint64_t steady_ms() {
    using std::chrono::steady_clock;
    const auto now = std::chrono::floor<errand::duration>(steady_clock::now().time_since_epoch());
    return static_cast<std::uint64_t>(now.count());
}

}  // namespace

TEST_CASE("three of many run at once over four workers of which one is killed, and its places come back",
          "[any_store]") {
    constexpr std::size_t count = 300;
    fleet all{{}, "ticker"};
    // Long enough that nobody else loses one on a slow machine.
    const variables quick{{"ERRAND_LEASE", "3s"}};
    errand::app app{all.settings()};
    std::vector<int> numbers(count);
    std::iota(numbers.begin(), numbers.end(), 0);
    const auto handles = app.block_on(app.handler<one_of_three>().perform_bulk(numbers));
    for (int i = 0; i < 4; ++i) all.start_worker(quick);
    eventually([&] { return all.book.count("done") >= 10; });
    // It stands, so that what it was seen to run is what dies with it.
    errand::test::program* victim = nullptr;
    eventually([&] {
        for (const auto& one : all.workers) {
            if (open_attempts(all.book, one->pid()).empty()) continue;
            all.freeze(*one);
            if (!open_attempts(all.book, one->pid()).empty()) {
                victim = one.get();
                return true;
            }
            one->signal(SIGCONT);
        }
        return false;
    });
    const auto cut = open_attempts(all.book, victim->pid());
    victim->kill();
    const auto killed_at = steady_ms();
    for (const auto& one : handles) app.block_on(one.result(patience));
    const auto seen = look_at(all.book.entries(), cut, killed_at);
    CHECK(seen.most == 3);
    CHECK(seen.cut == cut.size());
    // While others waited still.
    REQUIRE(seen.full_again);
    UNSCOPED_INFO("three again after " << *seen.full_again << " ms");
    CHECK(app.block_on(app.inspect().check()).found == 0);
    std::map<std::string, int> done;
    for (const auto& one : all.book.entries()) done[one.task] += one.what == "done" ? 1 : 0;
    CHECK(done.size() == count);
    CHECK(std::ranges::all_of(done, [](const auto& one) { return one.second >= 1; }));
}
