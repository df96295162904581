// The ways to end without a worker, who is told, and what is kept for how long.
#include "support/store_fixture.hpp"

#include <catch2/generators/catch_generators.hpp>

using namespace errand;
using namespace errand::test;
using namespace std::chrono_literals;

namespace {

cancel_answer cancel(store_fixture& here, member& by, const task_id& id, duration retention = 1h) {
    return await(here.io, by->cancel(id, 0, outcome_of(state::cancelled, retention)));
}

promote_answer promote(store_fixture& here, member& by, duration retention = 1h) {
    const std::vector<std::string> queues{"default"};
    return await(here.io, by->promote(queues, 100, outcome_of(state::expired, retention)));
}

watch_answer watch(store_fixture& here, member& by, const task_id& id) {
    const std::vector tasks{watched_task{id}};
    return await(here.io, by->watch(tasks));
}

}  // namespace

TEST_CASE("a cancelled task is never handed out, wherever it waited") {
    store_fixture here;
    auto worker = here.join("w");
    const auto ready = item_of("ready");
    const auto urgent = item_of("urgent", "default", 4);
    auto delayed = item_of("delayed");
    delayed.delay = 1h;
    const auto stays = item_of("stays");
    here.submit_all(worker, {ready, urgent, delayed, stays});
    for (const auto& item : {ready, urgent, delayed}) {
        const auto answer = cancel(here, worker, item.id);
        CHECK(answer.known);
        CHECK(answer.cancelled);
        CHECK(here.state_of(worker, item.id) == state::cancelled);
    }
    CHECK(here.queue_of(worker).ready == 1);
    CHECK(here.queue_of(worker).delayed == 0);
    const auto got = here.claim(worker, 10);
    REQUIRE(got.claimed.size() == 1);
    CHECK(got.claimed[0].id == stays.id);
    CHECK(here.keeps("stale", 0));
    CHECK(here.queue_of(worker).ready == 0);
}

TEST_CASE("a claim looks past any number of void entries") {
    store_fixture here;
    auto worker = here.join("w");
    std::vector<submission_item> items;
    for (int i = 0; i < 300; ++i) items.push_back(item_of(std::to_string(i)));
    here.submit_all(worker, items);
    for (int i = 0; i < 299; ++i) cancel(here, worker, items[static_cast<std::size_t>(i)].id);
    work_answer got;
    for (int calls = 0; calls < 3 && got.claimed.empty(); ++calls) {
        got = here.claim(worker, 1);
        // Not found yet: then it says to look again at once.
        if (got.claimed.empty()) CHECK(got.next_due <= got.now);
    }
    REQUIRE(got.claimed.size() == 1);
    CHECK(args_of(got.claimed[0]) == "299");
}

TEST_CASE("a cancelled working task is lost to its worker, who is told") {
    store_fixture here;
    auto worker = here.join("w");
    auto other = here.join("o");
    const auto item = item_of("a");
    here.submit(worker, item);
    const auto got = here.claim(worker, 1).claimed.at(0);
    CHECK(cancel(here, other, item.id).cancelled);
    REQUIRE(here.until([&] { return !worker.ear->cancelled.empty(); }));
    CHECK(worker.ear->cancelled[0] == item.id);
    CHECK(here.finish(worker, {success_of(got)}) == std::vector{report_verdict::lease_lost});
    CHECK(here.state_of(worker, item.id) == state::cancelled);
}

TEST_CASE("cancel says what it found: unknown, ended before, cancelled before") {
    store_fixture here;
    auto worker = here.join("w");
    CHECK_FALSE(cancel(here, worker, new_task_id(1)).known);
    const auto item = item_of("a");
    here.submit(worker, item);
    here.finish(worker, {success_of(here.claim(worker, 1).claimed.at(0))});
    const auto late = cancel(here, worker, item.id);
    CHECK(late.known);
    CHECK_FALSE(late.cancelled);
    const auto other = item_of("b");
    here.submit(worker, other);
    CHECK(cancel(here, worker, other.id).cancelled);
    CHECK(cancel(here, worker, other.id).cancelled);
}

