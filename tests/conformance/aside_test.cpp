// Tasks that stand aside: a worker has claimed them that does not know their handler.
#include "support/two_programs.hpp"

#include <catch2/generators/catch_generators.hpp>

using namespace errand;
using namespace errand::test;
using namespace std::chrono_literals;

TEST_CASE("a task that its worker does not know is not claimed again, but taken by who knows its handler") {
    two_programs t;
    const auto id = t.stranger();
    CHECK(t.claim(t.old, 10).claimed.empty());
    const auto promoted = t.promote();
    CHECK(promoted.promoted == 0);
    CHECK_FALSE(promoted.next_due);
    const auto found = await(t.io, t.worker->find(id));
    REQUIRE(found);
    CHECK(found->where == state::delayed);
    CHECK_FALSE(found->due_at);
    CHECK(decode_notes(found->notes).unknown_handler == 1);
    CHECK(t.queue_of(t.worker).delayed == 1);
    CHECK(t.queue_of(t.worker).retry == 0);

    CHECK(t.adopt(t.fresh, 10, 1h, {"other"}).tasks.empty());
    CHECK(t.adopt(t.fresh, 0).more);
    const auto got = t.adopt(t.fresh);
    REQUIRE(got.tasks.size() == 1);
    CHECK_FALSE(got.more);
    CHECK(got.tasks[0].id == id);
    CHECK(got.tasks[0].queue == "default");
    CHECK(decode_notes(got.tasks[0].notes).attempts == 0);
    CHECK(t.state_of(t.worker, id) == state::working);
    CHECK(t.queue_of(t.worker).delayed == 0);
    CHECK(t.adopt(t.fresh).tasks.empty());
    CHECK(t.finish(t.fresh, {success_of(got.tasks[0])}) == std::vector{report_verdict::accepted});
    CHECK(t.state_of(t.worker, id) == state::success);
    CHECK(t.check().empty());
}

TEST_CASE("who takes all but what it names leaves that alone") {
    two_programs t;
    const auto id = t.stranger();
    const auto adopt_all_but = [&](std::vector<std::string> names, std::size_t limit = 10) {
        adopt_call call{.queues = own_queues, .handlers = std::move(names), .limit = limit};
        call.all_but = true;
        return await(t.io, t.fresh->adopt(call));
    };
    CHECK(adopt_all_but({"other", "test"}).tasks.empty());
    CHECK_FALSE(adopt_all_but({"test"}, 0).more);
    CHECK(adopt_all_but({"other"}, 0).more);
    const auto got = adopt_all_but({"other"});
    REQUIRE(got.tasks.size() == 1);
    CHECK(got.tasks[0].id == id);
    CHECK(t.finish(t.fresh, {success_of(got.tasks[0])}) == std::vector{report_verdict::accepted});
    const auto second = t.stranger();
    const auto all = adopt_all_but({});
    REQUIRE(all.tasks.size() == 1);
    CHECK(all.tasks[0].id == second);
    CHECK(t.finish(t.fresh, {success_of(all.tasks[0])}) == std::vector{report_verdict::accepted});
    CHECK(t.check().empty());
}

TEST_CASE("as many as there are free slots are taken of those that stand aside, the most urgent first") {
    two_programs t;
    std::vector<task_id> all;
    for (const int priority : {0, 0, 5, 9}) all.push_back(t.stranger(priority));
    const auto first = t.adopt(t.fresh, 2);
    REQUIRE(first.tasks.size() == 2);
    CHECK(first.more);
    CHECK(t.adopt(t.fresh, 0).more);
    const auto rest = t.adopt(t.fresh, 2);
    REQUIRE(rest.tasks.size() == 2);
    CHECK_FALSE(t.adopt(t.fresh, 0).more);
    if (t.worker->shards() > 1) return;
    CHECK_FALSE(rest.more);
    CHECK(first.tasks[0].id == all[3]);
    CHECK(first.tasks[1].id == all[2]);
    CHECK(std::set{rest.tasks[0].id, rest.tasks[1].id} == std::set{all[0], all[1]});
}

TEST_CASE("a worker that knows the handler hears of it, whether it is idle or busy") {
    const bool idle = GENERATE(true, false);
    two_programs t;
    await(t.io, t.fresh->beat(R"({"answers_to":["other","test"],"ear":"fresh:1"})", 1h, {}));
    await(t.io, t.old->beat(R"({"answers_to":["other"],"ear":"old:1"})", 1h, {}));
    const auto item = item_of("[1]");
    t.submit(t.worker, item);
    const auto got = t.claim(t.old, 1).claimed;
    if (idle) {
        CHECK(t.claim(t.fresh, 1).claimed.empty());
        CHECK(t.claim(t.old, 1).claimed.empty());
    }
    t.adopt(t.fresh);
    t.adopt(t.old, 10, 1h, {"other"});
    t.put_aside(got.at(0));
    CHECK(t.until([&] { return t.fresh.ear->asides > 0; }));
    CHECK(t.old.ear->asides == 0);
    CHECK(t.adopt(t.fresh).tasks.size() == 1);
}

