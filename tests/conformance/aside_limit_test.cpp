// Tasks of handlers that some workers do not know, at limits.
#include "support/two_programs.hpp"

#include <catch2/generators/catch_generators.hpp>

using namespace errand;
using namespace errand::test;
using namespace std::chrono_literals;

TEST_CASE(
    "what stands aside while its limit is used up is claimed by nobody who does not know it, and goes on in turn") {
    two_programs t;
    t.set("crm", t.at_most(1));
    const auto first = t.gated_stranger(t.running("crm"), "1"),
               second = t.gated_stranger(t.running("crm"), "2");
    t.submit_gated(t.running("crm"), "known");
    auto got = t.take(1);
    REQUIRE(got.size() == 1);
    CHECK(t.adopt(t.fresh).tasks.empty());
    CHECK(t.claim(t.old, 10).claimed.empty());
    CHECK(t.check().empty());
    CHECK(t.finish_one(got[0]) == report_verdict::accepted);
    CHECK(t.claim(t.old, 10).claimed.empty());
    CHECK(t.adopt(t.fresh, 10, 1h, {"other"}).tasks.empty());
    CHECK(t.adopt(t.fresh, 0).more);
    std::set<task_id> adopted;
    for (int i = 0; i < 2; ++i) {
        const auto taken = t.adopt(t.fresh).tasks;
        REQUIRE(taken.size() == 1);
        adopted.insert(taken[0].id);
        CHECK(t.claim(t.old, 10).claimed.empty());
        CHECK(t.check().empty());
        CHECK(t.work(t.fresh, {t.done(taken[0])}).verdicts == std::vector{report_verdict::accepted});
    }
    CHECK(adopted == std::set{first, second});
    CHECK_FALSE(t.adopt(t.fresh, 0).more);
    CHECK(t.state_of_limit("crm").running == 0);
    CHECK(t.check().empty());
}

TEST_CASE(
    "what waits at a limit for one who knows it is cancelled, removed, changed and replaced like any other") {
    two_programs t;
    t.set("crm", t.at_most(1));
    std::vector<task_id> all;
    for (int i = 0; i < 6; ++i) all.push_back(t.gated_stranger(t.running("crm")));
    t.submit_gated(t.running("crm"), "known");
    auto holder = t.take(1);
    REQUIRE(holder.size() == 1);
    CHECK(t.adopt(t.fresh).tasks.empty());
    t.cancel(all[0]);
    CHECK(await(t.io, t.worker->remove(all[1], outcome_of(state::cancelled, 0ms))) ==
          remove_verdict::removed);
    auto instead = t.behind(item_with(all[2], "[2]", on_conflict::replace), t.running("crm"));
    CHECK(t.submit(t.worker, instead).verdict == submit_verdict::replaced);
    const auto edit = [&](const task_id& id, std::optional<time_point> due) {
        const auto seen = await(t.io, t.worker->find(id))->body;
        auto body = decode_body(seen);
        body.priority = 7;
        CHECK(await(t.io, t.worker->edit({id, seen, encode(body), due, {}})) == edit_verdict::done);
    };
    CHECK(t.findings() == "");
    edit(all[3], {});
    CHECK(t.findings() == "");
    edit(all[4], std::chrono::floor<duration>(std::chrono::system_clock::now()) + 1h);
    CHECK(t.check().empty());
    CHECK(t.finish_one(holder[0]) == report_verdict::accepted);
    // The one that is changed and the one that is left are for who knows them, what replaced another is new.
    std::set<task_id> adopted;
    for (int i = 0; i < 2; ++i) {
        const auto got = t.adopt(t.fresh).tasks;
        REQUIRE(got.size() == 1);
        adopted.insert(got[0].id);
        CHECK(t.work(t.fresh, {t.done(got[0])}).verdicts == std::vector{report_verdict::accepted});
    }
    CHECK(adopted == std::set{all[3], all[5]});
    CHECK(t.adopt(t.fresh).tasks.empty());
    const auto claimed = t.claim(t.old, 10).claimed;
    REQUIRE(claimed.size() == 1);
    CHECK(claimed[0].id == all[2]);
    CHECK(t.check().empty());
}

namespace {

// At a limit of one that is used up: a stranger, and others whose worker reports and claims in one call.
struct contended : two_programs {
    contended() {
        set("crm", at_most(1));
        stranger_id = gated_stranger(running("crm"));
        submit_many(8, running("crm"));
        held = work(old, {}, {}, 1).claimed;
        REQUIRE(held.size() == 1);
    }
    // Whether it has retaken the place.
    bool goes_on() {
        auto answer = work(old, {done(held.at(0))}, {held.at(0).claim}, 1);
        held = std::move(answer.claimed);
        return !held.empty();
    }

    task_id stranger_id{};
    std::vector<claimed_task> held{};
};

// On SQLite it waits for a look that finds the limit open (docs/decisions.md).
bool has_promises() { return kind_of_tests() == store_kind::redis; }

}  // namespace

