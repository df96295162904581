// Limits at the store's seam: who is woken when a gate opens, and for what.
#include "support/limit_fixture.hpp"

#include <catch2/generators/catch_generators.hpp>

using namespace errand;
using namespace errand::test;
using namespace std::chrono_literals;

namespace {

void let_pass(limit_fixture& t, duration time) {
    const auto until = std::chrono::steady_clock::now() + time;
    t.until([&] { return std::chrono::steady_clock::now() >= until; });
}

}  // namespace

TEST_CASE("an idle worker is woken for a freed slot, and not for a task that has to wait") {
    limit_fixture t;
    auto idle = t.join("idle");
    t.set("crm", t.at_most(1));
    t.submit_gated(t.running("crm"));
    const auto got = t.take(1);
    CHECK(t.claim(idle, 1).claimed.empty());
    t.submit_gated(t.running("crm"));
    CHECK(t.claim(idle, 1).claimed.empty());
    const auto wakes = idle.ear->wakes;
    t.submit_gated(t.running("crm"));
    await(t.io, idle->find(got.at(0).id));
    CHECK(idle.ear->wakes == wakes);
    t.finish_one(got[0]);
    CHECK(t.until([&] { return idle.ear->wakes == wakes + 1; }));
    CHECK(t.claim(idle, 1).claimed.size() == 1);
}

TEST_CASE("who frees a slot and claims in one call is served before others are woken") {
    limit_fixture t;
    auto idle = t.join("idle");
    t.set("crm", t.at_most(1));
    t.submit_many(2, t.running("crm"));
    const auto got = t.take(1);
    REQUIRE(got.size() == 1);
    CHECK(t.claim(idle, 1).claimed.empty());
    const auto wakes = idle.ear->wakes;
    CHECK(t.work(t.worker, {t.done(got[0])}, {}, 1).claimed.size() == 1);
    await(t.io, idle->find(got[0].id));
    CHECK(idle.ear->wakes == wakes);
}

TEST_CASE("who frees a slot and claims from one queue wakes those who wait for another") {
    const bool reported = GENERATE(true, false);
    limit_fixture t;
    auto left = t.join("left"), right = t.join("right");
    t.set("crm", t.at_most(1));
    const auto id = t.submit_gated(t.running("crm"), "l", "left");
    t.submit_gated(t.running("crm"), "r", "right");
    const auto got = t.claim(left, 5, {"left"}).claimed;
    REQUIRE(got.size() == 1);
    CHECK(t.claim(right, 5, {"right"}).claimed.empty());
    const auto wakes = right.ear->wakes;
    if (reported) {
        t.work(left, {t.done(got[0])}, {got[0].claim}, 1, "left");
    } else {
        t.cancel(id);
        t.work(left, {}, {got[0].claim}, 1, "left");
    }
    CHECK(t.until([&] { return right.ear->wakes > wakes; }));
    CHECK(t.claim(right, 5, {"right"}).claimed.size() == 1);
    CHECK(t.check().empty());
}