TEST_CASE("what is not started in time expires; what has started does not") {
    store_fixture here;
    auto worker = here.join("w");
    const auto expiring = [](const std::string& args, int priority = 0) {
        auto body = decode_body(item_of(args, "default", priority).body);
        body.expires_after = 20ms;
        auto item = item_of(args, "default", priority);
        item.body = encode(body);
        item.expires_after = 20ms;
        return item;
    };
    auto delayed = expiring("delayed");
    delayed.delay = 10ms;
    const auto started = expiring("started");
    const auto ready = expiring("ready");
    const auto urgent = expiring("urgent", 3);
    here.submit(worker, started);
    REQUIRE(here.claim(worker, 1).claimed.size() == 1);
    here.submit_all(worker, {ready, urgent, delayed, item_of("for ever")});
    std::size_t expired = 0;
    REQUIRE(here.until([&] { return (expired += promote(here, worker).expired) == 3; }));
    for (const auto& item : {ready, urgent, delayed}) CHECK(here.state_of(worker, item.id) == state::expired);
    CHECK(here.state_of(worker, started.id) == state::working);
    const auto got = here.claim(worker, 10);
    REQUIRE(got.claimed.size() == 1);
    CHECK(args_of(got.claimed[0]) == "for ever");
    CHECK(here.keeps("expiry:default", 0));
}

TEST_CASE("what expires is kept as long as its body says") {
    store_fixture here;
    auto worker = here.join("w");
    auto item = item_of("late");
    auto body = decode_body(item.body);
    body.biz_id = "late 1";
    body.timeout = 90s;
    body.max_retry = 1000;
    body.expires_after = 1ms;
    const duration retention = GENERATE(0ms, 300ms, duration{24h * 365});
    body.retention = retention;
    item.expires_after = body.expires_after;
    item.body = encode(body);
    here.submit(worker, item);
    REQUIRE(here.until([&] { return promote(here, worker).expired == 1; }));
    const auto found = await(here.io, worker->find(item.id));
    REQUIRE(found.has_value() == (retention != 0ms));
    if (found) CHECK(decode_outcome(found->outcome).retention == retention);
}

TEST_CASE(
    "a watcher hears of the end once, with life, time and outcome; several ends in one call come together") {
    store_fixture here;
    auto worker = here.join("w");
    auto waiter = here.join("waiter");
    const auto a = item_of("a");
    const auto b = item_of("b");
    here.submit_all(worker, {a, b});
    CHECK(watch(here, waiter, a.id).ended.empty());
    CHECK(watch(here, waiter, a.id).unknown.empty());
    watch(here, waiter, b.id);
    watch(here, worker, b.id);
    const auto got = here.claim(worker, 2).claimed;
    here.finish(worker, {success_of(got[0]), success_of(got[1], 0ms)});
    REQUIRE(here.until([&] { return waiter.ear->ended.size() == 2 && worker.ear->ended.size() == 1; }));
    CHECK(waiter.ear->ended[0].id == a.id);
    CHECK(waiter.ear->ended[0].life == incarnation_of(a.body));
    CHECK(decode_outcome(waiter.ear->ended[0].outcome).result == "42");
    CHECK(waiter.ear->ended[0].finished_at > time_point{1'700'000'000'000ms});
    CHECK(worker.ear->ended[0].id == b.id);
    CHECK(here.keeps("watched", 0));
    // Kept for those who come a little later, although it keeps no result.
    CHECK(watch(here, waiter, b.id).ended.size() == 1);
}

TEST_CASE("watching what has ended or is unknown is answered at once") {
    store_fixture here;
    auto worker = here.join("w");
    const auto item = item_of("a");
    here.submit(worker, item);
    cancel(here, worker, item.id);
    const auto nobody = new_task_id(1);
    const auto life = incarnation_of(item.body);
    const std::vector tasks{watched_task{nobody}, watched_task{item.id, life},
                            watched_task{item.id, life + 1}};
    const auto answer = await(here.io, worker->watch(tasks));
    REQUIRE(answer.replaced.size() == 1);
    CHECK(answer.replaced[0].life == life + 1);
    REQUIRE(answer.ended.size() == 1);
    CHECK(answer.ended[0].id == item.id);
    CHECK(answer.ended[0].life == incarnation_of(item.body));
    CHECK(decode_outcome(answer.ended[0].outcome).ended_as == state::cancelled);
    CHECK(answer.unknown == std::vector{nobody});
}

