// A worker on many queues asks those of which it was told: what its claims look at, and when they look at all.
#include "support/limit_fixture.hpp"
#include "support/redis_fixture.hpp"

using namespace errand;
using namespace errand::test;
using namespace std::chrono_literals;

namespace {

// A worker that waits in ten queues. What a claim asks is seen by where it says again that it waits.
struct named : redis_fixture {
    named() {
        for (int i = 0; i < 10; ++i) queues.push_back("q" + std::to_string(i));
        submit(producer, item_of("first", "q0"));
        finish(worker, {success_of(look(10).claimed.at(0))});
        CHECK_FALSE(look(10).skipped);
    }

    std::vector<std::string> queues;
    member producer = join("p");
    member worker = join("w");

    work_call call_of(std::size_t limit) const {
        work_call call;
        call.claim = {
            .queues = queues, .limit = limit, .lease = 30s, .keeps_queues = true, .trusts_wakes = true};
        return call;
    }
    work_answer look(const work_call& call) { return await(io, worker->work(call)); }
    work_answer look(std::size_t limit) { return look(call_of(limit)); }
    // Two, so that they are not handed over; the worker has heard of them.
    void put_two(const std::string& queue) {
        const auto before = worker.ear->wakes;
        submit_all(producer, {item_of("x", queue), item_of("x", queue)});
        REQUIRE(until([&] { return worker.ear->wakes > before; }));
    }
    // Nobody has told the worker of that.
    void lose_place_in(const std::string& queue) {
        REQUIRE(redis({"SREM", key("idle:" + queue), "w"}) == "1");
    }
    bool waits_in(const std::string& queue) const { return size_of("idle:" + queue) == "1"; }
    // Messages to it that were on their way have arrived.
    void settle() { await(io, worker->find(new_task_id(1))); }
};

}  // namespace

TEST_CASE("a worker that is told of one of its queues asks that one, and waits in it again") {
    named here;
    here.lose_place_in("q9");
    here.put_two("q3");
    CHECK_FALSE(here.waits_in("q3"));
    const auto got = here.look(10);
    CHECK(got.claimed.size() == 2);
    CHECK(got.skipped);
    CHECK(here.waits_in("q3"));
    CHECK_FALSE(here.waits_in("q9"));
    // Who doubts asks all.
    auto call = here.call_of(10);
    call.claim.trusts_wakes = false;
    CHECK_FALSE(here.look(call).skipped);
    CHECK(here.waits_in("q9"));
}

TEST_CASE("a worker that was told of nothing asks all its queues") {
    named here;
    here.lose_place_in("q9");
    CHECK_FALSE(here.look(10).skipped);
    CHECK(here.waits_in("q9"));
}

TEST_CASE("a worker that is told of several queues asks these by one claim") {
    named here;
    here.lose_place_in("q9");
    here.put_two("q5");
    here.put_two("q3");
    const auto got = here.look(10).claimed;
    REQUIRE(got.size() == 4);
    CHECK(got.front().queue == "q3");
    CHECK(got.back().queue == "q5");
    CHECK_FALSE(here.waits_in("q9"));
}

TEST_CASE("a queue with any name is told of") {
    named here;
    here.queues.push_back("süß & sauer:1");
    CHECK_FALSE(here.look(10).skipped);  // once more: it is new
    here.lose_place_in("q9");
    here.put_two(here.queues.back());
    CHECK(here.look(10).claimed.size() == 2);
    CHECK_FALSE(here.waits_in("q9"));
}

TEST_CASE("a task that is handed over says of which queue its worker was taken off") {
    named here;
    here.put_two("q4");  // a queue that is not new to the producer
    auto call = here.call_of(10);
    call.claim.takes_given = true;
    call.claim.trusts_wakes = false;
    here.look(call);
    call.claim.trusts_wakes = true;
    for (const auto& queue : here.queues) here.redis({"SREM", here.key("idle:" + queue), "w"});
    here.submit(here.producer, item_of("x", "q4"));
    REQUIRE(here.until([&] { return here.worker.ear->given.size() == 1; }));
    CHECK_FALSE(here.waits_in("q4"));
    CHECK(here.redis({"DEL", here.key("idle:q9")}) == "1");
    CHECK(here.look(call).claimed.empty());
    CHECK(here.waits_in("q4"));
    CHECK_FALSE(here.waits_in("q9"));
}

TEST_CASE("a worker asks all its queues when it cannot know of which it was taken off") {
    named here;
    here.lose_place_in("q9");
    here.put_two("q3");
    SECTION("a program of before names none") {
        here.redis({"PUBLISH", here.key("wake:w"), "w"});
        REQUIRE(here.until([&] { return here.worker.ear->wakes > 1; }));
    }
    SECTION("its connection was lost") {
        here.redis({"CLIENT", "KILL", "TYPE", "pubsub"});
        REQUIRE(here.until([&] { return here.worker.ear->reconnects == 1; }));
    }
    SECTION("all data was lost") {
        here.redis({"PUBLISH", here.key("all"), "mother"});
        REQUIRE(here.until([&] { return here.worker.ear->reconnects == 1; }));
    }
    CHECK(here.look(10).claimed.size() == 2);
    CHECK(here.waits_in("q9"));
}

