// In which order tasks start that limits hold back: among keys, priorities, queues and groups.
#include "support/limit_fixture.hpp"

#include <catch2/generators/catch_generators.hpp>

using namespace errand;
using namespace errand::test;
using namespace std::chrono_literals;

TEST_CASE("keys that nothing but the workers hold up take turns") {
    limit_fixture t;
    t.set("handler:sync", limit_rule{});
    t.submit_many(50, t.both("handler:sync", "A"), "A");
    CHECK(t.taken_args(7) == "AAAAAAA");
    t.submit_many(5, t.both("handler:sync", "B"), "B");
    std::string got;
    for (int i = 0; i < 8; ++i) got += t.taken_args(1);
    CHECK(std::ranges::count(got, 'B') == 4);
    CHECK(got.find("AA") == std::string::npos);
    CHECK(got.find("BB") == std::string::npos);
    // Each comes with one task at a time: nobody is kept out by that.
    limit_fixture u;
    u.set("handler:sync", limit_rule{});
    u.submit_many(3, u.both("handler:sync", "A"), "A");
    got.clear();
    for (int i = 0; i < 6; ++i) {
        u.submit_gated(u.both("handler:sync", "B"), "B");
        got += u.taken_args(1);
    }
    CHECK(std::ranges::count(got, 'A') == 3);
}

TEST_CASE("tasks without gates take turns with those that have some") {
    limit_fixture t;
    for (int i = 0; i < 10; ++i) t.submit(t.worker, item_of("P"));
    t.submit_many(10, t.both("x", "A"), "A");
    std::string got;
    for (int i = 0; i < 10; ++i) got += t.taken_args(1);
    CHECK(std::ranges::count(got, 'P') == 5);
    CHECK(t.taken_args(5).size() == 5);
    CHECK(t.taken_args(50).size() == 5);
    CHECK(t.check().empty());
}

TEST_CASE("of what may start the most urgent goes first, whatever it waits behind") {
    limit_fixture t;
    t.set("crm", t.at_most(2));
    t.submit_gated(t.running("crm", "a"), "0", "default", 0);
    t.submit_gated(t.running("crm", "b"), "5", "default", 5);
    t.submit(t.worker, item_of("3", "default", 3));
    t.submit(t.worker, item_of("9", "default", 9));
    t.submit(t.worker, item_of("1", "default", 1));
    t.submit_gated(t.running("crm", "c"), "7", "default", 7);
    t.submit_gated(t.running("crm", "c"), "8", "default", 8);
    CHECK(t.taken_args(3) == "987");
    CHECK(t.taken_args(10) == "5310");
}

TEST_CASE("of those that wait behind one gate the most urgent goes first") {
    limit_fixture t;
    t.set("crm", t.at_most(1));
    t.submit_gated(t.running("crm"), "x");
    auto got = t.take(1);
    t.submit_gated(t.running("crm"), "1");
    t.submit_gated(t.running("crm") + t.running("other"), "4", "default", 4);
    CHECK(t.take(5).empty());
    t.submit_gated(t.running("crm"), "9", "default", 9);
    t.submit_gated(t.running("crm"), "2", "default", 2);
    std::string order;
    for (int i = 0; i < 4; ++i) {
        t.finish_one(got.at(0));
        got = t.take(5);
        REQUIRE(got.size() == 1);
        order += args_of(got[0]);
    }
    CHECK(order == "9421");
}

TEST_CASE(
    "in a key tasks start in the order in which they came, what was given back and what failed before") {
    limit_fixture t;
    t.set("handler:sync", t.at_most(1));
    const auto gate = t.running("handler:sync", "k");
    for (const auto* args : {"1", "2", "3", "4"}) t.submit_gated(gate, args);
    auto got = t.take(5);
    REQUIRE(got.size() == 1);
    CHECK(args_of(got[0]) == "1");
    t.work(t.worker, {t.of(got[0], report::kind::give_back)});
    got = t.take(5);
    CHECK(args_of(got.at(0)) == "1");
    // A retry that waits for its time holds up nobody.
    t.work(t.worker, {t.of(got[0], report::kind::retry, 1ms)});
    got = t.take(5);
    CHECK(args_of(got.at(0)) == "2");
    CHECK(t.promote(1));
    t.finish_one(got[0]);
    got = t.take(5);
    CHECK(args_of(got.at(0)) == "1");
    t.finish_one(got[0]);
    got = t.take(5);
    CHECK(args_of(got.at(0)) == "3");
    CHECK(t.check().empty());
}

