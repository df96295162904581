// What comes from a database's outbox may come again, days later and from another process: it is one submission.
#include "support/store_fixture.hpp"

#include <catch2/generators/catch_generators.hpp>

using namespace errand;
using namespace errand::test;
using namespace std::chrono_literals;

namespace {

submission_item may_come_again(submission_item one) {
    one.may_come_again = true;
    return one;
}

}  // namespace

TEST_CASE("a submission that may come again is a duplicate of itself, whatever has become of its task") {
    store_fixture here;
    auto worker = here.join("w");
    const auto kept_for = GENERATE(duration{0}, duration{1h});
    const auto item = may_come_again(item_of("once"));
    const auto life = incarnation_of(item.body);
    CHECK(here.submit(worker, item).verdict == submit_verdict::accepted);
    CHECK(here.submit(worker, item).verdict == submit_verdict::duplicate);
    const auto got = here.claim(worker, 10);
    REQUIRE(got.claimed.size() == 1);
    CHECK(here.submit(worker, item).verdict == submit_verdict::duplicate);
    here.finish(worker, {success_of(got.claimed.front(), kept_for)});
    const auto again = here.submit(worker, item);
    CHECK(again.verdict == submit_verdict::duplicate);
    CHECK(again.life == life);
    // Also in a batch that is looked at as a whole.
    const auto batch = here.submit_all(worker, {item, may_come_again(item_of("other", "default", 3))});
    CHECK(batch.at(0).verdict == submit_verdict::duplicate);
    CHECK(batch.at(1).verdict == submit_verdict::accepted);
    CHECK(here.claim(worker, 10).claimed.size() == 1);
}

TEST_CASE("what was answered first is answered again, although the id is free by then") {
    store_fixture here;
    auto worker = here.join("w");
    const auto id = derive_task_id("test", "order 7");
    here.submit(worker, item_with(id, "holder"));
    const auto late = may_come_again(item_with(id, "late"));
    CHECK(here.submit(worker, late).verdict == submit_verdict::duplicate);
    const auto got = here.claim(worker, 10);
    here.finish(worker, {success_of(got.claimed.at(0), 0ms)});
    CHECK(here.submit(worker, late).verdict == submit_verdict::duplicate);
    CHECK(here.claim(worker, 10).claimed.empty());
    // Another submission of the same id is not meant.
    CHECK(here.submit(worker, may_come_again(item_with(id, "next"))).verdict == submit_verdict::accepted);
}

TEST_CASE("forget lets go of what does not come again") {
    store_fixture here;
    auto worker = here.join("w");
    const auto item = may_come_again(item_of("once"));
    const std::vector<delivered_task> all{{item.id, incarnation_of(item.body)}};
    here.submit(worker, item);
    const auto got = here.claim(worker, 10);
    here.finish(worker, {success_of(got.claimed.at(0), 0ms)});
    const auto before = worker->now();
    await(here.io, worker->forget(all));
    await(here.io, worker->forget(all));
    // Nor of what the time is.
    CHECK(worker->now() > before - 1min);
    CHECK(here.submit(worker, item).verdict == submit_verdict::accepted);
}

TEST_CASE("tasks that wait for others may come again as well, and cleaning lets the memory of them stand") {
    store_fixture here;
    auto worker = here.join("w");
    const auto parent = item_of("parent");
    auto child = item_of("child");
    auto body = decode_body(child.body);
    body.after = {parent.id};
    child.body = encode(body);
    child.after = {{parent.id}};
    child = may_come_again(child);
    if (worker->shards() > 1) return;
    CHECK(here.submit(worker, child).verdict == submit_verdict::accepted);
    CHECK(here.submit(worker, child).verdict == submit_verdict::duplicate);
    await(here.io, worker->clean(100));
    CHECK(here.submit(worker, child).verdict == submit_verdict::duplicate);
    CHECK(here.state_of(worker, child.id) == state::waiting);
}
