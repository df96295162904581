// Limits at the store's seam: rules that change, what is shown of them, and tasks that move while they wait.
#include "support/limit_fixture.hpp"

#include <catch2/generators/catch_generators.hpp>

using namespace errand;
using namespace errand::test;
using namespace std::chrono_literals;

TEST_CASE("a limit that is raised or cleared lets tasks go on at once") {
    const bool cleared = GENERATE(true, false);
    limit_fixture t;
    auto idle = t.join("idle");
    t.declare("crm", t.at_most(3));
    t.set("crm", t.at_most(1));
    t.submit_many(4, t.running("crm"));
    CHECK(t.take(1).size() == 1);
    CHECK(t.claim(idle, 1).claimed.empty());
    const auto wakes = idle.ear->wakes;
    t.set("crm", cleared ? std::nullopt : std::optional{t.at_most(3)});
    CHECK(t.until([&] { return idle.ear->wakes > wakes; }));
    CHECK(t.take(5).size() == 2);
    CHECK(t.take(5).empty());
    CHECK(t.check().empty());
}

TEST_CASE("a limit that is lowered lets those that run finish, and nobody start") {
    limit_fixture t;
    t.set("crm", t.at_most(3));
    t.submit_many(6, t.running("crm"));
    const auto got = t.take(3);
    t.set("crm", t.at_most(1));
    CHECK(t.finish_one(got.at(0)) == report_verdict::accepted);
    CHECK(t.take(5).empty());
    CHECK(t.finish_one(got.at(1)) == report_verdict::accepted);
    CHECK(t.take(5).empty());
    CHECK(t.finish_one(got.at(2)) == report_verdict::accepted);
    CHECK(t.take(5).size() == 1);
    CHECK(t.check().empty());
}

TEST_CASE("a limit of none is closed until it is another one") {
    limit_fixture t;
    t.set("crm", t.at_most(0));
    t.submit_many(3, t.both("crm"));
    const auto none = t.claim(t.worker, 5);
    CHECK(none.claimed.empty());
    CHECK_FALSE(none.next_due);
    t.set("crm", t.at_most(2));
    CHECK(t.take(5).size() == 2);
    t.set("crm", std::nullopt);
    CHECK(t.take(5).size() == 1);
    CHECK(await(t.io, t.worker->limits()).empty());
}

TEST_CASE("another rate holds from the next start on") {
    limit_fixture t;
    t.set("crm", t.never_more_than(1, 1h));
    t.submit_many(8, t.starts("crm"));
    CHECK(t.take(5).size() == 1);
    t.set("crm", limit_rule{});
    CHECK(t.take(5).size() == 5);
    t.set("crm", t.never_more_than(1, 1h));
    CHECK(t.claim(t.worker, 1).claimed.size() <= 1);
    CHECK(t.claim(t.worker, 5).claimed.empty());
    CHECK(t.check().empty());
}

TEST_CASE("a gate that a slow rate has closed for long opens as soon as another rate says") {
    limit_fixture t;
    t.set("crm", t.never_more_than(1, 1h));
    t.submit_many(3, t.starts("crm"));
    CHECK(t.take(5).size() == 1);
    CHECK(t.take(5).empty());
    t.set("crm", t.never_more_than(1, 20ms));
    std::size_t started = 0;
    CHECK(t.until([&] {
        started += t.take(5).size();
        return started == 2;
    }));
    CHECK(t.check().empty());
}

TEST_CASE("what was set at run time goes before what is declared, also when that is declared anew") {
    limit_fixture t;
    t.declare("crm", t.at_most(5));
    t.set("crm", t.at_most(1));
    t.declare("crm", t.at_most(7));
    t.submit_many(10, t.running("crm"));
    CHECK(t.take(10).size() == 1);
    const auto one = t.state_of_limit("crm");
    REQUIRE(one.declared);
    REQUIRE(one.set);
    CHECK(one.declared->max_running == 7);
    CHECK(one.set->max_running == 1);
    CHECK(one.running == 1);
    CHECK(one.waiting == 9);
    CHECK_FALSE(one.opens_at);
    t.set("crm", std::nullopt);
    CHECK(t.take(10).size() == 6);
    CHECK_FALSE(t.state_of_limit("crm").set);
}

