// One of several servers is away: the tasks of the others go on in every role, and what the late one is told and asked waits
// for it.
#include "core/gates.hpp"
#include "core/settings_record.hpp"
#include "support/away_shard.hpp"
#include "support/desk.hpp"
#include "support/schedule_fixture.hpp"
#include "support/tcp_gate.hpp"

#include <catch2/generators/catch_generators.hpp>
#include <catch2/matchers/catch_matchers_string.hpp>

#include <atomic>

using namespace std::chrono_literals;
using namespace away_test;
using errand::state;
using errand::test::await;
using errand::test::eventually;
using errand::test::run_until;

TEST_CASE("claims take from the servers that are there, and what is to be reported to the other waits for it",
          "[shards]") {
    store_desk t;
    await(t.io, t.worker.of->open());
    const auto there = t.id_on(0), lost = t.id_on(away_shard);
    t.submit(there);
    t.submit(lost);
    const auto both = t.work({}, 2).claimed;
    REQUIRE(both.size() == 2);
    t.other.kill();

    const auto end = t.work({errand::test::success_of(both[0]), errand::test::success_of(both[1])});
    const std::size_t late = both[0].id == lost ? 0 : 1;
    CHECK(end.later == std::vector{late});
    CHECK(end.verdicts.at(1 - late) == errand::report_verdict::accepted);
    // Lane and worker are free for what is there.
    for (int i = 0; i < 3; ++i) {
        t.submit(t.id_on(0));
        const auto next = t.work({}, 5).claimed;
        REQUIRE(next.size() == 1);
        CHECK(t.work({errand::test::success_of(next[0])}).later.empty());
    }
    CHECK(t.worker.ear.answered.empty());

    t.other.restart();
    REQUIRE(run_until(t.io, [&] { return !t.worker.ear.answered.empty(); }));
    CHECK(t.worker.ear.answered.front() == std::pair{lost, errand::report_verdict::accepted});
    CHECK(t.worker.ear.wakes > 0);
    CHECK(await(t.io, t.worker.of->find(lost))->where == state::success);
}

TEST_CASE("what was to be reported to a server that was away goes there in calls of a bounded size",
          "[shards]") {
    store_desk t;
    await(t.io, t.worker.of->open());
    constexpr std::size_t count = 12, each = errand::store::most_bytes_per_call / 4;
    for (std::size_t i = 0; i <= count; ++i) t.submit(t.id_on(away_shard));
    const auto tasks = t.work({}, count + 1).claimed;
    REQUIRE(tasks.size() == count + 1);
    t.other.kill();
    // Behind the first, which is sent again and again.
    for (const auto& one : tasks) {
        auto end = errand::test::success_of(one);
        end.record.append(each, ' ');
        CHECK(t.work({std::move(end)}).later == std::vector<std::size_t>{0});
    }
    t.other.restart();
    REQUIRE(run_until(t.io, [&] { return t.worker.ear.answered.size() == count + 1; }));
    for (const auto& [id, verdict] : t.worker.ear.answered)
        CHECK(verdict == errand::report_verdict::accepted);
    CHECK(t.worker.ear.calls.size() >= count / 4);
}

TEST_CASE("what a server gives late is taken by the next claim, or goes back to its queue", "[shards]") {
    store_desk t;
    await(t.io, t.worker.of->open());
    const auto one = t.id_on(away_shard);
    t.submit(one);
    t.other.freeze();
    CHECK(t.work({}, 4).claimed.empty());
    t.other.thaw();
    const auto wakes = t.worker.ear.wakes;
    REQUIRE(run_until(t.io, [&] { return t.worker.ear.wakes > wakes; }));
    SECTION("taken") {
        const auto got = t.work({}, 4).claimed;
        REQUIRE(got.size() == 1);
        CHECK(got[0].id == one);
        CHECK(t.work({errand::test::success_of(got[0])}).verdicts ==
              std::vector{errand::report_verdict::accepted});
    }
    SECTION("given back") {
        REQUIRE(run_until(t.io, [&] { return await(t.io, t.worker.of->find(one))->where == state::ready; }));
        CHECK(await(t.io, t.worker.of->find(one))->notes.empty());
        CHECK(t.other.command({"HLEN", t.key("claims", away_shard)}) == "1");  // the sentinel
    }
}

