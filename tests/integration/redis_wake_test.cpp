// Wake-ups: one idle worker for one task, never none, and due times slept to by one worker only.
#include "support/redis_fixture.hpp"

using namespace errand;
using namespace errand::test;
using namespace std::chrono_literals;

namespace {

int wakes(const std::vector<member>& all) {
    int sum = 0;
    for (const auto& one : all) sum += one.ear->wakes;
    return sum;
}

// Whatever was published before this has arrived after it: pushes come in order on each connection.
void settle(redis_fixture& redis, std::vector<member>& all) {
    for (auto& one : all) await(redis.io, one->find(new_task_id(1)));
}

std::vector<member> idle_workers(redis_fixture& redis, int count) {
    std::vector<member> all;
    for (int i = 0; i < count; ++i) {
        all.push_back(redis.join("w" + std::to_string(i)));
        await(redis.io, all.back()->beat("{}", 30s));
        redis.claim(all.back(), 5);
    }
    return all;
}

}  // namespace

TEST_CASE("a submission wakes exactly one of the idle workers") {
    redis_fixture redis;
    auto producer = redis.join("p");
    auto workers = idle_workers(redis, 5);
    for (int task = 1; task <= 4; ++task) {
        redis.submit(producer, item_of("x"));
        REQUIRE(redis.until([&] { return wakes(workers) == task; }));
        settle(redis, workers);
        CHECK(wakes(workers) == task);
    }
    CHECK(redis.size_of("idle:default") == "1");
    for (const auto& one : workers) CHECK(one.ear->wakes <= 1);
}

TEST_CASE("a worker that found all it asked for is not woken, one that found less is") {
    redis_fixture redis;
    auto producer = redis.join("p");
    auto workers = idle_workers(redis, 1);
    redis.submit(producer, item_of("x"));
    redis.claim(workers[0], 1);
    CHECK(redis.size_of("idle:default") == "0");
    redis.submit(producer, item_of("x"));
    redis.claim(workers[0], 2);
    CHECK(redis.size_of("idle:default") == "1");
}

TEST_CASE("an idle worker that is gone does not swallow a wake-up") {
    redis_fixture redis;
    auto producer = redis.join("p");
    auto workers = idle_workers(redis, 1);
    for (int i = 0; i < 20; ++i) redis.redis({"SADD", redis.key("idle:default"), "gone" + std::to_string(i)});
    redis.submit_all(producer, {item_of("x"), item_of("x")});
    REQUIRE(redis.until([&] { return wakes(workers) == 1; }));
}

TEST_CASE("a large batch wakes several workers, a full claim that leaves a backlog wakes the next") {
    redis_fixture redis;
    auto producer = redis.join("p");
    auto workers = idle_workers(redis, 11);
    std::vector<submission_item> items;
    for (int i = 0; i < 100; ++i) items.push_back(item_of("x"));
    redis.submit_all(producer, items);
    REQUIRE(redis.until([&] { return wakes(workers) == 8; }));
    CHECK(redis.size_of("idle:default") == "3");
    for (auto& one : workers) {
        if (one.ear->wakes == 0) continue;
        redis.claim(one, 5);
        break;
    }
    REQUIRE(redis.until([&] { return wakes(workers) == 9; }));
}

TEST_CASE("what becomes ready by giving back or falling due wakes like a submission") {
    redis_fixture redis;
    auto holder = redis.join("holder");
    redis.submit_all(holder, {item_of("a"), item_of("b")});
    const auto got = redis.claim(holder, 2).claimed;
    auto workers = idle_workers(redis, 2);
    redis.finish(holder, {report_of(got[0], report::kind::give_back)});
    REQUIRE(redis.until([&] { return wakes(workers) == 1; }));
    redis.claim(workers[0], 1);
    redis.claim(workers[1], 1);
    REQUIRE(wakes(workers) == 1);

    // It becomes the earliest due time: whoever sleeps must hear of it.
    redis.finish(holder, {report_of(got[1], report::kind::later, 1ms)});
    REQUIRE(redis.until([&] { return wakes(workers) == 2; }));
    const std::vector<std::string> queues{"default"};
    for (auto& one : workers) redis.claim(one, 5);
    REQUIRE(redis.until([&] {
        return await(redis.io, holder->promote(queues, 10, outcome_of(state::expired))).promoted == 1;
    }));
    REQUIRE(redis.until([&] { return wakes(workers) == 3; }));
}

TEST_CASE("a delayed submission wakes one worker only when nothing is due before it") {
    redis_fixture redis;
    auto producer = redis.join("p");
    auto workers = idle_workers(redis, 2);
    const auto delayed = [](duration by) {
        auto item = item_of("x");
        item.delay = by;
        return item;
    };
    redis.submit(producer, delayed(1h));
    REQUIRE(redis.until([&] { return wakes(workers) == 1; }));
    redis.submit(producer, delayed(2h));
    settle(redis, workers);
    CHECK(wakes(workers) == 1);
    redis.submit(producer, delayed(30min));
    REQUIRE(redis.until([&] { return wakes(workers) == 2; }));
}

TEST_CASE("one worker sleeps until a due time, the others look a second later; a gone one is replaced") {
    redis_fixture redis;
    auto producer = redis.join("p");
    auto first = redis.join("first");
    auto second = redis.join("second");
    await(redis.io, first->beat("{}", 30s));
    await(redis.io, second->beat("{}", 30s));
    auto item = item_of("x");
    item.delay = 1h;
    redis.submit(producer, item);
    const auto due = await(redis.io, producer->find(item.id))->due_at;
    CHECK(redis.claim(first, 1).next_due == due);
    CHECK(redis.claim(first, 1).next_due == due);
    CHECK(redis.claim(second, 1).next_due == *due + 1s);
    const std::vector<std::string> queues{"default"};
    CHECK(await(redis.io, second->promote(queues, 10, outcome_of(state::expired))).next_due == *due + 1s);

    await(redis.io, first->leave(queues));
    REQUIRE(redis.until([&] { return second.ear->wakes == 1; }));
    CHECK(redis.claim(second, 1).next_due == due);
    CHECK(redis.claim(first, 1).next_due == *due + 1s);
    // Not seen alive any more: its post is free without a word of it.
    await(redis.io, second->beat("{}", 0ms));
    CHECK(redis.claim(first, 1).next_due == due);
}

TEST_CASE("a missed wake-up is made good by whoever looks at the queue") {
    redis_fixture redis;
    auto producer = redis.join("p");
    auto workers = idle_workers(redis, 1);
    redis.submit(producer, item_of("x"));
    REQUIRE(redis.until([&] { return wakes(workers) == 1; }));
    redis.redis({"SADD", redis.key("idle:default"), "w0"});
    const std::vector<std::string> queues{"default"};
    await(redis.io, producer->promote(queues, 10, outcome_of(state::expired)));
    REQUIRE(redis.until([&] { return wakes(workers) == 2; }));
}

TEST_CASE("leaving takes a worker off the idle sets and out of the living") {
    redis_fixture redis;
    auto workers = idle_workers(redis, 2);
    CHECK(await(redis.io, workers[0]->beat("{}", 30s)) == 2);
    const std::vector<std::string> queues{"default"};
    await(redis.io, workers[0]->leave(queues));
    CHECK(redis.size_of("idle:default") == "1");
    CHECK(await(redis.io, workers[1]->beat("{}", 30s)) == 1);
    CHECK(redis.size_of("cards") == "1");
}
