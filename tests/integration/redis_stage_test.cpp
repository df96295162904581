// Results of stages in a real Redis: fenced, kept once, gone with their task and with its life.
#include "core/stage_record.hpp"
#include "support/redis_fixture.hpp"
#include "support/tcp_gate.hpp"

using namespace errand;
using namespace errand::test;
using namespace std::chrono_literals;

namespace {

stage_record record_of(const std::string& name, const std::string& result = "7") {
    return {name, 1, time_point{5ms}, 6ms, result};
}

report_verdict keep(redis_fixture& redis, member& by, const claimed_task& task, const stage_record& what) {
    return await(redis.io, by->stage(task.id, task.claim, incarnation_of(task.body), encode(what)));
}

std::vector<std::string> stages_of(redis_fixture& redis, member& by, const claimed_task& task) {
    const auto got = await(redis.io, by->stages(task.id, task.claim));
    CHECK(got.verdict == report_verdict::accepted);
    std::vector<std::string> names;
    for (const auto& one : decode_stages(got.records, incarnation_of(task.body))) names.push_back(one.name);
    return names;
}

// One with stages "a" and "b", claimed.
claimed_task with_stages(redis_fixture& redis, member& by, const submission_item& item) {
    redis.submit(by, item);
    auto task = redis.claim(by, 1).claimed.at(0);
    CHECK(keep(redis, by, task, record_of("a")) == report_verdict::accepted);
    CHECK(keep(redis, by, task, record_of("b")) == report_verdict::accepted);
    return task;
}

// The sentinel alone.
bool none_kept(const redis_fixture& redis) { return redis.size_of("stages") == "1"; }

submission_item next_life(const submission_item& of, on_conflict conflict = on_conflict::keep) {
    return item_with(of.id, "again", conflict);
}

}  // namespace

TEST_CASE("stages are kept in their order and seen by the next attempt and by whoever looks") {
    redis_fixture redis;
    auto worker = redis.join("w");
    const auto item = item_of("x");
    const auto task = with_stages(redis, worker, item);
    redis.finish(worker, {report_of(task, report::kind::give_back)});
    const auto found = await(redis.io, worker->find(item.id));
    CHECK(decode_stages(found->stages, incarnation_of(item.body)).size() == 2);
    const auto next = redis.claim(worker, 1).claimed.at(0);
    CHECK(stages_of(redis, worker, next) == std::vector<std::string>{"a", "b"});
    redis.finish(worker, {success_of(next)});
    CHECK(decode_stages(await(redis.io, worker->find(item.id))->stages, incarnation_of(item.body))
              .at(1)
              .result == "7");
}

TEST_CASE("only the claim that holds a task keeps and reads its stages") {
    redis_fixture redis;
    auto worker = redis.join("w");
    auto task = with_stages(redis, worker, item_of("x"));
    ++task.claim;
    CHECK(keep(redis, worker, task, record_of("c")) == report_verdict::lease_lost);
    CHECK(await(redis.io, worker->stages(task.id, task.claim)).verdict == report_verdict::lease_lost);
    --task.claim;
    CHECK(stages_of(redis, worker, task).size() == 2);
    redis.finish(worker, {success_of(task)});
    CHECK(keep(redis, worker, task, record_of("c")) == report_verdict::lease_lost);
}

TEST_CASE("a stage whose answer was lost is kept once, and so is a second one of its name") {
    redis_fixture redis{{.tcp = true}};
    tcp_gate gate{redis.server.port()};
    auto with = redis.settings("w");
    with.url = gate.url();
    auto worker = redis.join(with);
    const auto task = with_stages(redis, worker, item_of("x"));
    gate.cut_reply();
    CHECK(keep(redis, worker, task, record_of("c", "first")) == report_verdict::accepted);
    CHECK(gate.reply_was_cut());
    CHECK(keep(redis, worker, task, record_of("c", "second")) == report_verdict::accepted);
    const auto got = await(redis.io, worker->stages(task.id, task.claim));
    const auto all = decode_stages(got.records, incarnation_of(task.body));
    REQUIRE(all.size() == 3);
    CHECK(all[2].result == "first");
}

