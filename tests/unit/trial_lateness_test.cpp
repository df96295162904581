// The verdict of scripts/fault on how soon tasks start, on journals in which they start late.
#include "unit/story_teller.hpp"

#include <catch2/catch_test_macros.hpp>

using namespace trial_test;

namespace {

// A worker (process 1) that is there from 1000 on, and a task that is accepted at 2000 and started at `started`, if ever.
story_teller lone_start(std::int64_t started, std::int64_t end = 60'000) {
    story_teller tells;
    const auto at = [&](std::int64_t when) { tells.now = when - 10; };
    at(1000);
    tells.says("up", "-");
    at(2000);
    tells.says("accepted", "a");
    if (started > 0) {
        at(started);
        tells.runs("a", 1);
    } else {
        tells.ended["a"] = ending{state::ready, "trial::quick", 0};
    }
    at(end);
    tells.says("up", "-", 0, 0, 2);
    return tells;
}

}  // namespace

TEST_CASE("a ready task that a worker with room leaves for longer than its lease and 6 s is a late start") {
    CHECK(lone_start(2000 + starts_within).judged().late_starts == 0);
    const auto found = lone_start(2100 + starts_within).judged();
    CHECK(found.late_starts == 1);
    CHECK_FALSE(found.good(false));
    CHECK(lone_start(0).judged().late_starts == 1);
}

