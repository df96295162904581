// A store whose content is encrypted, seen by who has the key and by who has not: what passes the seam with a task in it.
#include "core/bundles.hpp"
#include "core/sealed_records.hpp"
#include "support/schedule_fixture.hpp"
#include "support/stage_fixture.hpp"

#include <catch2/catch_test_macros.hpp>

using namespace errand;
using namespace errand::test;
using namespace std::chrono_literals;

namespace {

const std::string secret_text = "anna@example.org";
const std::string secret_args = "[\"" + secret_text + "\"]";

bool shows_secret(std::string_view bytes) { return bytes.find(secret_text) != bytes.npos; }

struct sealed_bench : store_fixture {
    member with_key = join(sealed("with:1"));
    member without = join(plain("without:1"));

    store_settings sealed(const std::string& name) {
        auto how = settings(name);
        how.seals = sealing_of_tests("k1:" + std::string(64, '1'));
        return how;
    }
    store_settings plain(const std::string& name) {
        auto how = settings(name);
        how.seals = nullptr;
        return how;
    }
    found_task look(member& by, const task_id& id) {
        auto found = await(io, by->find(id));
        REQUIRE(found);
        return std::move(*found);
    }
    // Nothing of a task is to be seen without the key.
    void keeps_secret(const task_id& id) {
        const auto seen = look(without, id);
        CHECK_FALSE(shows_secret(seen.body));
        CHECK_FALSE(shows_secret(seen.notes));
        CHECK_FALSE(shows_secret(seen.outcome));
        CHECK_FALSE(shows_secret(seen.stages));
    }
    task_id submitted() {
        const auto item = item_of(secret_args);
        CHECK(submit(with_key, item).verdict == submit_verdict::accepted);
        return item.id;
    }
    claimed_task started() {
        const auto id = submitted();
        auto got = claim(with_key, 1).claimed;
        REQUIRE(got.size() == 1);
        REQUIRE(got.front().id == id);
        return std::move(got.front());
    }
    static task_notes telling_notes() {
        task_notes notes;
        notes.attempts = 1;
        notes.progress_text = "half of " + secret_text;
        notes.errors = {{1, time_point{7ms}, "std::runtime_error", "no route to " + secret_text, {}, {}}};
        notes.log = {"wrote to " + secret_text};
        return notes;
    }
    static report end_with(const claimed_task& task, const std::string& result) {
        auto over = report_of(task, report::kind::end);
        over.retention = 1h;
        task_outcome outcome;
        outcome.retention = 1h;
        outcome.attempts = 1;
        outcome.result = result;
        outcome.notes = telling_notes();
        const auto now = std::chrono::floor<duration>(std::chrono::system_clock::now());
        over.record = encode_end(outcome, time_point{now}, task.body);
        return over;
    }
};

}  // namespace

TEST_CASE("arguments, notes, stages and a result are kept secret, and come back to who has the key") {
    sealed_bench t;
    const auto task = t.started();
    CHECK(args_of(task) == secret_args);
    t.keeps_secret(task.id);
    const auto notes = encode(sealed_bench::telling_notes());
    CHECK(await(t.io, t.with_key->note(task.id, task.claim, notes)) == report_verdict::accepted);
    CHECK(t.look(t.with_key, task.id).notes == notes);
    CHECK(keep(t, t.with_key, task, record_of("charge", "\"" + secret_text + "\"")) ==
          report_verdict::accepted);
    CHECK(stages_of(t, t.with_key, task) == std::vector<std::string>{"charge"});
    const auto stages = decode_stages(t.look(t.with_key, task.id).stages, incarnation_of(task.body));
    REQUIRE(stages.size() == 1);
    CHECK(stages[0].result == "\"" + secret_text + "\"");
    t.keeps_secret(task.id);

    const watched_task watched{task.id, incarnation_of(task.body)};
    CHECK(await(t.io, t.with_key->watch({&watched, 1})).ended.empty());
    CHECK(t.finish(t.with_key, {sealed_bench::end_with(task, "\"" + secret_text + "\"")}) ==
          std::vector{report_verdict::accepted});
    t.keeps_secret(task.id);
    const auto seen = t.look(t.with_key, task.id);
    CHECK(seen.where == state::success);
    CHECK(seen.sealed_with == "k1");
    CHECK(decode_body(seen.body).args == secret_args);
    const auto outcome = decode_outcome(seen.outcome);
    CHECK(outcome.result == "\"" + secret_text + "\"");
    REQUIRE(outcome.notes);
    CHECK(encode(*outcome.notes) == notes);
    CHECK(t.until([&] { return t.with_key.ear->ended.size() == 1; }));
    CHECK(decode_outcome(t.with_key.ear->ended.front().outcome).result == outcome.result);
    CHECK(decode_outcome(await(t.io, t.with_key->watch({&watched, 1})).ended.at(0).outcome).result ==
          outcome.result);
}