TEST_CASE("what a server gives late under one claim goes to none of those who have claims of their own",
          "[shards]") {
    store_desk t;
    await(t.io, t.worker.of->open());
    const std::vector tasks{t.id_on(away_shard), t.id_on(away_shard)};
    for (const auto& one : tasks) t.submit(one);
    const bool apart = GENERATE(false, true);
    const auto ask = [&](bool each) {
        errand::work_call call;
        call.claim = {.queues = {"default"}, .limit = 4, .lease = 30s, .apart = each};
        return await(t.io, t.worker.of->work(call)).claimed;
    };
    t.other.freeze();
    CHECK(ask(apart).empty());
    t.other.thaw();
    const auto wakes = t.worker.ear.wakes;
    REQUIRE(run_until(t.io, [&] { return t.worker.ear.wakes > wakes; }));
    // What stands so goes back, and comes anew.
    std::vector<errand::claimed_task> got;
    REQUIRE(run_until(t.io, [&] {
        std::ranges::move(ask(true), std::back_inserter(got));
        return got.size() == 2;
    }));
    CHECK(got[0].claim != got[1].claim);
    for (const auto& one : got) CHECK(await(t.io, t.worker.of->find(one.id))->claim == one.claim);
    CHECK(t.work({errand::test::success_of(got[0]), errand::test::success_of(got[1])}).verdicts ==
          std::vector(2, errand::report_verdict::accepted));
}

TEST_CASE("what a server gives late and nobody takes leaves no slot of its limits taken", "[shards]") {
    store_desk t;
    await(t.io, t.worker.of->open());
    const auto one = t.id_on(away_shard);
    auto item = errand::test::item_with(one, "x");
    auto body = errand::decode_body(item.body);
    body.gates = errand::gate_of(errand::gate_kind::running, "crm", "");
    item.body = errand::encode(body);
    item.gated = true;
    await(t.io, t.worker.of->submit(0, {&item, 1}, errand::submit_mode::each));
    t.other.freeze();
    CHECK(t.work({}, 4).claimed.empty());
    t.other.thaw();
    const auto wakes = t.worker.ear.wakes;
    REQUIRE(run_until(t.io, [&] { return t.worker.ear.wakes > wakes; }));
    // One field stays there (scripts/lib_slots.lua).
    CHECK(t.other.command({"HLEN", t.key("slots", away_shard)}) == "2");
    REQUIRE(run_until(t.io, [&] { return await(t.io, t.worker.of->find(one))->where == state::ready; }));
    CHECK(t.other.command({"HLEN", t.key("slots", away_shard)}) == "1");
    std::vector<errand::claimed_task> again;
    REQUIRE(run_until(t.io, [&] {
        again = t.work({}, 4).claimed;
        return !again.empty();
    }));
    CHECK(again[0].id == one);
}

TEST_CASE("every round of a worker is answered by the servers that are there", "[shards]") {
    store_desk t;
    await(t.io, t.worker.of->open());
    const std::vector<std::string> queues{"default"};
    auto item = errand::test::item_with(t.id_on(0), "x");
    item.delay = 1ms;
    await(t.io, t.worker.of->submit(0, {&item, 1}, errand::submit_mode::each));
    t.other.kill();
    auto& in = *t.worker.of;
    std::size_t promoted = 0;
    REQUIRE(run_until(t.io, [&] {
        promoted += await(t.io, in.promote(queues, 10, errand::test::outcome_of(state::expired))).promoted;
        return promoted > 0;
    }));
    const auto claimed = t.work({}, 2).claimed;
    REQUIRE(claimed.size() == 1);
    errand::test::shared_redis().command(
        {"ZADD", t.key("leases", 0), "1",
         errand::redis::claim_text(errand::shards::inner_claim(claimed[0].claim, 2))});
    CHECK(await(t.io, in.recover(10, 30s)).tasks.size() == 1);
    CHECK(await(t.io, in.clean(10)) == 0);
    CHECK(await(t.io, in.trim(10, 10)) == 0);
    CHECK(await(t.io, in.beat("{}", 10s, {})).alive == 1);
    CHECK(await(t.io, in.take_news(10, 10s)).entries.empty());
    await(t.io, in.busy(queues));
    await(t.io, in.leave(queues));
    // Who comes back is asked again.
    t.other.restart();
    const auto wakes = t.worker.ear.wakes;
    REQUIRE(run_until(t.io, [&] { return t.worker.ear.wakes > wakes; }));
}