TEST_CASE("what stands aside is cancelled, removed, replaced, changed and made ready like any delayed task") {
    two_programs t;
    const auto cancelled = t.stranger(), removed = t.stranger(), replaced = t.stranger(3);
    const auto changed = t.stranger(), ready = t.stranger(), later = t.stranger();
    CHECK(await(t.io, t.worker->cancel(cancelled, 0, outcome_of(state::cancelled))).cancelled);
    CHECK(await(t.io, t.worker->remove(removed, outcome_of(state::cancelled, 0ms))) ==
          remove_verdict::removed);
    CHECK(t.submit(t.worker, item_with(replaced, "[2]", on_conflict::replace)).verdict ==
          submit_verdict::replaced);
    const auto edit = [&](const task_id& id, const std::string& args, std::optional<time_point> due) {
        const auto seen = await(t.io, t.worker->find(id))->body;
        auto body = decode_body(seen);
        body.args = args;
        CHECK(await(t.io, t.worker->edit({id, seen, encode(body), due, {}})) == edit_verdict::done);
    };
    edit(changed, "[3]", {});
    edit(ready, "[4]", time_point{});
    edit(later, "[5]", std::chrono::floor<duration>(std::chrono::system_clock::now()) + 1h);
    CHECK(await(t.io, t.worker->find(later))->due_at);
    CHECK(t.check().empty());
    const auto got = t.adopt(t.fresh);
    REQUIRE(got.tasks.size() == 1);
    CHECK(got.tasks[0].id == changed);
    CHECK(args_of(got.tasks[0]) == "[3]");
    std::set<std::string> claimed;
    for (const auto& task : t.claim(t.fresh, 10).claimed) claimed.insert(args_of(task));
    CHECK(claimed == std::set<std::string>{"[2]", "[4]"});
    CHECK(t.queue_of(t.worker).delayed == 1);
    CHECK(t.check().empty());
}

TEST_CASE("what stands aside and is not started in time expires") {
    two_programs t;
    auto item = item_of("[1]");
    auto body = decode_body(item.body);
    body.expires_after = item.expires_after = 20ms;
    item.body = encode(body);
    t.submit(t.worker, item);
    t.put_aside(t.claim(t.old, 1).claimed.at(0));
    CHECK(t.until([&] { return t.promote().expired == 1; }));
    CHECK(t.state_of(t.worker, item.id) == state::expired);
    CHECK(t.adopt(t.fresh).tasks.empty());
    CHECK(t.check().empty());
}

TEST_CASE("what was cancelled aside and is revived stands aside again") {
    two_programs t;
    const auto id = t.stranger();
    CHECK(await(t.io, t.worker->cancel(id, 0, outcome_of(state::cancelled))).cancelled);
    const auto found = await(t.io, t.worker->find(id));
    REQUIRE(found->finished_at);
    task_notes notes;
    notes.unknown_handler = 1;
    notes.revived = true;
    await(t.io, t.fresh->beat(R"({"answers_to":["test"],"ear":"fresh:1"})", 1h, {}));
    t.adopt(t.fresh);
    CHECK(await(t.io, t.worker->revive(id, incarnation_of(found->body), *found->finished_at, encode(notes))));
    CHECK(t.until([&] { return t.fresh.ear->asides > 0; }));
    CHECK(t.claim(t.old, 10).claimed.empty());
    CHECK(t.check().empty());
    const auto got = t.adopt(t.fresh).tasks;
    REQUIRE(got.size() == 1);
    CHECK(decode_notes(got[0].notes).revived);
    CHECK(t.finish(t.fresh, {success_of(got[0])}) == std::vector{report_verdict::accepted});
    CHECK(t.state_of(t.worker, id) == state::success);
    CHECK(t.check().empty());
}

TEST_CASE("what a worker took that stood aside comes back when the worker dies") {
    two_programs t;
    const auto id = t.stranger();
    CHECK(t.adopt(t.fresh, 10, 1ms).tasks.size() == 1);
    recover_answer over;
    CHECK(t.until([&] {
        over = await(t.io, t.old->recover(10, 1h));
        return !over.tasks.empty();
    }));
    CHECK(over.tasks[0].id == id);
    t.put_aside(over.tasks[0]);
    CHECK(t.adopt(t.fresh).tasks.size() == 1);
}