TEST_CASE("cancelling and expiring tell watchers too") {
    store_fixture here;
    auto worker = here.join("w");
    auto item = item_of("a");
    here.submit(worker, item);
    watch(here, worker, item.id);
    cancel(here, worker, item.id, 0ms);
    REQUIRE(here.until([&] { return worker.ear->ended.size() == 1; }));
    CHECK(decode_outcome(worker.ear->ended[0].outcome).ended_as == state::cancelled);
}

TEST_CASE("clean deletes what is past its retention, and nothing of a new life") {
    store_fixture here;
    auto worker = here.join("w");
    const auto brief = item_of("brief");
    const auto lasting = item_of("lasting");
    const auto cancelled = item_of("cancelled");
    const auto twice = item_of("twice");
    here.submit_all(worker, {brief, lasting, twice});
    const auto got = here.claim(worker, 3).claimed;
    here.finish(worker, {success_of(got[0], 30ms), success_of(got[1], 1h), success_of(got[2], 30ms)});
    here.submit(worker, cancelled);
    cancel(here, worker, cancelled.id, 30ms);
    const auto again = item_with(twice.id, "again");
    CHECK(here.submit(worker, again).verdict == submit_verdict::accepted);
    std::size_t deleted = 0;
    REQUIRE(here.until([&] { return (deleted += await(here.io, worker->clean(100))) == 2; }));
    CHECK_FALSE(await(here.io, worker->find(brief.id)));
    CHECK_FALSE(await(here.io, worker->find(cancelled.id)));
    CHECK(here.state_of(worker, lasting.id) == state::success);
    CHECK(here.state_of(worker, twice.id) == state::ready);
    CHECK(here.keeps("histories", 1));
    CHECK(here.keeps("tasks", 2));
}

TEST_CASE("unique_for goes on after the history was cleaned, without arguments and result") {
    store_fixture here;
    auto worker = here.join("w");
    const auto item = item_of(std::string(1000, 'x'));
    here.submit(worker, item);
    here.finish(worker, {success_of(here.claim(worker, 1).claimed.at(0), 10ms, 1h)});
    REQUIRE(here.until([&] { return await(here.io, worker->clean(100)) == 1; }));
    const auto left = await(here.io, worker->find(item.id));
    REQUIRE(left);
    CHECK(left->where == state::success);
    CHECK(left->body.size() < 60);
    CHECK(decode_body(left->body).handler == "test");
    CHECK(here.submit(worker, item_with(item.id, "again")).verdict == submit_verdict::duplicate);
}

TEST_CASE("an expiry of an earlier life does not end a later one") {
    store_fixture here;
    auto worker = here.join("w");
    auto body = decode_body(item_of("a").body);
    body.expires_after = 20ms;
    auto item = item_of("a");
    item.body = encode(body);
    item.expires_after = 20ms;
    here.submit(worker, item);
    cancel(here, worker, item.id);
    here.submit(worker, item_with(item.id, "again"));
    REQUIRE(here.until([&] {
        CHECK(promote(here, worker).expired == 0);
        return here.keeps("expiry:default", 0);
    }));
    CHECK(here.state_of(worker, item.id) == state::ready);
}

TEST_CASE("what only workers claimed that do not know its handler expires all the same") {
    store_fixture here;
    auto worker = here.join("w");
    std::vector<task_id> late;
    for (const auto priority : {0, 3}) {
        auto item = item_of("late", "default", priority);
        auto body = decode_body(item.body);
        body.expires_after = item.expires_after = 20ms;
        item.body = encode(body);
        here.submit(worker, item);
        late.push_back(item.id);
    }
    task_notes notes;
    notes.unknown_handler = 1;
    notes.snoozed = true;
    for (const auto& task : here.claim(worker, 2).claimed) {
        auto put_off = report_of(task, report::kind::later, 1h, 0);
        put_off.record = encode(notes);
        here.finish(worker, {put_off});
    }
    std::size_t expired = 0;
    CHECK(here.until([&] { return (expired += promote(here, worker).expired) == 2; }));
    for (const auto& id : late) CHECK(here.state_of(worker, id) == state::expired);
    CHECK(here.queue_of(worker).delayed == 0);
}