TEST_CASE(
    "what stands aside gets its turn at a limit though others retake its place in the step that frees it") {
    if (!has_promises()) return;
    const bool idle = GENERATE(true, false);
    contended t;
    const auto comes = [&] {
        if (idle) {
            t.waits_for_strangers(t.fresh);
        } else {
            CHECK(t.adopt(t.fresh).tasks.empty());
        }
    };
    comes();
    // Those who came before it, and then it.
    CHECK(t.goes_on());
    comes();
    const auto told = t.fresh.ear->asides;
    CHECK_FALSE(t.goes_on());
    CHECK(t.until([&] { return t.fresh.ear->asides > told; }));
    const auto got = t.adopt(t.fresh).tasks;
    REQUIRE(got.size() == 1);
    CHECK(got[0].id == t.stranger_id);
    CHECK(t.check().empty());
    // And the others theirs.
    t.work(t.fresh, {t.done(got[0])});
    CHECK(t.claim(t.old, 1).claimed.size() == 1);
}

TEST_CASE("a place that is kept for what stands aside and not taken is another's a second later") {
    if (!has_promises()) return;
    contended t;
    t.waits_for_strangers(t.fresh);
    CHECK(t.goes_on());
    t.waits_for_strangers(t.fresh);
    CHECK_FALSE(t.goes_on());
    CHECK(t.check().empty());
    CHECK(t.until([&] { return (t.held = t.claim(t.old, 1).claimed).size() == 1; }));
    // Nobody has come, so nobody waits for him again.
    for (int i = 0; i < 3; ++i) CHECK(t.goes_on());
    CHECK(t.check().empty());
}

TEST_CASE("of several places at a limit one is kept for what stands aside") {
    if (!has_promises()) return;
    two_programs t;
    t.set("crm", t.at_most(3));
    const auto id = t.gated_stranger(t.running("crm"));
    t.submit_many(8, t.running("crm"));
    const auto held = t.work(t.old, {}, {}, 3).claimed;
    REQUIRE(held.size() == 3);
    t.waits_for_strangers(t.fresh);
    const auto next = t.work(t.old, {t.done(held[0]), t.done(held[1])}, {}, 3).claimed;
    CHECK(next.size() == 1);
    const auto got = t.adopt(t.fresh).tasks;
    REQUIRE(got.size() == 1);
    CHECK(got[0].id == id);
    CHECK(t.check().empty());
}

TEST_CASE("nothing is kept for what stands aside in a paused queue") {
    if (!has_promises()) return;
    two_programs t;
    t.set("crm", t.at_most(1));
    t.gated_stranger(t.running("crm"));
    t.submit_many(8, t.running("crm"), "[]", "other");
    auto held = t.work(t.old, {}, {}, 1, "other").claimed;
    REQUIRE(held.size() == 1);
    t.waits_for_strangers(t.fresh);
    await(t.io, t.worker->pause("default"));
    for (int i = 0; i < 4; ++i) {
        held = t.work(t.old, {t.done(held.at(0))}, {held.at(0).claim}, 1, "other").claimed;
        REQUIRE(held.size() == 1);
    }
}

TEST_CASE("a worker that names no handlers and came for what stands aside is promised a place as well") {
    if (!has_promises()) return;
    contended t;
    adopt_call all{.queues = own_queues, .handlers = {"other"}, .limit = 10};
    all.all_but = true;
    CHECK(await(t.io, t.fresh->adopt(all)).tasks.empty());
    CHECK(t.goes_on());
    CHECK(await(t.io, t.fresh->adopt(all)).tasks.empty());
    CHECK_FALSE(t.goes_on());
    const auto got = await(t.io, t.fresh->adopt(all)).tasks;
    REQUIRE(got.size() == 1);
    CHECK(got[0].id == t.stranger_id);
    CHECK(t.check().empty());
}

TEST_CASE(
    "what stood aside and is sent behind a limit that it lacked is claimed by nobody who does not know it") {
    // On SQLite its worker, which knows it, puts it into the group of all.
    if (!has_promises()) return;
    two_programs t;
    t.set("crm", t.at_most(1));
    const auto id = t.stranger();
    const auto got = t.adopt(t.fresh).tasks;
    REQUIRE(got.size() == 1);
    auto body = decode_body(got[0].body);
    body.gates = t.running("crm");
    auto said = t.of(got[0], report::kind::regroup, 0ms);
    said.record = encode(body);
    said.strange = true;
    CHECK(t.work(t.fresh, {said}, {got[0].claim}).verdicts == std::vector{report_verdict::accepted});
    CHECK(t.claim(t.old, 10).claimed.empty());
    CHECK(t.check().empty());
    const auto again = t.adopt(t.fresh).tasks;
    REQUIRE(again.size() == 1);
    CHECK(again[0].id == id);
    CHECK(t.check().empty());
}