TEST_CASE("what stood aside and is tried again, or later, stands aside again when it is due") {
    const auto how = GENERATE(report::kind::retry, report::kind::later);
    two_programs t;
    std::vector<task_id> ids{t.stranger(), t.stranger(7)};
    const auto known = item_of("[2]");
    t.submit(t.worker, known);
    auto got = t.adopt(t.fresh).tasks;
    REQUIRE(got.size() == 2);
    for (auto& one : t.claim(t.fresh, 1).claimed) got.push_back(one);
    std::vector<report> reports;
    for (const auto& task : got) {
        auto again = report_of(task, how, 5ms);
        task_notes notes;
        notes.attempts = 1;
        again.strange = task.id != known.id;
        notes.unknown_handler = again.strange ? 1 : 0;
        again.record = encode(notes);
        again.priority = task.id == ids[1] ? 7 : 0;
        reports.push_back(again);
    }
    CHECK(t.finish(t.fresh, reports) == std::vector(3, report_verdict::accepted));
    CHECK(t.adopt(t.fresh).tasks.empty());
    CHECK(t.queue_of(t.worker).delayed + t.queue_of(t.worker).retry == 3);
    const auto told = t.fresh.ear->asides;
    await(t.io, t.fresh->beat(R"({"answers_to":["test"],"ear":"fresh:1"})", 1h, {}));
    std::size_t promoted = 0;
    CHECK(t.until([&] { return (promoted += t.promote().promoted) == 3; }));
    const auto claimed = t.claim(t.old, 10).claimed;
    REQUIRE(claimed.size() == 1);
    CHECK(claimed[0].id == known.id);
    CHECK(t.until([&] { return t.fresh.ear->asides > told; }));
    got = t.adopt(t.fresh).tasks;
    REQUIRE(got.size() == 2);
    if (t.worker->shards() == 1) CHECK(got[0].id == ids[1]);
    CHECK(decode_notes(got[0].notes).attempts == 1);
    CHECK(t.check().empty());
}

TEST_CASE("very many that stand aside again do so in steps") {
    two_programs t;
    std::vector<submission_item> items;
    for (int i = 0; i < 300; ++i) items.push_back(item_of("[1]"));
    t.submit_all(t.worker, items);
    std::vector<report> reports;
    for (const auto& task : t.claim(t.old, 300).claimed) {
        auto again = report_of(task, report::kind::retry, 1ms);
        task_notes notes;
        notes.unknown_handler = 1;
        again.record = encode(notes);
        again.strange = true;
        reports.push_back(again);
    }
    while (reports.size() < 300) {
        for (const auto& task : t.claim(t.old, 300).claimed) {
            auto again = reports.front();
            again.id = task.id;
            again.claim = task.claim;
            reports.push_back(again);
        }
    }
    t.finish(t.old, reports);
    std::size_t promoted = 0;
    CHECK(t.until([&] { return (promoted += t.promote().promoted) == 300; }));
    CHECK(t.claim(t.old, 10).claimed.empty());
    std::size_t adopted = 0;
    CHECK(t.until([&] { return (adopted += t.adopt(t.fresh, 100).tasks.size()) == 300; }));
    CHECK(t.check().empty());
}

TEST_CASE("what stands aside in a paused queue stays there") {
    two_programs t;
    t.stranger();
    await(t.io, t.worker->pause("default"));
    CHECK_FALSE(t.adopt(t.fresh, 0).more);
    CHECK(t.adopt(t.fresh).tasks.empty());
    await(t.io, t.worker->resume("default"));
    CHECK(t.adopt(t.fresh).tasks.size() == 1);
}

TEST_CASE("what stands aside is listed with the delayed ones, and stays when nobody comes") {
    two_programs t;
    const auto id = t.stranger();
    const auto delayed = t.submit_delayed();
    std::set<std::string> seen;
    for (const auto& of : await(t.io, t.worker->lists(state::delayed, "default"))) {
        for (const auto& one : await(t.io, t.worker->list({of, state::delayed, false, {}, 10})).items) {
            seen.insert(t.id_text(one.task.id));
            CHECK(one.task.due_at.has_value() == (one.task.id == delayed));
        }
    }
    CHECK(seen == std::set{t.id_text(id), t.id_text(delayed)});
    await(t.io, t.worker->clean(100));
    CHECK(t.check(true).empty());
    CHECK(t.adopt(t.fresh).tasks.size() == 1);
    await(t.io, t.worker->clean(100));
    const auto again = t.stranger();
    CHECK(t.adopt(t.fresh).tasks.at(0).id == again);
}
