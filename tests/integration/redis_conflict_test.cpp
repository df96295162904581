// What becomes of a submission whose id is held.
#include "support/redis_fixture.hpp"

#include <catch2/generators/catch_generators.hpp>

using namespace errand;
using namespace errand::test;
using namespace std::chrono_literals;

namespace {

const task_id shared = derive_task_id("test", "order 7");

std::string claimed_args(redis_fixture& redis, member& by) {
    std::string all;
    for (const auto& task : redis.claim(by, 10).claimed) all += args_of(task) + " ";
    return all;
}

// How many scripts were called so far.
long scripts_called(const redis_fixture& redis) {
    const auto info = redis.redis({"INFO", "commandstats"});
    const std::string name = "cmdstat_evalsha:calls=";
    return std::stol(info.substr(info.find(name) + name.size()));
}

}  // namespace

TEST_CASE("a held id: keep answers with the holder, reject refuses, neither leaves a trace") {
    redis_fixture redis;
    auto worker = redis.join("w");
    const auto first = item_with(shared, "first");
    redis.submit(worker, first);
    const auto kept = redis.submit(worker, item_with(shared, "second"));
    CHECK(kept.verdict == submit_verdict::duplicate);
    CHECK(kept.life == incarnation_of(first.body));
    const auto refused = redis.submit(worker, item_with(shared, "third", on_conflict::reject));
    CHECK(refused.verdict == submit_verdict::rejected);
    CHECK(refused.life == incarnation_of(first.body));
    CHECK(claimed_args(redis, worker) == "first ");
}

TEST_CASE("replace gives a ready task new arguments and keeps its life") {
    redis_fixture redis;
    auto worker = redis.join("w");
    const auto first = item_with(shared, "first");
    redis.submit_all(worker, {first, item_of("between")});
    const auto replaced = redis.submit(worker, item_with(shared, "second", on_conflict::replace));
    CHECK(replaced.verdict == submit_verdict::replaced);
    CHECK(replaced.life == incarnation_of(first.body));
    const auto got = redis.claim(worker, 10);
    REQUIRE(got.claimed.size() == 2);
    CHECK(args_of(got.claimed[0]) == "between");
    CHECK(args_of(got.claimed[1]) == "second");
    CHECK(incarnation_of(got.claimed[1].body) == incarnation_of(first.body));
    CHECK(redis.size_of("stale") == "1");
}

TEST_CASE("replace moves a task between due times, priorities and queues") {
    redis_fixture redis;
    auto worker = redis.join("w");
    auto later = item_with(shared, "later");
    later.delay = 1h;
    redis.submit(worker, later);

    auto urgent = item_of("urgent", "second", 5);
    urgent.id = shared;
    urgent.conflict = on_conflict::replace;
    CHECK(redis.submit(worker, urgent).verdict == submit_verdict::replaced);
    CHECK(redis.size_of("due:default") == "0");
    CHECK(redis.size_of("urgent:second") == "1");

    // By a store that never named the queue it is in.
    auto other = redis.join("o");
    auto back = item_with(shared, "back", on_conflict::replace);
    back.delay = 2h;
    CHECK(redis.submit(other, back).verdict == submit_verdict::replaced);
    CHECK(redis.size_of("urgent:second") == "0");
    CHECK(redis.state_of(other, shared) == state::delayed);
    CHECK(redis.submit(other, item_with(shared, "now", on_conflict::replace)).verdict ==
          submit_verdict::replaced);
    CHECK(claimed_args(redis, worker) == "now ");
}

TEST_CASE("what has started is not replaced") {
    redis_fixture redis;
    auto worker = redis.join("w");
    redis.submit(worker, item_with(shared, "first"));
    const auto got = redis.claim(worker, 1);
    CHECK(redis.submit(worker, item_with(shared, "x", on_conflict::replace)).verdict ==
          submit_verdict::rejected);
    redis.finish(worker, {report_of(got.claimed.at(0), report::kind::later, 1h)});
    CHECK(redis.submit(worker, item_with(shared, "x", on_conflict::replace)).verdict ==
          submit_verdict::rejected);
    CHECK(redis.submit(worker, item_with(shared, "x")).verdict == submit_verdict::duplicate);
}

TEST_CASE("what was only put off because nobody knew its handler is replaced") {
    redis_fixture redis;
    auto worker = redis.join("w");
    redis.submit(worker, item_with(shared, "first"));
    const auto got = redis.claim(worker, 1);
    auto put_off = report_of(got.claimed.at(0), report::kind::later, 1h, 0);
    task_notes notes;
    notes.unknown_handler = 1;
    notes.snoozed = true;
    put_off.record = encode(notes);
    redis.finish(worker, {put_off});
    CHECK(redis.submit(worker, item_with(shared, "second", on_conflict::replace)).verdict ==
          submit_verdict::replaced);
    CHECK(redis.size_of("due:default") == "0");
    const auto again = redis.claim(worker, 10);
    REQUIRE(again.claimed.size() == 1);
    CHECK(args_of(again.claimed[0]) == "second");
    CHECK(again.claimed[0].notes.empty());
}