TEST_CASE("limits are listed by name, with their rules") {
    limit_fixture t;
    const std::vector<named_limit> all{{"b", t.never_more_than(7, 3s, 2)},
                                       {"a", {.max_running = 4, .rate = rate_limit{5, 1min}}}};
    await(t.io, t.worker->declare_limits(all));
    t.set("c", limit_rule{});
    const auto got = await(t.io, t.worker->limits());
    REQUIRE(got.size() == 3);
    CHECK(got[0].name == "a");
    CHECK(got[0].declared->max_running == 4);
    CHECK(got[0].declared->rate->count == 5);
    CHECK(got[0].declared->rate->per == 1min);
    CHECK(got[0].declared->rate->burst == 0);
    CHECK_FALSE(got[0].set);
    CHECK(got[1].name == "b");
    CHECK_FALSE(got[1].declared->max_running);
    CHECK(got[1].declared->rate->burst == 2);
    CHECK(got[2].name == "c");
    CHECK_FALSE(got[2].declared);
    REQUIRE(got[2].set);
    CHECK_FALSE(got[2].set->rate);
}

TEST_CASE("a ready task says which of its gates are closed to it") {
    limit_fixture t;
    t.set("crm", t.at_most(1));
    t.set("handler:h", t.never_more_than(1, 1h));
    t.set("open", t.at_most(9));
    const auto gates = t.running("crm") + t.starts("handler:h", "k") + t.both("open");
    t.submit_gated(gates);
    CHECK(t.take(1).size() == 1);
    const auto id = t.submit_gated(gates);
    const auto found = await(t.io, t.worker->find(id));
    REQUIRE(found);
    CHECK(found->where == state::ready);
    REQUIRE(found->closed.size() == 2);
    CHECK(found->closed[0].limit == "crm");
    CHECK_FALSE(found->closed[0].keyed);
    CHECK(found->closed[0].running == 1);
    CHECK(found->closed[0].max_running == 1);
    CHECK_FALSE(found->closed[0].opens_at);
    CHECK(found->closed[1].limit == "handler:h");
    CHECK(found->closed[1].keyed);
    CHECK_FALSE(found->closed[1].max_running);
    REQUIRE(found->closed[1].opens_at);
    CHECK(*found->closed[1].opens_at > found->now + 59min);
    const auto free = t.submit_gated(t.both("open"));
    CHECK(await(t.io, t.worker->find(free))->closed.empty());
}

TEST_CASE("tasks that wait for a limit are counted, listed and found as ready ones") {
    limit_fixture t;
    t.set("crm", t.at_most(0));
    std::set<std::string> ids;
    for (const auto* key : {"a", "b"}) {
        for (const auto& id : t.submit_many(2, t.both("crm", key))) ids.insert(t.id_text(id));
    }
    CHECK(t.take(5).empty());
    CHECK(t.queue_of(t.worker).ready == 4);
    CHECK(t.queue_of(t.worker).next_submitted_at);
    ids.insert(t.id_text(t.submit_ready()));
    std::set<std::string> listed;
    for (const auto& of : await(t.io, t.worker->lists(state::ready, "default"))) {
        list_call call{.of = of, .where = state::ready, .newest_first = false, .after = {}, .limit = 3};
        for (bool more = true; more;) {
            const auto page = await(t.io, t.worker->list(call));
            for (const auto& one : page.items) CHECK(listed.insert(t.id_text(one.task.id)).second);
            more = page.more;
            call.after = page.last;
        }
    }
    CHECK(listed == ids);
}