TEST_CASE("a task that is started anew has no stages") {
    redis_fixture redis;
    auto worker = redis.join("w");
    const auto item = item_of("x");
    redis.finish(worker, {success_of(with_stages(redis, worker, item))});
    CHECK_FALSE(none_kept(redis));
    CHECK(redis.submit(worker, next_life(item)).verdict == submit_verdict::accepted);
    CHECK(none_kept(redis));
    CHECK(stages_of(redis, worker, redis.claim(worker, 1).claimed.at(0)).empty());
}

TEST_CASE("what an earlier life has left behind is no stage of this one") {
    redis_fixture redis;
    auto worker = redis.join("w");
    const auto item = item_of("x");
    const auto old = with_stages(redis, worker, item);
    const auto left = redis.redis({"HGET", redis.key("stages"), std::string{item.id.view()}});
    REQUIRE_FALSE(left.empty());
    // Deleted by hand, but for the stages.
    redis.redis({"HDEL", redis.key("tasks"), std::string{item.id.view()}});
    redis.redis({"HDEL", redis.key("own"), std::string{item.id.view()}});
    redis.submit(worker, next_life(item));
    const auto task = redis.claim(worker, 1).claimed.at(0);
    CHECK(stages_of(redis, worker, task).empty());
    CHECK(keep(redis, worker, task, record_of("a")) == report_verdict::accepted);
    CHECK(stages_of(redis, worker, task) == std::vector<std::string>{"a"});
}

TEST_CASE("stages go with the task when it is cleaned") {
    redis_fixture redis;
    auto worker = redis.join("w");
    const auto kept = item_of("kept");
    const auto other = with_stages(redis, worker, kept);
    redis.finish(worker, {success_of(with_stages(redis, worker, item_of("a")), 1ms),
                          success_of(with_stages(redis, worker, item_of("b")), 1ms, 1h)});
    CHECK(redis.size_of("stages") == "4");
    std::size_t cleaned = 0;
    REQUIRE(redis.until([&] { return (cleaned += await(redis.io, worker->clean(10))) == 2; }));
    CHECK(redis.size_of("stages") == "2");
    CHECK(stages_of(redis, worker, other).size() == 2);
}

TEST_CASE("stages of a task of which nothing is kept go at its end") {
    redis_fixture redis;
    auto worker = redis.join("w");
    redis.finish(worker, {success_of(with_stages(redis, worker, item_of("a")), 0ms)});
    CHECK(none_kept(redis));
    // Its id goes on refusing duplicates.
    redis.finish(worker, {success_of(with_stages(redis, worker, item_of("b")), 0ms, 1h)});
    CHECK(none_kept(redis));
    const auto task = with_stages(redis, worker, item_of("c"));
    await(redis.io, worker->cancel(task.id, 0, outcome_of(state::cancelled, 0ms)));
    CHECK(none_kept(redis));
}

TEST_CASE(
    "a child of a stage is taken up while it goes on and while its success is kept, else started anew") {
    redis_fixture redis;
    auto worker = redis.join("w");
    const auto item = item_with(new_task_id(1), "x", on_conflict::adopt);
    const auto life = incarnation_of(item.body);
    const auto adopt = [&] { return redis.submit(worker, next_life(item, on_conflict::adopt)); };
    CHECK(redis.submit(worker, item).verdict == submit_verdict::accepted);
    CHECK(adopt().verdict == submit_verdict::duplicate);
    redis.finish(worker, {success_of(redis.claim(worker, 1).claimed.at(0), 1h)});
    const auto ended = adopt();
    CHECK(ended.verdict == submit_verdict::duplicate);
    CHECK(ended.life == life);
    // Any other submission starts it anew: as a success it has no unique_for.
    CHECK(redis.submit(worker, next_life(item)).verdict == submit_verdict::accepted);
    await(redis.io, worker->cancel(item.id, 0, outcome_of(state::cancelled)));
    CHECK(adopt().verdict == submit_verdict::accepted);
    redis.finish(worker, {success_of(redis.claim(worker, 2).claimed.at(0), 1ms)});
    const auto end = worker->now() + 5ms;
    REQUIRE(redis.until([&] { return worker->now() > end; }));
    CHECK(adopt().verdict == submit_verdict::accepted);
    const auto twice = next_life(item, on_conflict::adopt);
    CHECK(redis.submit_all(worker, {twice, twice}).at(1).verdict == submit_verdict::duplicate);
}