TEST_CASE("a worker asks all its queues when it has one free slot, and with what frees a place at a limit") {
    named here;
    here.lose_place_in("q9");
    here.put_two("q3");
    auto call = here.call_of(10);
    SECTION("one slot") {
        call.claim.limit = 1;
        const auto got = here.look(call);
        CHECK(got.claimed.size() == 1);
        CHECK_FALSE(got.skipped);
        CHECK_FALSE(here.look(10).skipped);
    }
    SECTION("a place") {
        report freed;
        freed.id = new_task_id(1);
        freed.claim = 1;
        freed.queue = "q3";
        freed.gated = true;
        call.reports.push_back(freed);
        CHECK_FALSE(here.look(call).skipped);
    }
    CHECK(here.waits_in("q9"));
}

TEST_CASE(
    "of a queue that it was told of a worker takes tasks for half of its slots, and is to look at all for the rest") {
    named here;
    std::vector<submission_item> items;
    for (int i = 0; i < 12; ++i) items.push_back(item_of("x", "q3"));
    here.submit_all(here.producer, items);
    REQUIRE(here.until([&] { return here.worker.ear->wakes == 1; }));
    CHECK(here.look(8).claimed.size() == 4);
    CHECK(here.worker.ear->wakes == 2);
    here.put_two("q0");
    const auto rest = here.look(4).claimed;
    REQUIRE(rest.size() == 4);
    CHECK(rest[1].queue == "q0");
    CHECK(rest[2].queue == "q3");
    // It has no room, and stands in none.
    for (const auto& queue : here.queues) CHECK_FALSE(here.waits_in(queue));
}

TEST_CASE("a worker that was taken off its queues as it had no room asks all of them") {
    named here;
    here.put_two("q3");
    await(here.io, here.worker->busy(here.queues));
    CHECK_FALSE(here.waits_in("q9"));
    CHECK(here.look(10).claimed.size() == 2);
    CHECK(here.waits_in("q9"));
}

TEST_CASE(
    "a worker that claims while it is taken off its queues is told to look again, and asks all of them") {
    named here;
    here.put_two("q3");
    const auto wakes = here.worker.ear->wakes;
    // The claim gives all that it asks for, so it stands in none afterwards.
    auto call = here.call_of(1);
    call.lane = 1;
    std::size_t ended = 0;
    const auto count = [&](const std::exception_ptr& failure, auto&&...) {
        CHECK_FALSE(failure);
        ++ended;
    };
    boost::asio::co_spawn(here.io, here.worker->busy(here.queues), count);
    boost::asio::co_spawn(here.io, here.worker->work(call), count);
    REQUIRE(here.until([&] { return ended == 2; }));
    CHECK(here.worker.ear->wakes > wakes);
    CHECK_FALSE(here.look(10).skipped);
    CHECK(here.waits_in("q9"));
}

TEST_CASE("what a queue that is not asked has due is told with each claim") {
    named here;
    auto later = item_of("later", "q7");
    later.delay = 1h;
    here.submit(here.producer, later);
    REQUIRE(here.until([&] { return here.worker.ear->wakes == 1; }));
    auto call = here.call_of(10);
    call.claim.trusts_wakes = false;
    const auto due = here.look(call).next_due;
    REQUIRE(due);
    here.put_two("q3");
    const auto got = here.look(10);
    CHECK(got.skipped);
    CHECK(got.next_due == due);
}

TEST_CASE("who puts a task off asks all queues, and hears when that falls due") {
    named here;
    here.put_two("q3");
    const auto held = here.look(10).claimed;
    REQUIRE(held.size() == 2);
    here.put_two("q5");
    auto call = here.call_of(10);
    call.reports = {report_of(held[0], report::kind::retry, 1h)};
    const auto got = here.look(call);
    CHECK(got.claimed.size() == 2);
    REQUIRE(got.next_due);
    CHECK(*got.next_due - got.now > 59min);
}

TEST_CASE("what a worker was told of falls to another one when it leaves before it has asked") {
    named here;
    auto other = here.join("other");
    await(here.io, other->work(here.call_of(10)));
    // Whoever is told first leaves.
    here.submit(here.producer, item_of("x", "q3"));
    REQUIRE(here.until([&] { return here.worker.ear->wakes + other.ear->wakes == 1; }));
    auto& first = here.worker.ear->wakes == 1 ? here.worker : other;
    auto& second = here.worker.ear->wakes == 1 ? other : here.worker;
    await(here.io, first->leave(here.queues));
    REQUIRE(here.until([&] { return second.ear->wakes == 1; }));
    const auto got = await(here.io, second->work(here.call_of(10)));
    CHECK(got.claimed.size() == 1);
    CHECK(got.skipped);
}