TEST_CASE("two queues share a limit") {
    limit_fixture t;
    auto left = t.join("left"), right = t.join("right");
    t.set("crm", t.at_most(1));
    t.submit_gated(t.running("crm"), "l", "left");
    t.submit_gated(t.running("crm"), "l", "left");
    t.submit_gated(t.running("crm"), "r", "right");
    const auto got = t.claim(left, 5, {"left"}).claimed;
    REQUIRE(got.size() == 1);
    CHECK(t.claim(right, 5, {"right"}).claimed.empty());
    const auto wakes = right.ear->wakes;
    CHECK(t.finish(left, {t.done(got[0])}) == std::vector{report_verdict::accepted});
    CHECK(t.until([&] { return right.ear->wakes > wakes; }));
    const auto next = t.claim(right, 5, {"right"}).claimed;
    REQUIRE(next.size() == 1);
    CHECK(t.claim(left, 5, {"left"}).claimed.empty());
    t.finish(right, {t.done(next[0])});
    CHECK(t.claim(left, 5, {"left"}).claimed.size() == 1);
    CHECK(t.check().empty());
}

TEST_CASE("a queue that nobody serves, or that is paused, keeps no slot from another") {
    const bool paused = GENERATE(true, false);
    limit_fixture t;
    t.set("crm", t.at_most(1));
    t.submit_gated(t.running("crm"), "x", "served");
    auto got = t.take(1, "served");
    for (int i = 0; i < 3; ++i) t.submit_gated(t.running("crm"), "a", "left");
    CHECK(t.take(1, "left").empty());
    for (int i = 0; i < 3; ++i) t.submit_gated(t.running("crm"), "b", "served");
    CHECK(t.take(1, "served").empty());
    if (paused) await(t.io, t.worker->pause("left"));
    for (int i = 0; i < 3; ++i) {
        t.finish_one(got.at(0));
        got = t.take(5, "served");
        REQUIRE(got.size() == 1);
        CHECK(args_of(got[0]) == "b");
    }
    if (paused) await(t.io, t.worker->resume("left"));
    t.finish_one(got.at(0));
    CHECK(t.take(5, "left").size() == 1);
    CHECK(t.check().empty());
}

TEST_CASE("groups that wait for one gate go on in the order in which they came to it") {
    limit_fixture t;
    t.set("crm", t.at_most(1));
    t.submit_gated(t.running("crm"), "x");
    auto got = t.take(1);
    const std::vector<std::string> keys{"c", "a", "d", "b"};
    for (const auto& key : keys) {
        t.submit_gated(t.running("crm") + t.both("handler:h", key), key);
        CHECK(t.take(5).empty());
    }
    for (const auto& key : keys) {
        t.finish_one(got.at(0));
        got = t.take(5);
        REQUIRE(got.size() == 1);
        CHECK(args_of(got[0]) == key);
    }
}

TEST_CASE("a group that goes on and finds another gate closed lets the next one go on") {
    limit_fixture t;
    t.set("crm", t.at_most(1));
    t.set("mail", t.at_most(1));
    t.submit_gated(t.running("crm"), "x");
    t.submit_gated(t.running("mail"), "y");
    auto got = t.take(5);
    REQUIRE(got.size() == 2);
    t.submit_gated(t.running("crm") + t.running("mail"), "1");
    CHECK(t.take(5).empty());
    t.submit_gated(t.running("crm"), "2");
    CHECK(t.take(5).empty());
    const auto& holds_crm = args_of(got[0]) == "x" ? got[0] : got[1];
    const auto& holds_mail = args_of(got[0]) == "x" ? got[1] : got[0];
    t.finish_one(holds_crm);
    const auto second = t.take(5);
    REQUIRE(second.size() == 1);
    CHECK(args_of(second[0]) == "2");
    t.finish_one(holds_mail);
    CHECK(t.take(5).empty());
    t.finish_one(second[0]);
    CHECK(t.taken_args(5) == "1");
    CHECK(t.check().empty());
}

TEST_CASE("a group that goes on and turns out empty lets the next one go on") {
    const bool removed = GENERATE(true, false);
    limit_fixture t;
    t.set("crm", t.at_most(1));
    t.submit_gated(t.running("crm"), "x");
    const auto got = t.take(1);
    const auto empty = t.submit_gated(t.running("crm") + t.both("handler:h", "a"), "1");
    CHECK(t.take(5).empty());
    t.submit_gated(t.running("crm") + t.both("handler:h", "b"), "2");
    CHECK(t.take(5).empty());
    const auto take_away = [&] {
        if (removed) {
            await(t.io, t.worker->remove(empty, outcome_of(state::cancelled)));
        } else {
            t.cancel(empty);
        }
    };
    const bool before = GENERATE(true, false);
    if (before) take_away();
    t.finish_one(got.at(0));
    if (!before) take_away();
    CHECK(t.taken_args(5) == "2");
    CHECK(t.check().empty());
}
