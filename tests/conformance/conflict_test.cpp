// What becomes of a submission whose id is held.
#include "support/store_fixture.hpp"

#include <catch2/generators/catch_generators.hpp>

using namespace errand;
using namespace errand::test;
using namespace std::chrono_literals;

namespace {

const task_id shared = derive_task_id("test", "order 7");

std::string claimed_args(store_fixture& here, member& by) {
    std::string all;
    for (const auto& task : here.claim(by, 10).claimed) all += args_of(task) + " ";
    return all;
}

}  // namespace

TEST_CASE("a held id: keep answers with the holder, reject refuses, neither leaves a trace") {
    store_fixture here;
    auto worker = here.join("w");
    const auto first = item_with(shared, "first");
    here.submit(worker, first);
    const auto kept = here.submit(worker, item_with(shared, "second"));
    CHECK(kept.verdict == submit_verdict::duplicate);
    CHECK(kept.life == incarnation_of(first.body));
    const auto refused = here.submit(worker, item_with(shared, "third", on_conflict::reject));
    CHECK(refused.verdict == submit_verdict::rejected);
    CHECK(refused.life == incarnation_of(first.body));
    CHECK(claimed_args(here, worker) == "first ");
}

TEST_CASE("replace gives a ready task new arguments and keeps its life") {
    store_fixture here;
    auto worker = here.join("w");
    const auto first = item_with(shared, "first");
    here.submit_all(worker, {first, item_of("between")});
    const auto replaced = here.submit(worker, item_with(shared, "second", on_conflict::replace));
    CHECK(replaced.verdict == submit_verdict::replaced);
    CHECK(replaced.life == incarnation_of(first.body));
    const auto got = here.claim(worker, 10);
    REQUIRE(got.claimed.size() == 2);
    CHECK(args_of(got.claimed[0]) == "between");
    CHECK(args_of(got.claimed[1]) == "second");
    CHECK(incarnation_of(got.claimed[1].body) == incarnation_of(first.body));
    CHECK(here.keeps("stale", 0));
}

TEST_CASE("replace moves a task between due times, priorities and queues") {
    store_fixture here;
    auto worker = here.join("w");
    auto later = item_with(shared, "later");
    later.delay = 1h;
    here.submit(worker, later);

    auto urgent = item_of("urgent", "second", 5);
    urgent.id = shared;
    urgent.conflict = on_conflict::replace;
    CHECK(here.submit(worker, urgent).verdict == submit_verdict::replaced);
    CHECK(here.queue_of(worker).delayed == 0);
    CHECK(here.queue_of(worker, "second").ready == 1);

    // By a store that never named the queue it is in.
    auto other = here.join("o");
    auto back = item_with(shared, "back", on_conflict::replace);
    back.delay = 2h;
    CHECK(here.submit(other, back).verdict == submit_verdict::replaced);
    CHECK(here.queue_of(worker, "second").ready == 0);
    CHECK(here.state_of(other, shared) == state::delayed);
    CHECK(here.submit(other, item_with(shared, "now", on_conflict::replace)).verdict ==
          submit_verdict::replaced);
    CHECK(claimed_args(here, worker) == "now ");
}

TEST_CASE("what has started is not replaced") {
    store_fixture here;
    auto worker = here.join("w");
    here.submit(worker, item_with(shared, "first"));
    const auto got = here.claim(worker, 1);
    CHECK(here.submit(worker, item_with(shared, "x", on_conflict::replace)).verdict ==
          submit_verdict::rejected);
    here.finish(worker, {report_of(got.claimed.at(0), report::kind::later, 1h)});
    CHECK(here.submit(worker, item_with(shared, "x", on_conflict::replace)).verdict ==
          submit_verdict::rejected);
    CHECK(here.submit(worker, item_with(shared, "x")).verdict == submit_verdict::duplicate);
}

TEST_CASE("what was only put off because nobody knew its handler is replaced") {
    store_fixture here;
    auto worker = here.join("w");
    here.submit(worker, item_with(shared, "first"));
    const auto got = here.claim(worker, 1);
    auto put_off = report_of(got.claimed.at(0), report::kind::later, 1h, 0);
    task_notes notes;
    notes.unknown_handler = 1;
    notes.snoozed = true;
    put_off.record = encode(notes);
    here.finish(worker, {put_off});
    CHECK(here.submit(worker, item_with(shared, "second", on_conflict::replace)).verdict ==
          submit_verdict::replaced);
    CHECK(here.queue_of(worker).delayed == 0);
    const auto again = here.claim(worker, 10);
    REQUIRE(again.claimed.size() == 1);
    CHECK(args_of(again.claimed[0]) == "second");
    CHECK(again.claimed[0].notes.empty());
}

