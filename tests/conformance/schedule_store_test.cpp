// Schedules at the store's seam: steps by compare-and-set, the runs they make, and which schedules are due.
#include "support/schedule_fixture.hpp"

#include <catch2/catch_test_macros.hpp>

#include <algorithm>

using namespace errand;
using namespace errand::test;
using namespace std::chrono_literals;

TEST_CASE("a schedule is changed by who has seen it as it is, and by nobody else") {
    schedule_fixture t;
    CHECK(t.make(t.step_to("k", 7, 8)) == step_verdict::stale);
    CHECK(t.stamp_of("k") == 0);
    CHECK(t.make(t.step_to("k", 0, 1)) == step_verdict::done);
    CHECK(t.make(t.step_to("k", 0, 2)) == step_verdict::stale);
    CHECK(t.make(t.step_to("k", 1, 3)) == step_verdict::done);
    auto late = t.step_to("k", 1, 4);
    late.runs = {t.run_of("k", 1)};
    CHECK(t.make(late) == step_verdict::stale);
    CHECK_FALSE(await(t.io, t.worker->find(late.runs[0].id)));
    CHECK(t.kept("k").record == t.record_with(3));
    CHECK(t.make(t.step_to("k", 1, 0)) == step_verdict::stale);
    CHECK(t.make(t.step_to("k", 3, 0)) == step_verdict::done);
    CHECK(t.stamp_of("k") == 0);
    CHECK(t.keeps("schedules", 0));
}

