// What scripts/fault says of tasks that stood aside, on journals in which each rule is broken once.
#include "trial/judgement.hpp"

#include <catch2/catch_test_macros.hpp>
#include <catch2/generators/catch_generators.hpp>

#include <algorithm>

using namespace trial;
using errand::state;
using fault_test::entry;

namespace {

constexpr pid_t older = 1, newer = 2;

// One older worker, and one that knows all handlers and has room.
struct roll_out {
    std::vector<entry> lines{};
    endings ended{};
    chronicle happened{};

    roll_out() {
        says(0, "older", "-", older);
        says(1, "up", "-", older);
        says(2, "up", "-", newer);
        says(3, "accepted", "a", 9);
    }
    void says(std::int64_t when, const std::string& what, const std::string& task, pid_t pid,
              std::uint64_t fence = 0) {
        lines.push_back({what, task, 1, fence, pid, when});
    }
    void put_aside(std::int64_t when, pid_t by = older) {
        says(when, "strange", "a", by);
        says(when + 10, "aside", "a", by);
    }
    void runs(std::int64_t when, std::uint64_t fence = 1) {
        says(when, "started", "a", newer, fence);
        says(when + 1, "ended", "a", newer, fence);
        says(when + 2, "success", "a", newer);
        ended["a"] = ending{state::success, "trial::novel", fence};
    }
    judgement judged() const { return judge(lines, ended, happened); }
};

}  // namespace

TEST_CASE("a task that stood aside is to be taken in time by who knows its handler and has room") {
    roll_out tells;
    tells.put_aside(1000);
    SECTION("in time") {
        tells.runs(1900);
        CHECK(tells.judged().good(false));
        CHECK(tells.judged().stood_aside == 1);
        CHECK(tells.judged().stood_long == 0);
    }
    SECTION("later than is usual") {
        tells.runs(1010 + 1001);
        CHECK(tells.judged().good(false));
        CHECK(tells.judged().stood_long == 1);
    }
    SECTION("too late") {
        tells.runs(1010 + starts_within + 1);
        CHECK(tells.judged().violated.at("left_aside") == 1);
        CHECK_FALSE(tells.judged().good(false));
    }
    SECTION("not at all") {
        tells.says(1010 + starts_within + 1, "up", "-", 3);
        tells.ended["a"] = ending{state::delayed, "trial::novel", 0};
        CHECK(tells.judged().violated.at("left_aside") == 1);
    }
    SECTION("it was cancelled") {
        tells.says(1500, "cancelled", "a", 9);
        tells.says(30'000, "up", "-", 3);
        tells.ended["a"] = ending{state::cancelled, "trial::novel", 0};
        CHECK(tells.judged().stood_aside == 0);
        CHECK(tells.judged().violated.empty());
    }
    SECTION("those who know it were not there") {
        tells.happened.deaths.push_back({1500, newer});
        tells.runs(30'000);
        CHECK(tells.judged().violated.empty());
    }
    SECTION("it was started before its worker heard that it stands aside") {
        tells.lines.pop_back();
        tells.says(1005, "started", "a", newer, 1);
        tells.says(1010, "aside", "a", older);
        tells.says(20'000, "ended", "a", newer, 1);
        tells.says(20'001, "success", "a", newer);
        tells.ended["a"] = ending{state::success, "trial::novel", 1};
        CHECK(tells.judged().violated.empty());
    }
}

TEST_CASE("most of what stands aside is taken within a second") {
    roll_out tells;
    const auto late = GENERATE(100, 101);
    for (int number = 0; number < 200; ++number) {
        const auto id = "b" + std::to_string(number);
        const std::int64_t since = 1000 + number * 50;
        tells.says(since, "accepted", id, 9);
        tells.says(since, "strange", id, older);
        tells.says(since, "aside", id, older);
        const auto started = since + (number < late ? 1500 : 500);
        tells.says(started, "started", id, newer, 1);
        tells.says(started, "success", id, newer);
    }
    std::ranges::stable_sort(tells.lines, {}, &entry::when);
    CHECK(tells.judged().violated.contains("aside_slowly") == (late == 101));
}

TEST_CASE("a worker that has put a task aside does not take it again") {
    roll_out tells;
    tells.put_aside(1000);
    SECTION("though it did") {
        tells.put_aside(1500);
        tells.runs(1600);
        CHECK(tells.judged().violated.at("strange_again") == 1);
        CHECK_FALSE(tells.judged().good(false));
    }
    SECTION("but another one may: it was told of nothing") {
        tells.says(1, "older", "-", 4);
        tells.put_aside(1500, 4);
        tells.runs(1600);
        CHECK(tells.judged().violated.empty());
    }
}

TEST_CASE("a worker that lost a task before the store had its word may take it again") {
    roll_out tells;
    tells.says(1000, "strange", "a", older);
    tells.put_aside(3000);
    tells.runs(3100);
    CHECK(tells.judged().violated.empty());
}