TEST_CASE(
    "a place at a limit goes round among queues though who leaves it claims from its own in the same call") {
    const bool is_rate = GENERATE(false, true);
    limit_fixture t;
    auto left = t.join("left"), right = t.join("right");
    t.set("crm", is_rate ? t.never_more_than(1, 400ms) : t.at_most(1));
    const auto gates = is_rate ? t.starts("crm") : t.running("crm");
    t.submit_many(8, gates, "l", "left");
    auto held = t.work(left, {}, {}, 1, "left").claimed;
    REQUIRE(held.size() == 1);
    t.submit_many(2, gates, "r", "right");
    const auto goes_on = [&] {
        if (is_rate) let_pass(t, 440ms);
        auto answer = held.empty() ? t.work(left, {}, {}, 1, "left")
                                   : t.work(left, {t.done(held[0])}, {held[0].claim}, 1, "left");
        held = std::move(answer.claimed);
        return !held.empty();
    };
    for (int turn = 0; turn < 2; ++turn) {
        INFO(turn);
        CHECK(t.claim(right, 1, {"right"}).claimed.empty());
        auto wakes = right.ear->wakes;
        // Those who came to the gate before it, and then it.
        for (int before = 0; goes_on(); ++before) {
            REQUIRE(before == 0);
            CHECK(t.claim(right, 1, {"right"}).claimed.empty());
            wakes = right.ear->wakes;
        }
        CHECK(t.until([&] { return right.ear->wakes > wakes; }));
        CHECK(t.check().empty());
        const auto got = t.claim(right, 1, {"right"}).claimed;
        REQUIRE(got.size() == 1);
        CHECK(args_of(got[0]) == "r");
        // And the others theirs.
        t.work(right, {t.done(got[0])}, {got[0].claim});
        CHECK(goes_on());
        CHECK(t.check().empty());
    }
}

TEST_CASE("a place that is kept for another queue and not taken is one's own again a second later") {
    limit_fixture t;
    auto left = t.join("left"), right = t.join("right");
    t.set("crm", t.at_most(1));
    t.submit_many(4, t.running("crm"), "l", "left");
    auto held = t.work(left, {}, {}, 1, "left").claimed;
    REQUIRE(held.size() == 1);
    t.submit_gated(t.running("crm"), "r", "right");
    const auto goes_on = [&] {
        held = t.work(left, {t.done(held.at(0))}, {held.at(0).claim}, 1, "left").claimed;
        return !held.empty();
    };
    CHECK(t.claim(right, 1, {"right"}).claimed.empty());
    CHECK(goes_on());
    CHECK(t.claim(right, 1, {"right"}).claimed.empty());
    CHECK_FALSE(goes_on());
    // It never comes.
    CHECK(t.until([&] { return (held = t.work(left, {}, {}, 1, "left").claimed).size() == 1; }));
    // Nobody has come, so nobody waits for him again.
    CHECK(goes_on());
    CHECK(t.check().empty());
}

TEST_CASE("an opening is heard of although a retry becomes due at the same time and has to wait") {
    limit_fixture t;
    auto idle = t.join("idle");
    t.set("full", t.at_most(1));
    t.set("rate", t.never_more_than(1, 400ms));
    t.submit_gated(t.running("full"), "a");
    const auto failed = t.take(1);
    t.submit_gated(t.running("full"), "b");
    t.submit_gated(t.running("full"), "c");
    CHECK(t.work(t.worker, {t.of(failed.at(0), report::kind::retry, 200ms)}, {}, 1).claimed.size() == 1);
    t.submit_many(2, t.starts("rate"), "r");
    CHECK(t.taken_args(1) == "r");
    CHECK(t.claim(idle, 5).claimed.empty());
    const auto wakes = idle.ear->wakes;
    let_pass(t, 500ms);
    const std::vector<std::string> queues{"default"};
    const auto promoted = await(t.io, t.worker->promote(queues, 100, outcome_of(state::expired)));
    CHECK(promoted.promoted == 1);
    CHECK(t.until([&] { return idle.ear->wakes > wakes; }));
    const auto next = t.claim(idle, 5).claimed;
    REQUIRE(next.size() == 1);
    CHECK(args_of(next[0]) == "r");
    CHECK(t.check().empty());
}

TEST_CASE("who finds a rate closed and is busy then tells another when it opens") {
    limit_fixture t;
    std::vector<member> idle;
    for (int i = 0; i < 6; ++i) idle.push_back(t.join("idle" + std::to_string(i)));
    for (auto& one : idle) CHECK(t.claim(one, 5).claimed.empty());
    const auto wakes = [&] {
        int all = 0;
        for (auto& one : idle) {
            await(t.io, one->find(item_of("none").id));
            all += one.ear->wakes;
        }
        return all;
    };
    t.set("rate", t.never_more_than(1, 1h));
    t.submit_gated(t.starts("rate") + t.both("handler:h", "a"), "a");
    t.submit_gated(t.starts("rate") + t.both("handler:h", "b"), "b");
    t.submit(t.worker, item_of("plain"));
    const auto before = wakes();
    REQUIRE(before <= 4);
    CHECK(t.take(2).size() == 2);
    CHECK(wakes() > before);
    CHECK(t.check().empty());
}

