// What schedules hear of the ends of their runs.
#include "support/schedule_fixture.hpp"

#include <catch2/catch_test_macros.hpp>

using namespace errand;
using namespace errand::test;
using namespace std::chrono_literals;

TEST_CASE("a schedule hears of the end of a run when the worker says so") {
    schedule_fixture t;
    t.declare("k");
    t.begin("k", 1);
    t.finish_all(true);
    CHECK(t.told_of_runs() == t.only("k", 1));
    // Whatever its body says, it is the worker's to decide.
    t.begin("k", 2, true);
    t.finish_all(false);
    CHECK(t.told_of_runs().empty());
}

TEST_CASE("a task that is no run tells no schedule") {
    schedule_fixture t;
    t.submit_ready();
    t.finish_all(true);
    CHECK(t.told_of_runs().empty());
    await(t.io, t.worker->cancel(t.submit_ready(), 0, outcome_of(state::cancelled)));
    CHECK(t.told_of_runs().empty());
    CHECK(t.keeps("outbox", 0));
}

TEST_CASE("an attempt that failed is no end of a run") {
    schedule_fixture t;
    t.begin("k", 1, true);
    auto failed = report_of(t.claim(t.worker, 1).claimed.at(0), report::kind::retry, 1h);
    t.finish(t.worker, {failed});
    CHECK(t.told_of_runs().empty());
}

TEST_CASE("a schedule hears of the end of a run that was cancelled, when it wants to") {
    schedule_fixture t;
    const auto cancel = [&](const task_id& id) {
        CHECK(await(t.io, t.worker->cancel(id, 0, outcome_of(state::cancelled))).cancelled);
    };
    cancel(t.begin("k", 1, false));
    CHECK(t.told_of_runs().empty());
    cancel(t.begin("k", 2, true));
    CHECK(t.told_of_runs() == t.only("k", 2));
    // Also while it works; the worker's report comes too late then.
    const auto working = t.begin("k", 3, true);
    auto over = success_of(t.claim(t.worker, 1).claimed.at(0));
    over.tells_schedule = true;
    cancel(working);
    CHECK(t.told_of_runs() == t.only("k", 3));
    CHECK(t.finish(t.worker, {over}) == std::vector{report_verdict::lease_lost});
    CHECK(t.told_of_runs().empty());
}

TEST_CASE("a run with many arguments tells of its end like any other") {
    schedule_fixture t;
    auto item = t.run_of("k", 1, true, '"' + std::string(3000, 'x') + '"');
    t.submit(t.worker, item);
    await(t.io, t.worker->cancel(item.id, 0, outcome_of(state::cancelled)));
    CHECK(t.told_of_runs() == t.only("k", 1));
    t.submit(t.worker, t.run_of("k", 2, false, item.body));
    t.finish_all(true);
    CHECK(t.told_of_runs() == t.only("k", 2));
}

TEST_CASE("a schedule hears of the end of a run that expired, when it wants to") {
    schedule_fixture t;
    auto quiet = t.run_of("k", 1), told = t.run_of("k", 2, true);
    t.let_expire(quiet);
    t.let_expire(told);
    t.submit_all(t.worker, {quiet, told});
    std::size_t expired = 0;
    const std::vector<std::string> queues{"default"};
    REQUIRE(t.until([&] {
        expired += await(t.io, t.worker->promote(queues, 10, outcome_of(state::expired))).expired;
        return expired == 2;
    }));
    CHECK(t.told_of_runs() == t.only("k", 2));
}

TEST_CASE("a schedule hears of the end of a run that was removed, when it wants to") {
    schedule_fixture t;
    const auto remove = [&](const task_id& id) {
        CHECK(await(t.io, t.worker->remove(id, outcome_of(state::cancelled))) == remove_verdict::removed);
        CHECK_FALSE(await(t.io, t.worker->find(id)));
    };
    remove(t.begin("k", 1, false));
    CHECK(t.told_of_runs().empty());
    const auto told = t.begin("k", 2, true);
    remove(told);
    CHECK(t.told_of_runs() == t.only("k", 2));
    // One that has ended tells nothing a second time.
    const auto ended = t.begin("k", 3, true);
    t.finish_all(false);
    remove(ended);
    CHECK(t.told_of_runs().empty());
}

TEST_CASE("a run of which nothing is to be kept is there for its schedule, and else it is not") {
    schedule_fixture t;
    const auto told = t.begin("k", 1);
    t.finish_all(true, 0ms);
    CHECK(t.state_of(t.worker, told) == state::success);
    const auto quiet = t.begin("k", 2);
    t.finish_all(false, 0ms);
    CHECK_FALSE(await(t.io, t.worker->find(quiet)));
    const auto cancelled = t.begin("k", 3, true);
    await(t.io, t.worker->cancel(cancelled, 0, outcome_of(state::cancelled, 0ms)));
    CHECK(t.state_of(t.worker, cancelled) == state::cancelled);
    // Not only until somebody cleans up.
    await(t.io, t.worker->clean(100));
    CHECK(t.state_of(t.worker, told) == state::success);
    CHECK(t.state_of(t.worker, cancelled) == state::cancelled);
}