TEST_CASE("a task that waits for a limit is cancelled, removed, replaced and changed like any ready one") {
    limit_fixture t;
    t.set("crm", t.at_most(1));
    t.submit_gated(t.running("crm"), "x");
    const auto got = t.take(1);
    const auto cancelled = t.submit_gated(t.running("crm"), "1");
    const auto removed = t.submit_gated(t.running("crm"), "2");
    const auto replaced = t.submit_gated(t.running("crm"), "3");
    const auto changed = t.submit_gated(t.running("crm"), "4");
    const auto freed = t.submit_gated(t.running("crm"), "5");
    const auto urgent = t.submit_gated(t.running("crm"), "6");
    CHECK(t.take(5).empty());
    t.cancel(cancelled);
    CHECK(await(t.io, t.worker->remove(removed, outcome_of(state::cancelled))) == remove_verdict::removed);
    CHECK(t.submit(t.worker, t.behind(item_with(replaced, "r", on_conflict::replace), t.running("crm")))
              .verdict == submit_verdict::replaced);
    const auto edit = [&](const task_id& id, auto change) {
        const auto seen = await(t.io, t.worker->find(id))->body;
        auto body = decode_body(seen);
        change(body);
        CHECK(await(t.io, t.worker->edit({id, seen, encode(body), {}, {}})) == edit_verdict::done);
    };
    edit(changed, [](task_body& body) { body.args = "c"; });
    edit(urgent, [](task_body& body) { body.priority = 5; });
    edit(freed, [](task_body& body) { body.gates.clear(); });
    CHECK(t.taken_args(5) == "5");
    CHECK(t.check().empty());
    std::string order;
    auto running = got.at(0);
    for (int i = 0; i < 3; ++i) {
        t.finish_one(running);
        const auto next = t.take(5);
        REQUIRE(next.size() == 1);
        order += args_of(next[0]);
        running = next[0];
    }
    CHECK(order.front() == '6');
    CHECK(std::set(order.begin(), order.end()) == std::set{'6', 'r', 'c'});
    t.finish_one(running);
    CHECK(t.take(5).empty());
    CHECK(t.check().empty());
}

TEST_CASE("whatever becomes ready passes its gates: what was delayed, and what waited for another task") {
    limit_fixture t;
    t.set("crm", t.at_most(1));
    t.submit_gated(t.running("crm"), "x");
    const auto got = t.take(1);
    auto delayed = t.gated(t.running("crm"), "1");
    delayed.delay = 1ms;
    t.submit(t.worker, delayed);
    CHECK(t.promote(1));
    CHECK(t.take(5).empty());

    auto child = t.gated(t.running("crm"), "2");
    child.after = {{got.at(0).id}};
    auto body = decode_body(child.body);
    body.after = {got[0].id};
    child.body = encode(body);
    t.submit(t.worker, child);
    CHECK(t.finish_one(got[0]) == report_verdict::accepted);
    const auto first = t.take(5);
    REQUIRE(first.size() == 1);
    CHECK(args_of(first[0]) == "1");
    CHECK(t.until([&] {
        for (const auto& one : await(t.io, t.worker->take_news(10, 10s)).entries) {
            const std::vector<resolution> all{{one.about, one.what, {}, one.heirs}};
            await(t.io, t.worker->resolve(all, {}));
            const std::vector<delivery> told{{one.about, one.what, one.token, true, one.heirs}};
            await(t.io, t.worker->delivered(told));
        }
        return t.state_of(t.worker, child.id) == state::ready;
    }));
    CHECK(t.take(5).empty());
    t.finish_one(first[0]);
    CHECK(t.taken_args(5) == "2");
    CHECK(t.check().empty());
}

