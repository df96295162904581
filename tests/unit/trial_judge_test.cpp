// The verdict of scripts/fault, on journals in which each rule is broken once.
#include "unit/story_teller.hpp"

#include <catch2/catch_test_macros.hpp>

using namespace trial_test;

TEST_CASE("a trial in which all went well has nothing against it") {
    story_teller tells;
    tells.runs("a", 1).runs("b", 2).says("needs:a", "b");
    tells.says("delayed", "c", 5, 1000).runs("c", 3);
    const auto found = tells.judged();
    CHECK(found.accepted == 3);
    CHECK(found.finished == 3);
    CHECK(found.executions == 3);
    CHECK(found.good(false));
}

TEST_CASE("a trial of nothing proves nothing") { CHECK_FALSE(story_teller{}.judged().good(true)); }

TEST_CASE("a task that the store does not know is lost") {
    story_teller tells;
    tells.runs("a", 1).ended["b"] = std::nullopt;
    CHECK(tells.judged().lost == 1);
    CHECK_FALSE(tells.judged().good(false));
    CHECK(tells.judged().good(true));
}

TEST_CASE("a task that has not ended is stuck") {
    story_teller tells;
    tells.runs("a", 1).ended["a"]->state = state::working;
    CHECK(tells.judged().stuck == 1);
    CHECK_FALSE(tells.judged().good(true));
}

TEST_CASE("two accepted ends of one task are one too many") {
    story_teller tells;
    tells.runs("a", 1).says("success", "a", 0, 0, 2);
    CHECK(tells.judged().double_accepted == 1);
    CHECK_FALSE(tells.judged().good(false));
    CHECK(tells.judged().good(true));
}

TEST_CASE("a report whose answer the trial keeps back is none that was given up") {
    story_teller tells;
    tells.says("started", "a", 1, 1, 2).says("ended", "a", 0, 1, 2).says("held", "a", 1, 1, 2).runs("a", 2);
    tells.now += 10'000;
    tells.runs("b", 3, 2);
    CHECK(tells.judged().good(false));
}

TEST_CASE("a worker that has heard that its task is another's has given up no report of it") {
    story_teller tells;
    tells.says("started", "a", 1, 1, 2)
        .says("ended", "a", 0, 1, 2)
        .says("withdrawn", "a", 0, 0, 2)
        .runs("a", 2);
    tells.now += 10'000;
    tells.runs("b", 3, 2);
    CHECK(tells.judged().good(false));
}

TEST_CASE("a worker that stood still has given up no report for that") {
    story_teller tells;
    tells.says("started", "a", 1, 1, 2).says("ended", "a", 0, 1, 2);
    const auto from = tells.now;
    tells.now += 3000;
    const auto to = tells.now;
    tells.runs("b", 3, 2).runs("a", 4);
    CHECK_FALSE(tells.judged().good(false));
    tells.happened.stops.push_back({2, from, to});
    CHECK(tells.judged().good(false));
}

TEST_CASE("a worker that is given the number of a dead one has given up none of that one's reports") {
    story_teller tells;
    tells.says("up", "-", 0, 0, 2).says("started", "a", 1, 1, 2).says("ended", "a", 0, 1, 2);
    tells.happened.deaths.push_back({tells.now += 10, 2});
    tells.runs("a", 2, 3);
    tells.now += 10'000;
    tells.says("up", "-", 0, 0, 2).runs("b", 3, 2);
    tells.happened.stops.push_back({2, tells.now, tells.now + 10});
    CHECK(tells.judged().violated.at("unsettled") == 1);
    tell_apart(tells.lines, tells.happened);
    CHECK(tells.judged().violated.empty());
    CHECK(tells.lines.front().pid == 2);
    CHECK(tells.happened.deaths.front().pid == 2);
    CHECK(tells.lines.back().pid != 2);
    CHECK(tells.happened.stops.front().pid == tells.lines.back().pid);
}