TEST_CASE("the first bytes of a stamp count as much as the last ones") {
    schedule_fixture t;
    const auto large = std::uint64_t{0xF123'4567'89AB'CDEF};
    CHECK(t.make(t.step_to("k", 0, large)) == step_verdict::done);
    CHECK(t.make(t.step_to("k", large - (std::uint64_t{1} << 60), 1)) == step_verdict::stale);
    CHECK(t.make(t.step_to("k", large - 1, 1)) == step_verdict::stale);
    CHECK(t.make(t.step_to("k", large, 1)) == step_verdict::done);
}

TEST_CASE("a step that comes again is answered as the first time, and changes nothing") {
    schedule_fixture t;
    t.begin("k", 1);
    t.finish_all(true);
    auto step = t.step_to("k", 0, 1);
    step.runs = {t.run_of("k", 2)};
    step.heard = {t.run_id("k", 1)};
    CHECK(t.make(step) == step_verdict::done);
    CHECK(await(t.io, t.worker->remove(step.runs[0].id, outcome_of(state::cancelled))) ==
          remove_verdict::removed);
    CHECK(t.make(step) == step_verdict::done);
    CHECK_FALSE(await(t.io, t.worker->find(step.runs[0].id)));
    auto end = t.step_to("k", 1, 0);
    end.runs = {t.run_of("k", 3)};
    CHECK(t.make(end) == step_verdict::done);
    CHECK(t.claim(t.worker, 5).claimed.size() == 1);
    CHECK(t.make(end) == step_verdict::done);
    CHECK(t.claim(t.worker, 5).claimed.empty());
}

TEST_CASE("steps of one call are made or not each by itself") {
    schedule_fixture t;
    t.declare("one");
    t.declare("two");
    const auto got = t.make_all({t.step_to("one", 1, 5), t.step_to("two", 9, 5), t.step_to("three", 0, 5)});
    CHECK(got == std::vector{step_verdict::done, step_verdict::stale, step_verdict::done});
    CHECK(t.stamp_of("one") == 5);
    CHECK(t.stamp_of("two") == 1);
    CHECK(t.stamp_of("three") == 5);
}

TEST_CASE("a step makes runs, each in its queue, with its priority and at its time") {
    schedule_fixture t;
    auto step = t.step_to("k", 0, 1);
    auto usual = t.run_of("k", 1), urgent = t.run_of("k", 2), later = t.run_of("k", 3),
         elsewhere = t.run_of("k", 4);
    urgent.priority = 5;
    later.at = t.worker->now() + 1h;
    elsewhere.queue = "other";
    step.runs = {usual, urgent, later, elsewhere};
    CHECK(t.make(step) == step_verdict::done);
    const auto got = t.claim(t.worker, 5).claimed;
    REQUIRE(got.size() == 2);
    CHECK(got[0].id == urgent.id);
    CHECK(got[1].id == usual.id);
    CHECK(got[1].body == usual.body);
    const auto waits = await(t.io, t.worker->find(later.id));
    REQUIRE(waits);
    CHECK(waits->where == state::delayed);
    CHECK(waits->due_at == later.at);
    CHECK(t.claim(t.worker, 5, {"other"}).claimed.size() == 1);
}

TEST_CASE("a run that a step makes expires when it was not started in time") {
    schedule_fixture t;
    auto step = t.step_to("k", 0, 1);
    step.runs = {t.run_of("k", 1)};
    t.let_expire(step.runs[0]);
    CHECK(t.make(step) == step_verdict::done);
    const std::vector<std::string> queues{"default"};
    CHECK(t.until([&] {
        return await(t.io, t.worker->promote(queues, 10, outcome_of(state::expired))).expired == 1;
    }));
}

TEST_CASE("an idle worker is woken for the run of a step") {
    schedule_fixture t;
    auto idle = t.join("idle");
    CHECK(t.claim(idle, 1).claimed.empty());
    auto step = t.step_to("k", 0, 1);
    step.runs = {t.run_of("k", 1)};
    CHECK(t.make(step) == step_verdict::done);
    CHECK(t.until([&] { return idle.ear->wakes == 1; }));
}

TEST_CASE("a run whose id is held is left as it is, also when it has ended") {
    schedule_fixture t;
    const auto held = [&](int tick) {
        auto item = t.run_of("k", tick);
        t.submit(t.worker, item);
        return item;
    };
    std::vector<submission_item> all;
    const auto hold = [&](int tick) -> task_id {
        all.push_back(held(tick));
        return all.back().id;
    };
    hold(1);
    t.finish_all(false);
    await(t.io, t.worker->cancel(hold(2), 0, outcome_of(state::cancelled)));
    hold(3);
    REQUIRE(t.claim(t.worker, 1).claimed.size() == 1);
    hold(4);
    auto later = t.run_of("k", 5);
    later.delay = 1h;
    t.submit(t.worker, later);
    all.push_back(later);
    const std::vector<state> before{state::success, state::cancelled, state::working, state::ready,
                                    state::delayed};
    auto step = t.step_to("k", 0, 1);
    for (int tick = 1; tick <= 5; ++tick) step.runs.push_back(t.run_of("k", tick, false, "[\"other\"]"));
    CHECK(t.make(step) == step_verdict::done);
    // And by who submits them only where nothing is.
    for (auto again : step.runs) {
        again.conflict = on_conflict::where_free;
        CHECK(t.submit(t.worker, again).verdict == submit_verdict::duplicate);
    }
    auto fresh = t.run_of("k", 6);
    fresh.conflict = on_conflict::where_free;
    fresh.at = t.worker->now() + 1h;
    CHECK(t.submit(t.worker, fresh).verdict == submit_verdict::accepted);
    for (std::size_t at = 0; at < all.size(); ++at) {
        const auto found = await(t.io, t.worker->find(all[at].id));
        REQUIRE(found);
        CHECK(found->where == before[at]);
        CHECK(found->body == all[at].body);
    }
    CHECK(t.claim(t.worker, 5).claimed.size() == 1);
}

TEST_CASE("what is left of a success holds the id of a run, and says nothing of how that stands") {
    schedule_fixture t;
    auto item = t.run_of("k", 1);
    auto body = decode_body(item.body);
    body.biz_id = "once";
    item.body = encode(body);
    t.submit(t.worker, item);
    t.finish(t.worker, {success_of(t.claim(t.worker, 1).claimed.at(0), 0ms, 1h)});
    auto step = t.step_to("k", 0, 1);
    step.record = t.record_with(1, item.id);
    step.runs = {t.run_of("k", 1)};
    CHECK(t.make(step) == step_verdict::done);
    CHECK(t.claim(t.worker, 1).claimed.empty());
    CHECK(t.kept("k").last_run.how == run_standing::unknown);
}

TEST_CASE("schedules whose time has come are given, the earliest first") {
    schedule_fixture t;
    const auto now = t.due(t.worker).now;
    t.declare("second", now - 2s);
    t.declare("never");
    t.declare("first", now - 5s);
    t.declare("later", now + 1h);
    t.declare("third", now - 1s);
    t.declare("latest", now + 2h);
    const auto got = t.due(t.worker);
    REQUIRE(got.schedules.size() == 3);
    CHECK(got.schedules[0].id == t.schedule_called("first"));
    CHECK(got.schedules[1].id == t.schedule_called("second"));
    CHECK(got.schedules[2].id == t.schedule_called("third"));
    CHECK(got.schedules[0].record == t.record_with(1));
    CHECK(got.next == now + 1h);
    CHECK(got.now >= now);
    const auto less = t.due(t.worker, 2);
    REQUIRE(less.schedules.size() == 2);
    CHECK(less.schedules[1].id == t.schedule_called("second"));
    // Another time, none, and gone.
    t.make_all({t.step_to("first", 1, 2, now + 3h), t.step_to("second", 1, 2), t.step_to("later", 1, 0)});
    const auto after = t.due(t.worker);
    REQUIRE(after.schedules.size() == 1);
    CHECK(after.schedules[0].id == t.schedule_called("third"));
    CHECK(after.next == now + 2h);
    t.make_all({t.step_to("third", 1, 0), t.step_to("latest", 1, 2), t.step_to("first", 2, 0)});
    CHECK(t.due(t.worker).schedules.empty());
    CHECK_FALSE(t.due(t.worker).next);
}

TEST_CASE("a schedule comes with how its last run stands") {
    schedule_fixture t;
    const auto now = t.due(t.worker).now;
    const auto with_run = [&](std::uint64_t stamp, int tick) {
        auto step = t.step_to("k", stamp - 1, stamp, now - 1s);
        step.record = t.record_with(stamp, t.run_id("k", tick));
        return step;
    };
    t.declare("k", now - 1s);
    CHECK(t.kept("k").last_run.how == run_standing::unknown);
    CHECK(t.make(with_run(2, 1)) == step_verdict::done);
    CHECK(t.kept("k").last_run.how == run_standing::unknown);
    t.begin("k", 1);
    CHECK(t.kept("k").last_run.how == run_standing::open);
    const auto task = t.claim(t.worker, 1).claimed.at(0);
    CHECK(t.due(t.worker).schedules.at(0).last_run.how == run_standing::open);
    t.finish(t.worker, {report_of(task, report::kind::retry, 1h)});
    CHECK(t.kept("k").last_run.how == run_standing::open);
    await(t.io, t.worker->cancel(task.id, 0, outcome_of(state::cancelled)));
    const auto ended = t.due(t.worker).schedules.at(0).last_run;
    CHECK(ended.how == run_standing::ended);
    CHECK(ended.finished_at == await(t.io, t.worker->find(task.id))->finished_at);
    CHECK(t.kept("k").last_run.finished_at == ended.finished_at);
}

TEST_CASE("schedules are found by their ids, in the order asked for") {
    schedule_fixture t;
    t.declare("a");
    t.declare("b");
    const std::vector ids{t.schedule_called("b"), t.schedule_called("nobody"), t.schedule_called("a")};
    const auto got = await(t.io, t.worker->find_schedules(ids));
    REQUIRE(got.schedules.size() == 3);
    for (std::size_t at = 0; at < 3; ++at) CHECK(got.schedules[at].id == ids[at]);
    CHECK(got.schedules[0].record == t.record_with(1));
    CHECK(got.schedules[1].record.empty());
    CHECK(got.schedules[1].last_run.how == run_standing::unknown);
    CHECK(got.schedules[2].record == t.record_with(1));
    CHECK(got.now > time_point{});
}

TEST_CASE("a page of large schedules may end early, and the next one goes on behind it") {
    schedule_fixture t;
    std::vector<std::string> wanted;
    for (int i = 0; i < 24; ++i) {
        const auto key = std::to_string(i);
        auto step = t.step_to(key, 0, 1);
        schedule_record record;
        record.stamp = 1;
        record.identity = "h";
        // One in three: so that of several shards the pages end at different places.
        if (i % 3 == 0) record.run.args = "[\"" + std::string(200'000, 'x') + "\"]";
        step.record = encode(record);
        REQUIRE(t.make(step) == step_verdict::done);
        wanted.push_back(t.name_of(key));
    }
    std::ranges::sort(wanted);
    std::vector<std::string> names;
    for (bool more = true; more;) {
        const auto page = await(t.io, t.worker->list_schedules(names.empty() ? "" : names.back(), 100));
        REQUIRE_FALSE(page.names.empty());
        names.insert(names.end(), page.names.begin(), page.names.end());
        more = page.more;
    }
    CHECK(names == wanted);
}

TEST_CASE("schedules are listed by the bytes of their names, in pages") {
    schedule_fixture t;
    // As bytes, not as characters of a signed kind or of a language.
    for (const auto* key : {"b", "\xff", "B", "a", "\xc3\xa4", "ab"}) t.declare(key);
    std::vector<std::string> names;
    schedule_list page;
    do {
        page = await(t.io, t.worker->list_schedules(page.names.empty() ? "" : page.names.back(), 4));
        REQUIRE(page.schedules.size() == page.names.size());
        for (std::size_t at = 0; at < page.names.size(); ++at) {
            CHECK(page.schedules[at].record == t.record_with(1));
            names.push_back(page.names[at]);
        }
    } while (page.more);
    std::vector<std::string> wanted;
    for (const auto* key : {"B", "a", "ab", "b", "\xc3\xa4", "\xff"}) wanted.push_back(t.name_of(key));
    CHECK(names == wanted);
    t.make(t.step_to("ab", 1, 0));
    page = await(t.io, t.worker->list_schedules(t.name_of("a"), 1));
    CHECK(page.names == std::vector{t.name_of("b")});
    CHECK(page.schedules.at(0).id == t.schedule_called("b"));
    CHECK(page.more);
    page = await(t.io, t.worker->list_schedules(t.name_of("a"), 3));
    CHECK_FALSE(page.more);
    CHECK(await(t.io, t.worker->list_schedules(t.name_of("\xff"), 3)).names.empty());
}

TEST_CASE("who sleeps longer than until a schedule's time hears that it has changed") {
    schedule_fixture t;
    auto sleeper = t.join("sleeper");
    const auto now = t.due(sleeper).now;
    t.declare("k", now + 2h);
    CHECK(t.until([&] { return sleeper.ear->schedules == 1; }));
    CHECK(t.due(sleeper).next == now + 2h);
    // Later, never, or not at all: of no concern to it.
    t.declare("other", now + 4h);
    t.declare("paused");
    CHECK(t.make(t.step_to("other", 7, 8, now + 1h)) == step_verdict::stale);
    await(t.io, sleeper->find(t.schedule_called("k")));
    CHECK(sleeper.ear->schedules == 1);
    CHECK(t.make(t.step_to("other", 1, 2, now + 1h)) == step_verdict::done);
    CHECK(t.until([&] { return sleeper.ear->schedules == 2; }));
    CHECK(t.due(sleeper).next == now + 1h);
}

TEST_CASE("of two workers one looks at a schedule exactly when it is due, the other a few seconds later") {
    schedule_fixture t;
    auto other = t.join("other");
    for (auto* one : {&t.worker, &other}) await(t.io, (*one)->beat("{}", 60s, {}));
    const auto at = t.due(t.worker).now + 1h;
    t.declare("k", at);
    CHECK(t.due(t.worker).next == at);
    const auto backup = t.due(other).next;
    REQUIRE(backup);
    CHECK(*backup > at);
    CHECK(*backup < at + 1min);
    CHECK(t.due(t.worker).next == at);
    // That is the other's part when the first one leaves.
    await(t.io, t.worker->leave({}));
    CHECK(t.due(other).next == at);
}