TEST_CASE("a task that ended and is revived waits for its limits again") {
    limit_fixture t;
    t.set("crm", t.at_most(1));
    const auto id = t.submit_gated(t.running("crm"), "1");
    t.cancel(id);
    t.submit_gated(t.running("crm"), "x");
    const auto got = t.take(5);
    REQUIRE(got.size() == 1);
    const auto ended = await(t.io, t.worker->find(id));
    CHECK(await(t.io, t.worker->revive(id, incarnation_of(ended->body), *ended->finished_at,
                                       encode(task_notes{}))));
    CHECK(t.take(5).empty());
    t.finish_one(got[0]);
    CHECK(t.taken_args(5) == "1");
    CHECK(t.check().empty());
}

TEST_CASE("runs of schedules pass gates like other tasks") {
    limit_fixture t;
    t.set("crm", t.at_most(1));
    schedule_step step{.id = new_task_id(1'763'000'000'000)};
    for (int i = 0; i < 2; ++i) step.runs.push_back(t.gated(t.running("crm")));
    const std::vector steps{step};
    CHECK(await(t.io, t.worker->step_schedules(steps)) == std::vector{step_verdict::done});
    CHECK(t.take(5).size() == 1);
    CHECK(t.take(5).empty());
}

TEST_CASE("a task that waits for a limit expires when it was not started in time") {
    limit_fixture t;
    t.set("crm", t.at_most(0));
    auto item = t.gated(t.running("crm"));
    auto body = decode_body(item.body);
    body.expires_after = item.expires_after = 5ms;
    item.body = encode(body);
    t.submit(t.worker, item);
    CHECK(t.take(5).empty());
    const std::vector<std::string> queues{"default"};
    CHECK(t.until([&] {
        return await(t.io, t.worker->promote(queues, 10, outcome_of(state::expired))).expired == 1;
    }));
    CHECK(t.state_of(t.worker, item.id) == state::expired);
    CHECK(t.check().empty());
}

TEST_CASE("tasks of a paused queue stay behind open gates") {
    limit_fixture t;
    t.set("crm", t.at_most(5));
    t.submit_many(2, t.running("crm"));
    await(t.io, t.worker->pause("default"));
    CHECK(t.take(5).empty());
    await(t.io, t.worker->resume("default"));
    CHECK(t.take(5).size() == 2);
}

TEST_CASE("what stands aside starts when its gates are open, and not before") {
    limit_fixture t;
    t.set("crm", t.at_most(1));
    const auto id = t.submit_gated(t.running("crm"), "1");
    auto aside = t.of(t.take(1).at(0), report::kind::aside);
    task_notes notes;
    notes.unknown_handler = 1;
    aside.record = encode(notes);
    CHECK(t.work(t.worker, {aside}).verdicts == std::vector{report_verdict::accepted});
    t.submit_gated(t.running("crm"), "x");
    const auto got = t.take(1);
    REQUIRE(got.size() == 1);
    CHECK(t.adopt().empty());
    CHECK(t.take(1).empty());
    t.finish_one(got[0]);
    // A store may keep it aside until then, or make it wait as a ready one.
    auto adopted = t.adopt();
    if (adopted.empty()) adopted = t.take(1);
    REQUIRE(adopted.size() == 1);
    CHECK(t.ids_of(adopted) == std::vector{id});
    CHECK(t.state_of_limit("crm").running == 1);
    t.finish_one(adopted.at(0));
    CHECK(t.state_of_limit("crm").running == 0);
    CHECK(t.check().empty());
}

TEST_CASE("limits of several namespaces are apart") {
    limit_fixture t;
    auto with = t.settings("elsewhere");
    with.name_space += "_other";
    auto other = t.join(with);
    t.set("crm", t.at_most(1));
    await(t.io, other->set_limit("crm", t.at_most(2)));
    t.submit_many(3, t.running("crm"));
    for (int i = 0; i < 3; ++i) t.submit(other, t.gated(t.running("crm")));
    CHECK(t.take(5).size() == 1);
    CHECK(t.claim(other, 5).claimed.size() == 2);
    CHECK(t.take(5).empty());
    CHECK(t.state_of_limit("crm").running == 1);
}