TEST_CASE("what a worker asks for beside its tasks is answered by the servers that are there", "[shards]") {
    using errand::test::schedule_fixture;
    store_desk t;
    await(t.io, t.worker.of->open());
    auto& in = *t.worker.of;
    const auto first_with = [&](const auto& place_of) {
        for (int i = 0;; ++i) {
            auto name = "name" + std::to_string(i);
            if (in.shard_of(place_of(name)) == 0) return name;
        }
    };
    // A task that stands aside, a schedule that is due, something that is set, and figures.
    t.submit(t.id_on(0));
    const auto strange = t.work({}, 1).claimed;
    REQUIRE(strange.size() == 1);
    auto aside = errand::test::report_of(strange[0], errand::report::kind::aside);
    errand::task_notes notes;
    notes.unknown_handler = 1;
    aside.record = errand::encode(notes);
    CHECK(t.work({aside}).verdicts == std::vector{errand::report_verdict::accepted});
    const auto key =
        first_with([](const std::string& name) { return schedule_fixture::schedule_called(name); });
    const std::vector steps{schedule_fixture::step_to(key, 0, 1, in.now() - 1s)};
    CHECK(await(t.io, in.step_schedules(steps)) == std::vector{errand::step_verdict::done});
    errand::settings_record record;
    record.stamp = 1;
    record.version = 1;
    errand::settings_step step;
    step.handler = first_with([](const std::string& name) { return errand::place_of_settings(name); });
    step.record = errand::encode(record);
    CHECK(await(t.io, in.set_settings(step)));
    const errand::handler_count run{.handler = "test", .what = 0, .times = 1};
    await(t.io, in.add_figures({&run, 1}));
    const auto figures = [&] { return await(t.io, in.figures()).counts.size(); };
    CHECK(run_until(t.io, [&] { return figures() == 1; }));
    // All of them are in one shard.
    const bool are_away = in.shard_of(errand::derive_task_id("figures", "errand.figures")) == away_shard;

    t.other.kill();
    CHECK(run_until(t.io, [&] { return figures() == (are_away ? 0U : 1U); }));
    CHECK(run_until(t.io, [&] {
        const auto all = await(t.io, in.settings());
        return all.size() == 2 && !all[away_shard] && all[0] && all[0]->size() == 1;
    }));
    CHECK(run_until(t.io, [&] { return await(t.io, in.due_schedules(10)).schedules.size() == 1; }));
    errand::adopt_call call;
    call.queues = {"default"};
    call.handlers = {"test"};
    call.limit = 10;
    std::vector<errand::claimed_task> adopted;
    CHECK(run_until(t.io, [&] {
        adopted = await(t.io, in.adopt(call)).tasks;
        if (adopted.empty()) adopted = t.worker.ear.given;
        return !adopted.empty();
    }));
    REQUIRE(adopted.size() == 1);
    CHECK(adopted[0].id == strange[0].id);
    // Who comes back is asked again.
    t.other.restart();
    CHECK(run_until(t.io,
                    [&] { return await(t.io, in.settings()).at(away_shard).has_value() && figures() == 1; }));
}

TEST_CASE("all connections of a worker wait for a server that is away at the same time", "[shards]") {
    constexpr std::size_t threads = 16;
    errand::test::redis_server other{{.tcp = true}};
    errand::test::tcp_gate gate{other.port()};
    gate.stall(true);
    auto settings = errand::test::fresh_settings();
    settings.store += "," + gate.url();
    settings.shards = 2;
    settings.threads = settings.concurrency = threads;
    settings.store_timeout = 60s;
    std::atomic<std::size_t> begun{0};  // when the first went on without it
    shards_test::bench t{settings};
    t.app.on_event([&](const errand::event& e) {
        std::size_t none = 0;
        if (e.kind == errand::event_kind::store_trouble)
            begun.compare_exchange_strong(none, gate.connections());
    });
    t.start();
    // One after the other, the others would not have begun.
    CHECK(begun > threads / 2);
    gate.stall(false);
}

TEST_CASE("who looks at a store that was opened without one of its servers does not wait for that one",
          "[shards]") {
    store_desk t;
    t.other.kill();
    await(t.io, t.worker.of->open());
    const auto before = std::chrono::steady_clock::now();
    for (int i = 0; i < 20; ++i) CHECK(await(t.io, t.worker.of->away()) == std::vector{away_shard});
    // Each would take a second.
    CHECK(std::chrono::steady_clock::now() - before < 10s);
    t.other.restart();
    CHECK(run_until(t.io, [&] { return await(t.io, t.worker.of->away()).empty(); }));
}

TEST_CASE("who only looks while a server is away sees what the others keep, and which one is missing",
          "[shards]") {
    two_servers on;
    auto settings = on.settings;
    settings.store_timeout = 2s;
    shards_test::bench t{settings};
    const auto look = t.app.inspect();
    std::size_t there = 0;
    for (int i = 0; i < 20; ++i) {
        const auto name = "task " + std::to_string(i);
        t.submit(name);
        if (errand::shards::shard_of(shards_test::id_of(t.ref(name).id()), 2) == 0) ++there;
    }
    REQUIRE(there > 0);
    REQUIRE(there < 20);
    const auto ready = [&] { return t.run(look.queues()).at(0).count(state::ready); };
    CHECK(ready() == 20);
    CHECK(t.run(look.away()).empty());

    on.other.kill();
    CHECK(ready() == there);
    CHECK(t.run(look.away()) == std::vector{away_shard});
    CHECK(t.run(look.list({.state = state::ready})).tasks.size() == there);
    CHECK(t.run(look.workers()).empty());
    CHECK(t.run(look.history(1)).empty());
    CHECK_THROWS_WITH(t.run(look.pause("default")),
                      Catch::Matchers::StartsWith("pause: shard 1 may not know of it, the others do"));
    CHECK(t.run(look.queues()).at(0).paused);

    on.other.restart();
    eventually([&] { return t.run(look.away()).empty(); });
    CHECK(ready() == 20);
}