TEST_CASE("news of a run come again until a step has heard them") {
    schedule_fixture t;
    t.declare("k");
    t.begin("k", 1);
    t.finish_all(true);
    const auto taken = t.news_of(t.worker, 1ms);
    REQUIRE(taken.entries.size() == 1);
    schedule_fixture::told again;
    CHECK(t.until([&] { return !(again = t.told_of_runs()).empty(); }));
    CHECK(again == t.only("k", 1));
    CHECK(t.told_of_runs().empty());
    // Nobody else strikes them off.
    const auto& one = taken.entries[0];
    const delivery struck{
        .about = one.about, .what = one.what, .token = one.token, .last = true, .done = one.heirs};
    await(t.io, t.worker->delivered({&struck, 1}));
    auto step = t.step_to("k", 1, 2);
    step.heard = {t.run_id("k", 1)};
    CHECK(t.make(step) == step_verdict::done);
    CHECK(t.keeps("outbox", 0));
    CHECK_FALSE(t.news_of(t.worker).next);
    step = t.step_to("k", 2, 3);
    step.heard = {t.run_id("k", 1)};
    CHECK(t.make(step) == step_verdict::stale);
    CHECK(t.stamp_of("k") == 2);
}

TEST_CASE("a step that hears of one run too many is not made, and strikes nothing off") {
    schedule_fixture t;
    t.declare("k");
    t.declare("other");
    t.begin("k", 1);
    t.begin("other", 2);
    t.finish_all(true);
    auto step = t.step_to("k", 1, 2);
    step.heard = {t.run_id("k", 1), t.run_id("k", 9)};
    CHECK(t.make(step) == step_verdict::stale);
    // That is another schedule's to hear.
    step.heard = {t.run_id("k", 1), t.run_id("other", 2)};
    CHECK(t.make(step) == step_verdict::stale);
    CHECK(t.told_of_runs().size() == 2);
    step.heard = {t.run_id("k", 1)};
    CHECK(t.make(step) == step_verdict::done);
}

TEST_CASE("news for a schedule that is not kept are struck off by a step that writes nothing") {
    schedule_fixture t;
    t.begin("k", 1);
    t.begin("k", 2);
    t.finish_all(true);
    CHECK(t.told_of_runs().size() == 2);
    auto step = t.step_to("k", 0, 0);
    step.heard = {t.run_id("k", 1), t.run_id("k", 2)};
    CHECK(t.make(step) == step_verdict::done);
    CHECK(t.stamp_of("k") == 0);
    CHECK(t.keeps("outbox", 0));
    // Where one is kept, that is not the way.
    t.declare("k");
    t.begin("k", 3);
    t.finish_all(true);
    step.heard = {t.run_id("k", 3)};
    CHECK(t.make(step) == step_verdict::stale);
}

TEST_CASE("a run that was revived tells of its second end as well") {
    schedule_fixture t;
    t.declare("k");
    const auto id = t.begin("k", 1, true);
    await(t.io, t.worker->cancel(id, 0, outcome_of(state::cancelled)));
    auto step = t.step_to("k", 1, 2);
    step.heard = {id};
    CHECK(t.make(step) == step_verdict::done);
    const auto found = await(t.io, t.worker->find(id));
    REQUIRE(found);
    const auto life = decode_body(found->body).life;
    CHECK(await(t.io, t.worker->revive(id, life, *found->finished_at, encode(task_notes{}))));
    t.finish_all(true);
    CHECK(t.told_of_runs() == t.only("k", 1));
}

TEST_CASE("an idle resolver is woken by the end of a run") {
    schedule_fixture t;
    auto idle = t.join("idle");
    t.begin("k", 1);
    CHECK(t.news_of(idle).entries.empty());
    t.finish_all(true);
    CHECK(t.until([&] { return idle.ear->news == 1; }));
}

TEST_CASE("a check-up finds nothing wrong with schedules, their runs and their news") {
    schedule_fixture t;
    const auto now = t.due(t.worker).now;
    auto step = t.step_to("k", 0, 1, now - 1s);
    step.record = t.record_with(1, t.run_id("k", 1));
    for (int tick = 1; tick <= 5; ++tick) step.runs.push_back(t.run_of("k", tick, true));
    CHECK(t.make(step) == step_verdict::done);
    auto over = success_of(t.claim(t.worker, 1).claimed.at(0), 0ms);
    over.tells_schedule = true;
    t.finish(t.worker, {over});
    CHECK(t.claim(t.worker, 1).claimed.size() == 1);
    await(t.io, t.worker->cancel(t.run_id("k", 4), 0, outcome_of(state::cancelled)));
    await(t.io, t.worker->remove(t.run_id("k", 5), outcome_of(state::cancelled)));
    CHECK(t.check().empty());
    CHECK(t.check(true).empty());
    CHECK(t.told_of_runs().size() == 3);
    CHECK(t.due(t.worker).schedules.size() == 1);
}
