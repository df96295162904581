// Leases and the fence: a task never has two accepted results.
#include "support/redis_fixture.hpp"

using namespace errand;
using namespace errand::test;
using namespace std::chrono_literals;

namespace {

std::vector<claimed_task> recover(redis_fixture& redis, member& by, duration lease = 30s) {
    return await(redis.io, by->recover(100, lease)).tasks;
}

extend_answer extend(redis_fixture& redis, member& by, const claimed_task& task, duration lease = 30s) {
    extend_call call;
    call.claims = {task.claim};
    call.tasks = {{task.id, task.claim}};
    call.lease = lease;
    return await(redis.io, by->extend(call));
}

}  // namespace

TEST_CASE("a report of another claim is refused and changes nothing") {
    redis_fixture redis;
    auto worker = redis.join("w");
    const auto item = item_of("a");
    redis.submit_all(worker, {item, item_of("b")});
    const auto got = redis.claim(worker, 2);
    auto wrong = success_of(got.claimed[0]);
    wrong.claim += 1;
    CHECK(redis.finish(worker, {wrong, success_of(got.claimed[1])}) ==
          std::vector{report_verdict::lease_lost, report_verdict::accepted});
    CHECK(redis.state_of(worker, item.id) == state::working);
    CHECK(redis.finish(worker, {success_of(got.claimed[0])}) == std::vector{report_verdict::accepted});
    CHECK(redis.finish(worker, {success_of(got.claimed[0])}) == std::vector{report_verdict::lease_lost});
}

TEST_CASE(
    "a lease that ran out: recover gives what is still held a new claim, and the old one counts no more") {
    redis_fixture redis;
    auto gone = redis.join("gone");
    auto rescuer = redis.join("rescuer");
    redis.submit_all(gone, {item_of("a"), item_of("b"), item_of("c")});
    const auto lost = redis.claim(gone, 2, {"default"}, 50ms);
    const auto kept = redis.claim(gone, 1);
    work_call half;
    half.reports = {success_of(lost.claimed[1])};
    await(redis.io, gone->work(half));

    std::vector<claimed_task> saved;
    REQUIRE(redis.until([&] { return !(saved = recover(redis, rescuer)).empty(); }));
    REQUIRE(saved.size() == 1);
    CHECK(saved[0].id == lost.claimed[0].id);
    CHECK(saved[0].body == lost.claimed[0].body);
    CHECK(saved[0].claim > kept.claimed[0].claim);
    CHECK(await(redis.io, gone->find(saved[0].id))->worker == "rescuer");

    CHECK(redis.finish(gone, {success_of(lost.claimed[0])}) == std::vector{report_verdict::lease_lost});
    const auto extended = extend(redis, gone, lost.claimed[0]);
    CHECK(extended.lost_claims == std::vector{lost.claimed[0].claim});
    CHECK(extended.lost_tasks == std::vector{std::pair{lost.claimed[0].id, lost.claimed[0].claim}});
    CHECK(redis.finish(rescuer, {report_of(saved[0], report::kind::give_back)}) ==
          std::vector{report_verdict::accepted});
    CHECK(extend(redis, gone, kept.claimed[0]).lost_claims.empty());
    CHECK(redis.claim(rescuer, 5).claimed.size() == 1);
}

TEST_CASE("a claim past its end is lost even before anyone has recovered it") {
    redis_fixture redis;
    auto worker = redis.join("w");
    redis.submit(worker, item_of("a"));
    const auto got = redis.claim(worker, 1, {"default"}, 20ms);
    const auto end = got.now + 25ms;
    REQUIRE(redis.until([&] { return worker->now() > end; }));
    const auto answer = extend(redis, worker, got.claimed.at(0));
    CHECK(answer.lost_claims == std::vector{got.claimed[0].claim});
    CHECK(recover(redis, worker).size() == 1);
}

TEST_CASE("an extended lease outlives its first end") {
    redis_fixture redis;
    auto worker = redis.join("w");
    redis.submit(worker, item_of("a"));
    const auto got = redis.claim(worker, 1, {"default"}, 500ms);
    CHECK(extend(redis, worker, got.claimed.at(0), 1h).lost_claims.empty());
    const auto end = got.now + 600ms;
    REQUIRE(redis.until([&] { return worker->now() > end; }));
    CHECK(recover(redis, worker).empty());
}

TEST_CASE("claim numbers grow though the clock of Redis went back") {
    redis_fixture redis;
    auto worker = redis.join("w");
    redis.redis({"HSET", redis.key("control"), "claim", "4000000000000000"});
    redis.submit_all(worker, {item_of("a"), item_of("b")});
    CHECK(redis.claim(worker, 1).claimed.at(0).claim == 4'000'000'000'000'001);
    CHECK(redis.claim(worker, 1).claimed.at(0).claim == 4'000'000'000'000'002);
}

TEST_CASE("notes are written only by the claim that holds the task") {
    redis_fixture redis;
    auto worker = redis.join("w");
    const auto item = item_of("a");
    redis.submit(worker, item);
    const auto got = redis.claim(worker, 1).claimed.at(0);
    task_notes notes;
    notes.progress = 0.5;
    CHECK(await(redis.io, worker->note(item.id, got.claim, encode(notes))) == report_verdict::accepted);
    CHECK(await(redis.io, worker->note(item.id, got.claim + 1, "x")) == report_verdict::lease_lost);
    CHECK(decode_notes(await(redis.io, worker->find(item.id))->notes).progress == 0.5);
    // Given back without saying that there are notes: they are found all the same.
    redis.finish(worker, {report_of(got, report::kind::give_back)});
    CHECK(decode_notes(redis.claim(worker, 1).claimed.at(0).notes).progress == 0.5);
}