TEST_CASE("a success holds its id for unique_for, whatever its retention") {
    const auto retention = GENERATE(0ms, 1h);
    redis_fixture redis;
    auto worker = redis.join("w");
    const auto first = item_with(shared, "first");
    redis.submit(worker, first);
    redis.finish(worker, {success_of(redis.claim(worker, 1).claimed.at(0), retention, 150ms)});
    const auto held = redis.submit(worker, item_with(shared, "second"));
    CHECK(held.verdict == submit_verdict::duplicate);
    CHECK(held.life == incarnation_of(first.body));
    CHECK(redis.submit(worker, item_with(shared, "x", on_conflict::replace)).verdict ==
          submit_verdict::rejected);

    const auto third = item_with(shared, "third");
    submit_answer answer;
    REQUIRE(redis.until([&] {
        return (answer = redis.submit(worker, third)).verdict == submit_verdict::accepted;
    }));
    CHECK(answer.life == incarnation_of(third.body));
    CHECK(claimed_args(redis, worker) == "third ");
}

TEST_CASE("a task that did not succeed gives its id to a new life at once") {
    redis_fixture redis;
    auto worker = redis.join("w");
    const auto first = item_with(shared, "first");
    redis.submit(worker, first);
    CHECK(await(redis.io, worker->cancel(shared, 0, outcome_of(state::cancelled))).cancelled);
    const auto second = item_with(shared, "second");
    const auto answer = redis.submit(worker, second);
    CHECK(answer.verdict == submit_verdict::accepted);
    CHECK(answer.life == incarnation_of(second.body));
    CHECK(redis.size_of("buried") == "0");
    // The voided entry of the first life does not count for the second.
    CHECK(claimed_args(redis, worker) == "second ");
    // A handle of the first life cannot cancel the second.
    CHECK_FALSE(await(redis.io,
                      worker->cancel(shared, incarnation_of(first.body), outcome_of(state::cancelled)))
                    .known);
}

TEST_CASE("all or nothing: one rejected item withholds the others") {
    redis_fixture redis;
    auto worker = redis.join("w");
    redis.submit(worker, item_with(shared, "holder"));
    const auto answers = redis.submit_all(
        worker, {item_of("a"), item_with(shared, "x", on_conflict::reject), item_of("b", "default", 3)},
        submit_mode::all_or_nothing);
    CHECK(answers[0].verdict == submit_verdict::withheld);
    CHECK(answers[1].verdict == submit_verdict::rejected);
    CHECK(answers[2].verdict == submit_verdict::withheld);
    CHECK(claimed_args(redis, worker) == "holder ");

    const auto good = redis.submit_all(worker, {item_of("a"), item_with(shared, "x"), item_of("b")},
                                       submit_mode::all_or_nothing);
    CHECK(good[0].verdict == submit_verdict::accepted);
    CHECK(good[1].verdict == submit_verdict::duplicate);
    CHECK(claimed_args(redis, worker) == "a b ");
}

TEST_CASE("one id several times in a batch is one task") {
    redis_fixture redis;
    auto worker = redis.join("w");
    const auto first = item_with(shared, "first");
    const auto answers = redis.submit_all(worker, {first, item_with(shared, "kept"),
                                                   item_with(shared, "last", on_conflict::replace),
                                                   item_with(shared, "no", on_conflict::reject)});
    CHECK(answers[0].verdict == submit_verdict::accepted);
    CHECK(answers[1].verdict == submit_verdict::duplicate);
    CHECK(answers[2].verdict == submit_verdict::replaced);
    CHECK(answers[3].verdict == submit_verdict::rejected);
    for (const auto& answer : answers) CHECK(answer.life == incarnation_of(first.body));
    CHECK(claimed_args(redis, worker) == "last ");
}

TEST_CASE("one id twice in a batch of plain submissions is one task, and one entry of its queue") {
    redis_fixture redis;
    auto worker = redis.join("w");
    const auto answers =
        redis.submit_all(worker, {item_with(shared, "first"), item_of("other"), item_with(shared, "second")});
    CHECK(answers[0].verdict == submit_verdict::accepted);
    CHECK(answers[1].verdict == submit_verdict::accepted);
    CHECK(answers[2].verdict == submit_verdict::duplicate);
    CHECK(redis.size_of("ready:default") == "2");
    CHECK(claimed_args(redis, worker) == "first other ");
}

TEST_CASE("a batch in which one plain submission is known is decided item by item") {
    redis_fixture redis;
    auto worker = redis.join("w");
    const auto known = item_with(shared, "known");
    redis.submit(worker, known);
    const auto answers =
        redis.submit_all(worker, {item_of("a"), item_with(shared, "again"), item_of("b", "second")});
    CHECK(answers[0].verdict == submit_verdict::accepted);
    CHECK(answers[1].verdict == submit_verdict::duplicate);
    CHECK(answers[1].life == incarnation_of(known.body));
    CHECK(answers[2].verdict == submit_verdict::accepted);
    CHECK(redis.size_of("ready:default") == "2");
    CHECK(redis.size_of("ready:second") == "1");
}

TEST_CASE("a stream of known biz_ids costs one call each, and new ones after it are accepted") {
    redis_fixture redis;
    auto worker = redis.join("w");
    const auto with_biz_id = [](const std::string& biz_id) {
        auto item = item_with(derive_task_id("test", biz_id), "x");
        auto body = decode_body(item.body);
        body.biz_id = biz_id;
        item.body = encode(body);
        return item;
    };
    CHECK(redis.submit(worker, with_biz_id("1")).verdict == submit_verdict::accepted);
    CHECK(redis.submit(worker, with_biz_id("1")).verdict == submit_verdict::duplicate);
    const auto before = scripts_called(redis);
    for (int i = 0; i < 10; ++i) {
        CHECK(redis.submit(worker, with_biz_id("1")).verdict == submit_verdict::duplicate);
    }
    CHECK(scripts_called(redis) == before + 10);
    CHECK(redis.submit(worker, with_biz_id("2")).verdict == submit_verdict::accepted);
    CHECK(redis.size_of("ready:default") == "2");
}