TEST_CASE("a start is not late while its worker stands still, is gone or full, or the store is away") {
    auto tells = lone_start(12'000);
    SECTION("it stands still") { tells.happened.stops.push_back({1, 4000, 6000}); }
    SECTION("it has died, and another came soon before the start") {
        tells.happened.deaths.push_back({4000, 1});
    }
    SECTION("it leaves") { tells.happened.leavings.push_back({4000, 1}); }
    SECTION("the store is away") { tells.happened.storms.push_back({5000, 8000}); }
    SECTION("it is full") {
        std::vector<entry> busy;
        for (std::size_t i = 0; i < slots_of_worker; ++i)
            busy.push_back({"started", "b" + std::to_string(i), 1, 1, 1, 3000});
        busy.push_back({"success", "b0", 0, 0, 1, 6000});
        tells.lines.insert(tells.lines.begin() + 2, busy.begin(), busy.end());
    }
    SECTION("it waits for another task") { tells.says("needs:b", "a"); }
    SECTION("it was to be late, and the store's clock was set back by enough") {
        tells.says("delayed", "a", 1, 2000);
        tells.happened.jumps.push_back({3000, -3000});
    }
    CHECK(tells.judged().late_starts == 0);
}

namespace {

// How many starts are late when "a" is started then, or not at all until then.
std::size_t late_starts(story_teller tells, std::int64_t then, bool started, pid_t by = 1) {
    tells.now = then;
    if (started)
        tells.runs("a", 2, by);
    else
        tells.says("up", "-", 0, 0, 3).ended["a"] = ending{state::ready, "trial::quick", 0};
    return tells.judged().late_starts;
}

}  // namespace

TEST_CASE("what depends on others is ready when the last of them has ended") {
    story_teller tells;
    tells.says("up", "-").says("accepted", "a").says("needs:p", "a");
    tells.now = 20'000;
    tells.runs("p", 1);
    const auto ready = tells.now;
    CHECK(late_starts(tells, ready + told_within - 10, true) == 0);
    CHECK(late_starts(tells, ready + told_within, true) == 1);
    CHECK(late_starts(tells, ready + told_within, false) == 1);
    // Nobody has told of the end that it waits for.
    tells.lines.pop_back();
    CHECK(late_starts(tells, ready + told_within, true) == 0);
}

TEST_CASE("what a worker gave back is started again in time") {
    story_teller tells;
    tells.says("up", "-", 0, 0, 1).says("up", "-", 0, 0, 2);
    tells.says("accepted", "a").says("started", "a", 1, 1, 1).says("given_back", "a", 0, 0, 1);
    const auto given_back = tells.now;
    tells.happened.leavings.push_back({given_back - 5, 1});
    CHECK(late_starts(tells, given_back + starts_within - 10, true, 2) == 0);
    CHECK(late_starts(tells, given_back + starts_within, true, 2) == 1);
    CHECK(late_starts(tells, given_back + starts_within, false) == 1);
    SECTION("it was cancelled") {
        tells.says("cancelled", "a", 0, 0, 9);
        tells.ended["a"] = ending{state::cancelled, "trial::slow", 0};
        tells.now = given_back + 20'000;
        tells.says("up", "-", 0, 0, 3);
        CHECK(tells.judged().late_starts == 0);
    }
    SECTION("somebody had started it before that was written down") {
        tells.lines.pop_back();
        tells.says("started", "a", 1, 2, 2).says("given_back", "a", 0, 0, 1);
        tells.now = given_back + 20'000;
        tells.says("ended", "a", 0, 2, 2).says("success", "a", 0, 0, 2);
        tells.ended["a"] = ending{state::success, "trial::quick", 2};
        CHECK(tells.judged().late_starts == 0);
    }
}

TEST_CASE("what was cancelled need not start, also where whoever cancelled it did not live to say so") {
    auto tells = lone_start(0);
    tells.ended["a"] = ending{state::cancelled, "trial::slow", 0};
    CHECK(tells.judged().good(false));
}

TEST_CASE("what a store that was emptied held before is not missed") {
    auto tells = lone_start(0);
    tells.happened.emptyings.push_back(5000);
    CHECK(tells.judged().late_starts == 0);
    tells.happened.emptyings = {20'000};
    CHECK(tells.judged().late_starts == 1);
}

TEST_CASE("a claim number that two processes were given is the last one's: an end of the other is stale") {
    story_teller tells;
    tells.says("started", "a", 1, 5, 1).says("started", "a", 1, 5, 2);
    SECTION("accepted") {
        tells.says("ended", "a", 0, 5, 1).says("success", "a", 0, 0, 1);
        tells.ended["a"] = ending{state::success, "trial::quick", 5};
        CHECK(tells.judged().violated.at("stale_accepted") == 1);
    }
    SECTION("refused") {
        tells.says("refused", "a", 0, 0, 1).says("ended", "a", 0, 5, 2).says("success", "a", 0, 0, 2);
        tells.ended["a"] = ending{state::success, "trial::quick", 5};
        CHECK(tells.judged().good(false));
    }
}

TEST_CASE("a submission is answered within its store_timeout, give or take a little") {
    story_teller tells;
    tells.runs("a", 1).says("overdue", "-", 17, 2400);
    CHECK(tells.judged().good(false));
    tells.says("overdue", "-", 18, 2600);
    CHECK(tells.judged().violated.at("overdue") == 1);
}

namespace {

// Three servers, each of which is to get a task every 100 ms; server 1 is away from 10 s on for 10 s. Tasks of the others
// start after `late` ms then, its own when it is back.
story_teller three_servers(std::int64_t late) {
    story_teller tells;
    tells.happened.shards = 3;
    tells.happened.outages.push_back({1, 10'000, 20'000});
    tells.happened.misses.push_back({1, 10'000, 22'000});
    for (std::int64_t due = 1000; due < 20'000; due += 100) {
        for (int shard = 0; shard < 3; ++shard) {
            const bool away = due >= 10'000;
            const auto start = !away ? due + 5 : shard == 1 ? 21'000 : due + late;
            const auto id = std::to_string(shard) + '-' + std::to_string(due);
            tells.lines.push_back({"due", id, shard, static_cast<std::uint64_t>(due), 9, due});
            tells.lines.push_back({"started", id, 1, static_cast<std::uint64_t>(due), 1, start});
        }
    }
    tells.now = 40'000;
    tells.runs("a", 1'000'000);
    return tells;
}

}  // namespace

TEST_CASE("while one of several servers is away nine in ten tasks of the others start soon") {
    CHECK(three_servers(2900).judged().good(false));
    const auto found = three_servers(3100).judged();
    CHECK(found.violated.at("held_up") == 1);
    CHECK_FALSE(found.good(false));
    CHECK(found.outages == 1);
    CHECK(found.outages_judged == 1);
    SECTION("whatever struck at other times") {
        auto tells = three_servers(3100);
        auto& happened = tells.happened;
        happened.deaths.push_back({7900, 7});
        happened.leavings.push_back({7900, 8});
        happened.stops.push_back({8, 4000, 7900});
        happened.storms.push_back({5000, 7900});
        happened.misses.push_back({2, 5000, 9900});
        happened.deaths.push_back({20'100, 9});
        CHECK(tells.judged().violated.at("held_up") == 1);
    }
    SECTION("unless something else struck as well") {
        const auto judged_beside = [](auto happens) {
            auto tells = three_servers(3100);
            happens(tells.happened);
            return tells.judged().outages_judged;
        };
        CHECK(judged_beside([](auto& all) { all.deaths.push_back({8100, 7}); }) == 0);
        CHECK(judged_beside([](auto& all) { all.deaths.push_back({19'900, 7}); }) == 0);
        CHECK(judged_beside([](auto& all) { all.leavings.push_back({15'000, 7}); }) == 0);
        CHECK(judged_beside([](auto& all) { all.stops.push_back({7, 5000, 8100}); }) == 0);
        CHECK(judged_beside([](auto& all) { all.storms.push_back({19'900, 21'000}); }) == 0);
        CHECK(judged_beside([](auto& all) { all.misses.push_back({0, 9000, 10'100}); }) == 0);
    }
    SECTION("also when those that a worker's death made late were late before") {
        auto tells = three_servers(3100);
        tells.happened.deaths.push_back({5000, 7});
        for (auto& line : tells.lines) {
            const auto due = static_cast<std::int64_t>(line.fence);
            if (line.what == "started" && due >= 2000 && due <= 7000) line.when += 3100;
            // Better than these, and worse than what is usual.
            if (line.what == "started" && due >= 10'000 && due % 200 == 0 && line.when == due + 3100)
                line.when = due + 5;
        }
        CHECK(tells.judged().violated.at("held_up") == 1);
    }
    SECTION("unless as many are late when all are there") {
        auto tells = three_servers(3100);
        for (auto& line : tells.lines) {
            if (line.what == "started" && line.when < 10'000) line.when += 3100;
        }
        CHECK(tells.judged().good(false));
    }
}

TEST_CASE("a start is not late while the server of its shard is away, another's is") {
    auto tells = lone_start(12'000);
    tells.happened.shards = 3;
    SECTION("its own") {
        tells.happened.misses.push_back({0, 5000, 8000});
        CHECK(tells.judged().late_starts == 0);
    }
    SECTION("another") {
        tells.happened.misses.push_back({1, 5000, 8000});
        CHECK(tells.judged().late_starts == 1);
    }
}