TEST_CASE("an opening that comes earlier than it was known is told to one who waits") {
    limit_fixture t;
    auto idle = t.join("idle");
    t.set("rate", t.never_more_than(1, 1h));
    t.submit_many(2, t.starts("rate"));
    CHECK(t.take(1).size() == 1);
    CHECK(t.claim(idle, 5).claimed.empty());
    const auto wakes = idle.ear->wakes;
    t.set("rate", t.never_more_than(1, 10s));
    CHECK(t.until([&] { return idle.ear->wakes > wakes; }));
    const auto told = t.claim(idle, 5);
    CHECK(told.claimed.empty());
    REQUIRE(told.next_due);
    CHECK(*told.next_due <= told.now + 11s);
}

TEST_CASE("a key goes on when its gate opens, whatever the bytes of its hash") {
    const bool timed = GENERATE(true, false);
    // Of the first the hash begins with 0xFF, of the second with 0x00.
    const auto* key = GENERATE("70", "286");
    limit_fixture t;
    t.set("handler:h", timed ? t.never_more_than(1, 20ms) : t.at_most(1));
    const auto gates = t.both("handler:h", key);
    REQUIRE((gates[9] == '\xff' || gates[9] == '\0'));
    t.submit_many(3, gates);
    for (int i = 0; i < 3; ++i) {
        std::vector<claimed_task> got;
        CHECK(t.until([&] {
            got = t.take(1);
            return !got.empty();
        }));
        REQUIRE(got.size() == 1);
        if (!timed) CHECK(t.take(1).empty());
        t.finish_one(got[0]);
    }
    CHECK(t.check().empty());
}

TEST_CASE("what is given back with its first notes and claimed in the same call comes with them") {
    limit_fixture t;
    t.set("crm", t.at_most(1));
    t.submit_gated(t.running("crm"), "x");
    const auto got = t.take(1);
    auto back = t.of(got.at(0), report::kind::give_back);
    back.record = "remember this";
    const auto again = t.work(t.worker, {back}, {}, 1).claimed;
    REQUIRE(again.size() == 1);
    CHECK(again[0].notes == "remember this");
}

TEST_CASE("of very many keys behind a closed limit a claim sees a part, and none is forgotten") {
    limit_fixture t;
    t.set("crm", t.at_most(0));
    for (int key = 0; key < 400; ++key)
        t.submit_gated(t.running("crm") + t.running("handler:h", std::to_string(key)));
    CHECK(t.take(1).empty());
    CHECK(t.take(1).empty());
    t.set("crm", t.at_most(400));
    std::size_t taken = 0;
    CHECK(t.until([&] {
        taken += t.take(10).size();
        return taken == 400;
    }));
    CHECK(t.check().empty());
}

TEST_CASE("a success with limits holds its id for unique_for without what it passed") {
    limit_fixture t;
    t.set("crm", t.at_most(1));
    const auto id = t.submit_gated(t.running("crm"), "x");
    const auto got = t.take(1);
    t.work(t.worker, {t.mark(success_of(got.at(0), 10ms, 1h), got[0])});
    REQUIRE(t.until([&] { return await(t.io, t.worker->clean(100)) == 1; }));
    const auto left = await(t.io, t.worker->find(id));
    REQUIRE(left);
    const auto body = decode_body(left->body);
    CHECK(body.handler == "test");
    CHECK(body.gates.empty());
}
