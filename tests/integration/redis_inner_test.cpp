// What only a store on Redis can show: calls are counted, answers are lost, keys are changed by hand.
#include "support/redis_fixture.hpp"
#include "support/stage_fixture.hpp"
#include "support/tcp_gate.hpp"

using namespace errand;
using namespace errand::test;
using namespace std::chrono_literals;

namespace {

// How many scripts were called so far.
long scripts_called(const redis_fixture& here) {
    const auto info = here.redis({"INFO", "commandstats"});
    const std::string name = "cmdstat_evalsha:calls=";
    return std::stol(info.substr(info.find(name) + name.size()));
}

}  // namespace

TEST_CASE("a stream of known biz_ids costs one call each, and new ones after it are accepted") {
    redis_fixture here;
    auto worker = here.join("w");
    const auto with_biz_id = [](const std::string& biz_id) {
        auto item = item_with(derive_task_id("test", biz_id), "x");
        auto body = decode_body(item.body);
        body.biz_id = biz_id;
        item.body = encode(body);
        return item;
    };
    CHECK(here.submit(worker, with_biz_id("1")).verdict == submit_verdict::accepted);
    CHECK(here.submit(worker, with_biz_id("1")).verdict == submit_verdict::duplicate);
    const auto before = scripts_called(here);
    for (int i = 0; i < 10; ++i) {
        CHECK(here.submit(worker, with_biz_id("1")).verdict == submit_verdict::duplicate);
    }
    CHECK(scripts_called(here) == before + 10);
    CHECK(here.submit(worker, with_biz_id("2")).verdict == submit_verdict::accepted);
    CHECK(here.size_of("ready:default") == "2");
}

TEST_CASE("a missed wake-up is made good by whoever looks at the queue") {
    redis_fixture here;
    auto producer = here.join("p");
    auto worker = here.join("w0");
    here.claim(worker, 5);
    here.submit(producer, item_of("x"));
    REQUIRE(here.until([&] { return worker.ear->wakes == 1; }));
    here.redis({"SADD", here.key("idle:default"), "w0"});
    const std::vector<std::string> queues{"default"};
    await(here.io, producer->promote(queues, 10, outcome_of(state::expired)));
    REQUIRE(here.until([&] { return worker.ear->wakes == 2; }));
}

TEST_CASE("a worker whose claim did not fit into one reply is told that there is more") {
    redis_fixture here;
    auto worker = here.join("w");
    for (int i = 0; i < 6; ++i) here.submit(worker, item_of(std::string(200'000, 'x')));
    std::size_t claimed = 0;
    for (int calls = 1; claimed < 6; ++calls) {
        REQUIRE(calls < 6);
        const auto got = here.claim(worker, 10).claimed.size();
        REQUIRE(got > 0);
        claimed += got;
        if (claimed < 6) REQUIRE(here.until([&] { return worker.ear->wakes == calls; }));
    }
}

TEST_CASE("a stage whose answer was lost is kept once, and so is a second one of its name") {
    redis_fixture here{{.tcp = true}};
    tcp_gate gate{here.server.port()};
    auto with = here.settings("w");
    with.url = gate.url();
    auto worker = here.join(with);
    const auto task = with_stages(here, worker, item_of("x"));
    gate.cut_reply();
    CHECK(keep(here, worker, task, record_of("c", "first")) == report_verdict::accepted);
    CHECK(gate.reply_was_cut());
    CHECK(keep(here, worker, task, record_of("c", "second")) == report_verdict::accepted);
    const auto got = await(here.io, worker->stages(task.id, task.claim));
    const auto all = decode_stages(got.records, incarnation_of(task.body));
    REQUIRE(all.size() == 3);
    CHECK(all[2].result == "first");
}

TEST_CASE("what an earlier life has left behind is no stage of this one") {
    redis_fixture here;
    auto worker = here.join("w");
    const auto item = item_of("x");
    const auto old = with_stages(here, worker, item);
    const auto left = here.redis({"HGET", here.key("stages"), std::string{item.id.view()}});
    REQUIRE_FALSE(left.empty());
    // Deleted by hand, but for the stages.
    here.redis({"HDEL", here.key("tasks"), std::string{item.id.view()}});
    here.redis({"HDEL", here.key("own"), std::string{item.id.view()}});
    here.submit(worker, item_with(item.id, "again"));
    const auto task = here.claim(worker, 1).claimed.at(0);
    CHECK(stages_of(here, worker, task).empty());
    CHECK(keep(here, worker, task, record_of("a")) == report_verdict::accepted);
    CHECK(stages_of(here, worker, task) == std::vector<std::string>{"a"});
}

TEST_CASE("what was deleted by hand leaves a trace, and then a mark; what was lost leaves nothing") {
    redis_fixture here;
    auto worker = here.join("w");
    const auto item_at = [&](std::int64_t ms, const std::string& args) {
        auto item = item_of(args);
        auto body = decode_body(item.body);
        body.life = static_cast<std::uint64_t>(ms) << 16U | 7U;
        item.body = encode(body);
        return item;
    };
    const auto at = worker->now().time_since_epoch().count();
    const auto deleted = item_at(at, "a");
    const auto lost = item_at(at - 7'200'000, "b");
    here.submit_all(worker, {deleted, lost});
    const auto removed = await(here.io, worker->remove(deleted.id, outcome_of(state::cancelled, 0ms)));
    CHECK(removed == remove_verdict::removed);
    here.redis({"HDEL", here.key("tasks"), std::string{lost.id.view()}});
    const auto life = incarnation_of(deleted.body);
    const std::vector tasks{watched_task{deleted.id, life}, watched_task{lost.id, incarnation_of(lost.body)},
                            watched_task{deleted.id}};
    auto answer = await(here.io, worker->watch(tasks));
    REQUIRE(answer.gone.size() == 1);
    CHECK(answer.gone[0].life == life);
    CHECK(answer.unknown == std::vector{lost.id, deleted.id});

    // An hour later.
    const auto trace = here.redis({"ZRANGE", here.key("buried"), "0", "0"});
    REQUIRE(trace.size() == 24);
    here.redis({"ZADD", here.key("buried"), "0", trace});
    await(here.io, worker->clean(100));
    CHECK(here.size_of("buried") == "0");
    // What was submitted before may have been deleted too by now; what was submitted later was not.
    const auto later = item_at(at + 1, "c");
    const std::vector asked{tasks[0], tasks[1], watched_task{later.id, incarnation_of(later.body)}};
    answer = await(here.io, worker->watch(asked));
    CHECK(answer.gone.size() == 2);
    CHECK(answer.unknown == std::vector{later.id});
}