TEST_CASE("a page of tasks is readable with the key") {
    sealed_bench t;
    const auto id = t.submitted();
    for (const bool readable : {true, false}) {
        auto& by = readable ? t.with_key : t.without;
        std::vector<found_task> found;
        for (const auto& list : await(t.io, by->lists(state::ready, ""))) {
            const list_call call{.of = list, .where = state::ready, .after = {}};
            for (auto& one : await(t.io, by->list(call)).items) found.push_back(std::move(one.task));
        }
        REQUIRE(found.size() == 1);
        CHECK(found[0].id == id);
        CHECK(shows_secret(found[0].body) == readable);
    }
}

TEST_CASE("a task that is handed over, taken over or stood aside is readable for who has the key") {
    sealed_bench t;
    work_call idle;
    idle.claim = {.queues = {"default"}, .limit = 1, .lease = 30s, .takes_given = true};
    CHECK(await(t.io, t.with_key->work(idle)).claimed.empty());
    t.submitted();
    CHECK(t.until([&] { return t.with_key.ear->given.size() + t.claim(t.with_key, 1).claimed.size() == 1; }));
    for (const auto& task : t.with_key.ear->given) CHECK(args_of(task) == secret_args);

    const auto id = t.submitted();
    const auto got = t.claim(t.without, 1, {"default"}, 1ms).claimed;
    REQUIRE(got.size() == 1);
    CHECK(read_sealed(args_of(got.front()))->key == "k1");
    std::vector<claimed_task> taken;
    CHECK(t.until([&] {
        for (auto& one : await(t.io, t.with_key->recover(10, 30s)).tasks) {
            if (one.id == id) taken.push_back(std::move(one));
        }
        return !taken.empty();
    }));
    CHECK(args_of(taken.front()) == secret_args);
    auto aside = report_of(taken.front(), report::kind::aside);
    auto notes = sealed_bench::telling_notes();
    notes.unknown_handler = 1;
    aside.record = encode(notes);
    CHECK(t.finish(t.with_key, {aside}) == std::vector{report_verdict::accepted});
    t.keeps_secret(id);
    const adopt_call call{.queues = {"default"}, .handlers = {"test"}, .limit = 10};
    const auto adopted = await(t.io, t.with_key->adopt(call)).tasks;
    REQUIRE(adopted.size() == 1);
    CHECK(args_of(adopted.front()) == secret_args);
    CHECK(adopted.front().notes == encode(notes));
}

TEST_CASE("who has no key passes on what he cannot read") {
    sealed_bench t;
    const auto id = t.submitted();
    const auto got = t.claim(t.without, 1).claimed;
    REQUIRE(got.size() == 1);
    auto later = report_of(got.front(), report::kind::later);
    task_notes notes;
    notes.locked = 1;
    notes.snoozed = true;
    later.record = encode(notes);
    CHECK(t.finish(t.without, {later}) == std::vector{report_verdict::accepted});
    const auto seen = t.look(t.without, id);
    auto body = decode_body(seen.body);
    body.priority = 5;
    edit_call call{.id = id, .seen = seen.body, .body = encode(body), .due_at = {}, .expires_at = {}};
    CHECK(await(t.io, t.without->edit(call)) == edit_verdict::done);
    const auto readable = t.look(t.with_key, id);
    CHECK(decode_body(readable.body).args == secret_args);
    CHECK(decode_body(readable.body).priority == 5);
    CHECK(decode_notes(readable.notes).locked == 1);
}

TEST_CASE("a change is made to what was seen, and to nothing else") {
    sealed_bench t;
    const auto id = t.submitted();
    const auto seen = t.look(t.with_key, id);
    const auto edit = [&](const found_task& from, const std::string& to) {
        auto body = decode_body(from.body);
        body.args = to;
        edit_call call{.id = id, .seen = from.body, .body = encode(body), .due_at = {}, .expires_at = {}};
        call.notes = encode(sealed_bench::telling_notes());
        call.seen_notes = from.notes;
        return await(t.io, t.with_key->edit(call));
    };
    CHECK(edit(seen, "[\"" + secret_text + "\",2]") == edit_verdict::done);
    CHECK(edit(seen, "[3]") == edit_verdict::changed);
    t.keeps_secret(id);
    const auto changed = t.look(t.with_key, id);
    CHECK(decode_body(changed.body).args == "[\"" + secret_text + "\",2]");
    CHECK(changed.notes == encode(sealed_bench::telling_notes()));
    CHECK(edit(changed, "[4]") == edit_verdict::done);
}