TEST_CASE("each rule of order and time is held against the journal") {
    story_teller tells;
    std::string broken;
    SECTION("started under a later claim than the accepted end") {
        tells.runs("a", 1).says("started", "a", 2, 2, 2);
        broken = "started_again";
    }
    SECTION("ended by an attempt that another one had followed") {
        tells.says("started", "a", 1, 1, 2).says("started", "a", 2, 5).says("ended", "a", 0, 1, 2);
        tells.says("success", "a", 0, 0, 2).ended["a"] = ending{state::success, "trial::quick", 1};
        broken = "stale_accepted";
    }
    SECTION("done, and the report given up") {
        tells.says("started", "a", 1, 1, 2).says("ended", "a", 0, 1, 2).runs("a", 2);
        tells.now += 10'000;
        tells.runs("b", 3, 2);
        broken = "unsettled";
    }
    SECTION("a stage ran again") {
        tells.says("started", "a", 1, 1)
            .says("kept1", "a", 1, 1)
            .says("stage1", "a", 2, 2, 2)
            .runs("a", 2, 2);
        broken = "stage_again";
    }
    SECTION("started before the end that it depends on") {
        tells.says("started", "b", 1, 1).runs("a", 2).runs("b", 3).says("needs:a", "b");
        broken = "too_early";
    }
    SECTION("started before it was due") {
        tells.says("delayed", "a", 500, 1000).runs("a", 1);
        broken = "before_due";
    }
    SECTION("the result of no attempt") {
        tells.runs("a", 1).ended["a"]->fence = 7;
        broken = "unfounded";
    }
    SECTION("another end than its handler's") {
        tells.runs("a", 1).ended["a"]->state = state::dead;
        broken = "wrong_end";
    }
    SECTION("cancelled, and ended otherwise") {
        tells.runs("a", 1).says("cancelled", "a");
        broken = "double_accepted";
    }
    SECTION("one submission made twice") {
        tells.runs("a", 3).runs("b", 4);
        for (auto& line : tells.lines) line.attempt = line.what == "ended" ? 77 : line.attempt;
        broken = "submitted_twice";
    }
    const auto found = tells.judged();
    CHECK(found.violated.at(broken) == 1);
    CHECK_FALSE(found.good(false));
}

TEST_CASE("what a frozen worker still does under its old claim is no violation") {
    story_teller tells;
    tells.says("started", "a", 1, 1, 2).says("kept1", "a", 2, 5).runs("a", 5);
    tells.says("stage1", "a", 1, 1, 2).says("refused", "a", 0, 0, 2);
    CHECK(tells.judged().good(false));
    CHECK(tells.judged().stale_refused == 1);
}

TEST_CASE("who ended a task may hear of it when the task has another life, once") {
    story_teller tells;
    tells.says("started", "a", 1, 1, 2).says("ended", "a", 0, 1, 2).says("reviving", "a");
    tells.runs("a", 2, 3).says("success", "a", 0, 0, 2);
    CHECK(tells.judged().violated.empty());

    SECTION("which says nothing for an attempt that another followed in that life") {
        story_teller stale;
        stale.says("started", "a", 1, 1, 2)
            .says("started", "a", 2, 2, 4)
            .says("ended", "a", 0, 2, 4)
            .says("reviving", "a");
        stale.runs("a", 3, 3).says("success", "a", 0, 0, 2);
        CHECK(stale.judged().violated.at("stale_accepted") == 1);
    }
    SECTION("nor for a second end") {
        tells.says("success", "a", 0, 0, 2);
        CHECK(tells.judged().violated.at("stale_accepted") == 1);
    }
}

TEST_CASE("a store's clock that jumps makes a delay shorter") {
    story_teller tells;
    tells.says("delayed", "a", 500, 1000);
    SECTION("meanwhile") { tells.happened.jumps.push_back({1010, 600}); }
    SECTION("just before, but not yet for whoever starts it") {
        tells.happened.jumps.push_back({.when = 980, .by = 600, .done = 1000});
    }
    tells.runs("a", 1);
    CHECK(tells.judged().good(false));
}

TEST_CASE("recovery is measured from a worker's death to the taking over of what it ran") {
    story_teller tells;
    tells.says("started", "a", 1, 1, 2);
    tells.happened.deaths.push_back({1020, 2});
    tells.now = 2000;
    tells.says("recovered", "a").runs("a", 5);
    CHECK(tells.judged().recovery_ms == std::vector<std::int64_t>{990});
    CHECK(tells.judged().recovered == 1);
    SECTION("not while the store was away") { tells.happened.storms.push_back({1000, 1100}); }
    SECTION("not when somebody else died as well") { tells.happened.deaths.push_back({1500, 3}); }
    if (tells.happened.storms.size() + tells.happened.deaths.size() > 1)
        CHECK(tells.judged().recovery_ms.empty());
}