TEST_CASE("a success holds its id for unique_for, whatever its retention") {
    const auto retention = GENERATE(0ms, 1h);
    store_fixture here;
    auto worker = here.join("w");
    const auto first = item_with(shared, "first");
    here.submit(worker, first);
    here.finish(worker, {success_of(here.claim(worker, 1).claimed.at(0), retention, 1s)});
    const auto held = here.submit(worker, item_with(shared, "second"));
    CHECK(held.verdict == submit_verdict::duplicate);
    CHECK(held.life == incarnation_of(first.body));
    CHECK(here.submit(worker, item_with(shared, "x", on_conflict::replace)).verdict ==
          submit_verdict::rejected);

    const auto third = item_with(shared, "third");
    submit_answer answer;
    REQUIRE(here.until([&] {
        return (answer = here.submit(worker, third)).verdict == submit_verdict::accepted;
    }));
    CHECK(answer.life == incarnation_of(third.body));
    CHECK(claimed_args(here, worker) == "third ");
}

TEST_CASE("a task that did not succeed gives its id to a new life at once") {
    store_fixture here;
    auto worker = here.join("w");
    const auto first = item_with(shared, "first");
    here.submit(worker, first);
    CHECK(await(here.io, worker->cancel(shared, 0, outcome_of(state::cancelled))).cancelled);
    const auto second = item_with(shared, "second");
    const auto answer = here.submit(worker, second);
    CHECK(answer.verdict == submit_verdict::accepted);
    CHECK(answer.life == incarnation_of(second.body));
    CHECK(here.queue_of(worker).cancelled == 0);
    // The voided entry of the first life does not count for the second.
    CHECK(claimed_args(here, worker) == "second ");
    // A handle of the first life cannot cancel the second.
    CHECK_FALSE(await(here.io,
                      worker->cancel(shared, incarnation_of(first.body), outcome_of(state::cancelled)))
                    .known);
}

TEST_CASE("all or nothing: one rejected item withholds the others") {
    store_fixture here;
    auto worker = here.join("w");
    here.submit(worker, item_with(shared, "holder"));
    const auto answers = here.submit_all(
        worker, {item_of("a"), item_with(shared, "x", on_conflict::reject), item_of("b", "default", 3)},
        submit_mode::all_or_nothing);
    CHECK(answers[0].verdict == submit_verdict::withheld);
    CHECK(answers[1].verdict == submit_verdict::rejected);
    CHECK(answers[2].verdict == submit_verdict::withheld);
    CHECK(claimed_args(here, worker) == "holder ");

    const auto good = here.submit_all(worker, {item_of("a"), item_with(shared, "x"), item_of("b")},
                                      submit_mode::all_or_nothing);
    CHECK(good[0].verdict == submit_verdict::accepted);
    CHECK(good[1].verdict == submit_verdict::duplicate);
    CHECK(claimed_args(here, worker) == "a b ");
}

TEST_CASE("one id several times in a batch is one task") {
    store_fixture here;
    auto worker = here.join("w");
    const auto first = item_with(shared, "first");
    const auto answers = here.submit_all(worker, {first, item_with(shared, "kept"),
                                                  item_with(shared, "last", on_conflict::replace),
                                                  item_with(shared, "no", on_conflict::reject)});
    CHECK(answers[0].verdict == submit_verdict::accepted);
    CHECK(answers[1].verdict == submit_verdict::duplicate);
    CHECK(answers[2].verdict == submit_verdict::replaced);
    CHECK(answers[3].verdict == submit_verdict::rejected);
    for (const auto& answer : answers) CHECK(answer.life == incarnation_of(first.body));
    CHECK(claimed_args(here, worker) == "last ");
}

TEST_CASE("one id twice in a batch of plain submissions is one task, and one entry of its queue") {
    store_fixture here;
    auto worker = here.join("w");
    const auto answers =
        here.submit_all(worker, {item_with(shared, "first"), item_of("other"), item_with(shared, "second")});
    CHECK(answers[0].verdict == submit_verdict::accepted);
    CHECK(answers[1].verdict == submit_verdict::accepted);
    CHECK(answers[2].verdict == submit_verdict::duplicate);
    CHECK(here.queue_of(worker).ready == 2);
    CHECK(claimed_args(here, worker) == "first other ");
}

TEST_CASE("a batch in which one plain submission is known is decided item by item") {
    store_fixture here;
    auto worker = here.join("w");
    const auto known = item_with(shared, "known");
    here.submit(worker, known);
    const auto answers =
        here.submit_all(worker, {item_of("a"), item_with(shared, "again"), item_of("b", "second")});
    CHECK(answers[0].verdict == submit_verdict::accepted);
    CHECK(answers[1].verdict == submit_verdict::duplicate);
    CHECK(answers[1].life == incarnation_of(known.body));
    CHECK(answers[2].verdict == submit_verdict::accepted);
    CHECK(here.queue_of(worker).ready == 2);
    CHECK(here.queue_of(worker, "second").ready == 1);
}