TEST_CASE("a dead task that is revived keeps its texts secret") {
    sealed_bench t;
    const auto task = t.started();
    auto over = sealed_bench::end_with(task, "");
    over.ended_as = state::dead;
    auto parts = split_end(over.record);
    auto outcome = decode_outcome(parts.outcome);
    outcome.ended_as = state::dead;
    const auto finished_at = parts.finished_at;
    over.record = encode_end(outcome, finished_at, task.body);
    CHECK(t.finish(t.with_key, {over}) == std::vector{report_verdict::accepted});
    const auto found = t.look(t.with_key, task.id);
    REQUIRE(found.finished_at);
    auto notes = *decode_outcome(found.outcome).notes;
    notes.revived = true;
    CHECK(await(t.io,
                t.with_key->revive(task.id, incarnation_of(task.body), *found.finished_at, encode(notes))));
    t.keeps_secret(task.id);
    CHECK(t.look(t.with_key, task.id).notes == encode(notes));
    CHECK(args_of(t.claim(t.with_key, 1).claimed.at(0)) == secret_args);
}

TEST_CASE("items, what their run is made of and what is said of them are kept secret") {
    sealed_bench t;
    const auto task = t.started();
    joining one;
    one.key = bundle_key_of("test", "default", "a");
    one.carrier = derive_carrier_id(one.key, task.id, task.claim);
    one.max_size = 1;
    one.wait = one.grace = 1h;
    one.bytes = 10;
    auto body = decode_body(task.body);
    body.retention = 24h;
    one.carrier_body = encode(body);
    auto joins = report_of(task, report::kind::join);
    joins.record = encode(one);
    CHECK(t.finish(t.with_key, {joins}) == std::vector{report_verdict::accepted});
    t.keeps_secret(task.id);
    t.keeps_secret(one.carrier);
    const auto page = await(t.io, t.with_key->bundle(one.carrier, std::nullopt));
    REQUIRE(page.items.size() == 1);
    CHECK(decode_body(page.items[0].body).args == secret_args);
    const auto carriers = t.claim(t.with_key, 1).claimed;
    REQUIRE(carriers.size() == 1);
    CHECK(carriers[0].id == one.carrier);
    CHECK(args_of(carriers[0]) == secret_args);
    CHECK(t.finish(t.with_key, {sealed_bench::end_with(carriers[0], "")}) ==
          std::vector{report_verdict::accepted});
    const auto again = collected_again(duration{0}, encode(sealed_bench::telling_notes()));
    const auto tell = [&](const std::string& becomes) {
        resolution told{.parent = one.carrier, .what = tidings::bundled, .cancelled = becomes};
        told.children.push_back(task.id);
        await(t.io, t.with_key->resolve({&told, 1}, outcome_of(state::success)));
    };
    tell(again);
    t.keeps_secret(task.id);
    CHECK(t.look(t.with_key, task.id).notes == encode(sealed_bench::telling_notes()));
}

TEST_CASE("a schedule and its runs are kept secret, and can be fired by who has no key") {
    sealed_bench t;
    const auto id = derive_schedule_id("h", "k");
    schedule_record record;
    record.stamp = 1;
    record.identity = "h";
    record.key = "k";
    record.timing.interval = 1h;
    record.run = decode_body(item_of(secret_args).body);
    record.declared_args = secret_args;
    schedule_step step{.id = id};
    step.name = schedule_fixture::name_of("k");
    step.record = encode(record);
    const auto made = [&](int tick, const std::string& with) {
        auto item = schedule_fixture::run_of("k", tick, false, with);
        return item;
    };
    step.runs = {made(1, secret_args)};
    CHECK(await(t.io, t.with_key->step_schedules({&step, 1})) == std::vector{step_verdict::done});
    t.keeps_secret(step.runs[0].id);
    CHECK(decode_body(t.look(t.with_key, step.runs[0].id).body).args == secret_args);
    const std::vector ids{id};
    CHECK(await(t.io, t.with_key->find_schedules(ids)).schedules.at(0).record == step.record);
    const auto listed = await(t.io, t.with_key->list_schedules("", 10));
    REQUIRE(listed.schedules.size() == 1);
    CHECK(listed.schedules[0].record == step.record);
    const auto hidden = await(t.io, t.without->find_schedules(ids)).schedules.at(0).record;
    CHECK_FALSE(shows_secret(hidden));

    auto next = decode_schedule(hidden);
    next.stamp = 2;
    schedule_step blind{.id = id, .seen = 1};
    blind.name = step.name;
    blind.record = encode(next);
    blind.runs = {made(2, next.run.args)};
    CHECK(await(t.io, t.without->step_schedules({&blind, 1})) == std::vector{step_verdict::done});
    CHECK(decode_body(t.look(t.with_key, blind.runs[0].id).body).args == secret_args);
}
