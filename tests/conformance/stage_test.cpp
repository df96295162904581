// Results of stages: fenced, kept once, gone with their task and with its life.
#include "support/stage_fixture.hpp"

using namespace errand;
using namespace errand::test;
using namespace std::chrono_literals;

namespace {

bool none_kept(const store_fixture& here) { return here.keeps("stages", 0); }

submission_item next_life(const submission_item& of, on_conflict conflict = on_conflict::keep) {
    return item_with(of.id, "again", conflict);
}

}  // namespace

TEST_CASE("stages are kept in their order and seen by the next attempt and by whoever looks") {
    store_fixture here;
    auto worker = here.join("w");
    const auto item = item_of("x");
    const auto task = with_stages(here, worker, item);
    here.finish(worker, {report_of(task, report::kind::give_back)});
    const auto found = await(here.io, worker->find(item.id));
    CHECK(decode_stages(found->stages, incarnation_of(item.body)).size() == 2);
    const auto next = here.claim(worker, 1).claimed.at(0);
    CHECK(stages_of(here, worker, next) == std::vector<std::string>{"a", "b"});
    here.finish(worker, {success_of(next)});
    CHECK(decode_stages(await(here.io, worker->find(item.id))->stages, incarnation_of(item.body))
              .at(1)
              .result == "7");
}

TEST_CASE("only the claim that holds a task keeps and reads its stages") {
    store_fixture here;
    auto worker = here.join("w");
    auto task = with_stages(here, worker, item_of("x"));
    ++task.claim;
    CHECK(keep(here, worker, task, record_of("c")) == report_verdict::lease_lost);
    CHECK(await(here.io, worker->stages(task.id, task.claim)).verdict == report_verdict::lease_lost);
    --task.claim;
    CHECK(stages_of(here, worker, task).size() == 2);
    here.finish(worker, {success_of(task)});
    CHECK(keep(here, worker, task, record_of("c")) == report_verdict::lease_lost);
}

TEST_CASE("a second stage of a name changes nothing") {
    store_fixture here;
    auto worker = here.join("w");
    const auto task = with_stages(here, worker, item_of("x"));
    CHECK(keep(here, worker, task, record_of("c", "first")) == report_verdict::accepted);
    CHECK(keep(here, worker, task, record_of("c", "second")) == report_verdict::accepted);
    const auto got = await(here.io, worker->stages(task.id, task.claim));
    const auto all = decode_stages(got.records, incarnation_of(task.body));
    REQUIRE(all.size() == 3);
    CHECK(all[2].result == "first");
}

TEST_CASE("a task that is started anew has no stages") {
    store_fixture here;
    auto worker = here.join("w");
    const auto item = item_of("x");
    here.finish(worker, {success_of(with_stages(here, worker, item))});
    CHECK(here.keeps("stages", 1));
    CHECK(here.submit(worker, next_life(item)).verdict == submit_verdict::accepted);
    CHECK(none_kept(here));
    CHECK(stages_of(here, worker, here.claim(worker, 1).claimed.at(0)).empty());
}

TEST_CASE("stages go with the task when it is cleaned") {
    store_fixture here;
    auto worker = here.join("w");
    const auto kept = item_of("kept");
    const auto other = with_stages(here, worker, kept);
    here.finish(worker, {success_of(with_stages(here, worker, item_of("a")), 1ms),
                         success_of(with_stages(here, worker, item_of("b")), 1ms, 1h)});
    CHECK(here.keeps("stages", 3));
    std::size_t cleaned = 0;
    REQUIRE(here.until([&] { return (cleaned += await(here.io, worker->clean(10))) == 2; }));
    CHECK(here.keeps("stages", 1));
    CHECK(stages_of(here, worker, other).size() == 2);
}

TEST_CASE("stages of a task of which nothing is kept go at its end") {
    store_fixture here;
    auto worker = here.join("w");
    here.finish(worker, {success_of(with_stages(here, worker, item_of("a")), 0ms)});
    CHECK(none_kept(here));
    // Its id goes on refusing duplicates.
    here.finish(worker, {success_of(with_stages(here, worker, item_of("b")), 0ms, 1h)});
    CHECK(none_kept(here));
    const auto task = with_stages(here, worker, item_of("c"));
    await(here.io, worker->cancel(task.id, 0, outcome_of(state::cancelled, 0ms)));
    CHECK(none_kept(here));
}

TEST_CASE(
    "a child of a stage is taken up while it goes on and while its success is kept, else started anew") {
    store_fixture here;
    auto worker = here.join("w");
    const auto item = item_with(new_task_id(1), "x", on_conflict::adopt);
    const auto life = incarnation_of(item.body);
    const auto adopt = [&] { return here.submit(worker, next_life(item, on_conflict::adopt)); };
    CHECK(here.submit(worker, item).verdict == submit_verdict::accepted);
    CHECK(adopt().verdict == submit_verdict::duplicate);
    here.finish(worker, {success_of(here.claim(worker, 1).claimed.at(0), 1h)});
    const auto ended = adopt();
    CHECK(ended.verdict == submit_verdict::duplicate);
    CHECK(ended.life == life);
    // Any other submission starts it anew: as a success it has no unique_for.
    CHECK(here.submit(worker, next_life(item)).verdict == submit_verdict::accepted);
    await(here.io, worker->cancel(item.id, 0, outcome_of(state::cancelled)));
    CHECK(adopt().verdict == submit_verdict::accepted);
    here.finish(worker, {success_of(here.claim(worker, 2).claimed.at(0), 1ms)});
    const auto end = worker->now() + 5ms;
    REQUIRE(here.until([&] { return worker->now() > end; }));
    CHECK(adopt().verdict == submit_verdict::accepted);
    const auto twice = next_life(item, on_conflict::adopt);
    CHECK(here.submit_all(worker, {twice, twice}).at(1).verdict == submit_verdict::duplicate);
}
