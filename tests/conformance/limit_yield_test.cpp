// Limits at the store's seam: attempts that wait for other tasks let these through, and come back.
#include "support/limit_fixture.hpp"

#include <catch2/generators/catch_generators.hpp>

using namespace errand;
using namespace errand::test;
using namespace std::chrono_literals;

namespace {

struct yield_fixture : limit_fixture {
    yield_verdict say(member& by, const claimed_task& task, bool back) {
        const std::vector<yield_wish> one{{task.id, task.claim, back}};
        return await(io, by->yield_gates(one)).at(0);
    }
    yield_verdict leave(const claimed_task& task) { return say(worker, task, false); }
    yield_verdict come_back(const claimed_task& task) { return say(worker, task, true); }
    std::int64_t runs(const std::string& limit) { return state_of_limit(limit).running; }
    // Of the worker, that it was told so of this task.
    bool hears_of(const claimed_task& task) {
        return until([&] { return std::ranges::count(worker.ear->may_run, task.id) > 0; });
    }
};

}  // namespace

TEST_CASE("an attempt that waits lets the next task through, and runs again when its place is free") {
    yield_fixture t;
    t.set("crm", t.at_most(1));
    t.submit_many(2, t.running("crm"));
    const auto parent = t.take(1).at(0);
    CHECK(t.take(5).empty());
    CHECK(t.leave(parent) == yield_verdict::done);
    CHECK(t.runs("crm") == 0);
    const auto child = t.take(5);
    REQUIRE(child.size() == 1);
    CHECK(t.runs("crm") == 1);
    CHECK(t.finish_one(child[0]) == report_verdict::accepted);
    CHECK(t.come_back(parent) == yield_verdict::done);
    CHECK(t.runs("crm") == 1);
    t.submit_gated(t.running("crm"));
    CHECK(t.take(5).empty());
    CHECK(t.check().empty());
    CHECK(t.finish_one(parent) == report_verdict::accepted);
    CHECK(t.runs("crm") == 0);
    CHECK(t.take(5).size() == 1);
    CHECK(t.check().empty());
}

TEST_CASE("an attempt that comes back runs before all that have not started, and never beside too many") {
    yield_fixture t;
    t.set("crm", t.at_most(1));
    t.submit_many(4, t.running("crm"));
    const auto parent = t.take(1).at(0);
    CHECK(t.leave(parent) == yield_verdict::done);
    const auto child = t.take(5).at(0);
    CHECK(t.come_back(parent) == yield_verdict::in_line);
    CHECK(t.come_back(parent) == yield_verdict::in_line);
    CHECK(t.runs("crm") == 1);
    CHECK(t.check().empty());
    CHECK(t.take(5).empty());
    CHECK(t.worker.ear->may_run.empty());
    // Its end and the next claim are one call.
    CHECK(t.work(t.worker, {t.done(child)}, {child.claim}, 5).claimed.empty());
    CHECK(t.hears_of(parent));
    CHECK(t.take(5).empty());
    CHECK(t.come_back(parent) == yield_verdict::done);
    CHECK(t.runs("crm") == 1);
    CHECK(t.finish_one(parent) == report_verdict::accepted);
    CHECK(t.take(5).size() == 1);
    CHECK(t.take(5).empty());
    CHECK(t.check().empty());
}

TEST_CASE("what is said twice changes nothing the second time") {
    yield_fixture t;
    t.set("crm", t.at_most(2));
    t.submit_many(4, t.running("crm"));
    const auto got = t.take(2);
    REQUIRE(got.size() == 2);
    for (int i = 0; i < 2; ++i) CHECK(t.leave(got[0]) == yield_verdict::done);
    CHECK(t.runs("crm") == 1);
    for (int i = 0; i < 2; ++i) CHECK(t.come_back(got[0]) == yield_verdict::done);
    CHECK(t.runs("crm") == 2);
    CHECK(t.take(5).empty());
    CHECK(t.check().empty());
}

TEST_CASE("whoever does not hold the task is refused, and what its holder has stays") {
    yield_fixture t;
    t.set("crm", t.at_most(1));
    t.submit_many(2, t.running("crm"));
    const auto task = t.take(1).at(0);
    auto stale = task;
    stale.claim -= 1;
    CHECK(t.leave(stale) == yield_verdict::lost);
    CHECK(t.come_back(stale) == yield_verdict::lost);
    CHECK(t.runs("crm") == 1);
    t.cancel(task.id);
    CHECK(t.leave(task) == yield_verdict::lost);
    CHECK(t.come_back(task) == yield_verdict::lost);
    // A cancelled attempt has its place until it has ended.
    CHECK(t.take(5).empty());
    t.finish_one(task);
    CHECK(t.come_back(task) == yield_verdict::lost);
    CHECK(t.take(5).size() == 1);
    CHECK(t.check().empty());
}

TEST_CASE("who is taken over while it waits, or stands in line, has left nothing behind") {
    const bool in_line = GENERATE(false, true);
    yield_fixture t;
    auto gone = t.join("gone");
    t.set("crm", t.at_most(1));
    t.submit_many(3, t.running("crm"));
    const auto parent = t.claim(gone, 1, {"default"}, 20ms).claimed.at(0);
    CHECK(t.say(gone, parent, false) == yield_verdict::done);
    const auto child = t.take(5).at(0);
    if (in_line) CHECK(t.say(gone, parent, true) == yield_verdict::in_line);
    std::vector<claimed_task> saved;
    REQUIRE(t.until([&] { return !(saved = await(t.io, t.worker->recover(10, 1h)).tasks).empty(); }));
    CHECK(t.check().empty());
    CHECK(t.runs("crm") == 1);
    CHECK(t.say(gone, parent, true) == yield_verdict::lost);
    CHECK(t.finish(gone, {t.done(parent)}) == std::vector{report_verdict::lease_lost});
    t.finish_one(child);
    CHECK(t.take(5).size() == 1);
    CHECK(t.finish_one(saved.at(0)) == report_verdict::accepted);
    CHECK(t.runs("crm") == 1);
    CHECK(t.take(5).empty());
    CHECK(t.check().empty());
}

TEST_CASE("an attempt that ends while it waits or stands in line frees what it has, once") {
    const bool in_line = GENERATE(false, true);
    const auto how = GENERATE(report::kind::end, report::kind::retry, report::kind::give_back);
    const bool cancelled = GENERATE(false, true);
    yield_fixture t;
    t.set("crm", t.at_most(1));
    t.submit_many(3, t.running("crm"));
    const auto parent = t.take(1).at(0);
    t.leave(parent);
    const auto child = t.take(5).at(0);
    if (in_line) CHECK(t.come_back(parent) == yield_verdict::in_line);
    if (cancelled) t.cancel(parent.id);
    t.work(t.worker, {how == report::kind::end ? t.done(parent) : t.of(parent, how, 1h)});
    CHECK(t.check().empty());
    CHECK(t.runs("crm") == 1);
    CHECK(t.take(5).empty());
    t.finish_one(child);
    CHECK(t.take(5).size() == 1);
    CHECK(t.worker.ear->may_run.empty());
    CHECK(t.check().empty());
}

TEST_CASE("who comes back to several limits runs when all have room, and nobody new takes it meanwhile") {
    yield_fixture t;
    t.set("one", t.at_most(1));
    t.set("two", t.at_most(1));
    t.submit_gated(t.running("one") + t.both("two"));
    const auto parent = t.take(5).at(0);
    t.leave(parent);
    t.submit_gated(t.both("two"));
    const auto child = t.take(5).at(0);
    CHECK(t.come_back(parent) == yield_verdict::in_line);
    t.submit_gated(t.running("one"));
    t.submit_gated(t.both("two"));
    CHECK(t.take(5).empty());
    CHECK(t.runs("one") == 0);
    t.finish_one(child);
    CHECK(t.hears_of(parent));
    CHECK(t.take(5).empty());
    CHECK(t.come_back(parent) == yield_verdict::done);
    CHECK(t.runs("one") + t.runs("two") == 2);
    t.finish_one(parent);
    CHECK(t.take(5).size() == 2);
    CHECK(t.check().empty());
}

TEST_CASE("of those who stand in line the one runs first who came first") {
    yield_fixture t;
    t.set("crm", t.at_most(2));
    t.submit_many(4, t.running("crm"));
    const auto parents = t.take(2);
    REQUIRE(parents.size() == 2);
    const std::vector<yield_wish> both_leave{{parents[0].id, parents[0].claim, false},
                                             {parents[1].id, parents[1].claim, false}};
    CHECK(await(t.io, t.worker->yield_gates(both_leave)) == std::vector(2, yield_verdict::done));
    const auto children = t.take(5);
    REQUIRE(children.size() == 2);
    const std::vector<yield_wish> both_come{{parents[1].id, parents[1].claim, true},
                                            {parents[0].id, parents[0].claim, true}};
    CHECK(await(t.io, t.worker->yield_gates(both_come)) == std::vector(2, yield_verdict::in_line));
    CHECK(t.runs("crm") == 2);
    t.finish_one(children[0]);
    CHECK(t.hears_of(parents[1]));
    CHECK(t.come_back(parents[1]) == yield_verdict::done);
    CHECK(t.come_back(parents[0]) == yield_verdict::in_line);
    CHECK(t.worker.ear->may_run.size() == 1);
    CHECK(t.runs("crm") == 2);
    CHECK(t.check().empty());
    t.finish_one(children[1]);
    CHECK(t.hears_of(parents[0]));
    CHECK(t.come_back(parents[0]) == yield_verdict::done);
    CHECK(t.check().empty());
}

TEST_CASE("who waits again while it stands in line leaves it") {
    yield_fixture t;
    t.set("crm", t.at_most(1));
    t.submit_many(3, t.running("crm"));
    const auto parent = t.take(1).at(0);
    t.leave(parent);
    const auto child = t.take(5).at(0);
    CHECK(t.come_back(parent) == yield_verdict::in_line);
    CHECK(t.leave(parent) == yield_verdict::done);
    CHECK(t.check().empty());
    t.finish_one(child);
    CHECK(t.take(5).size() == 1);
    CHECK(t.worker.ear->may_run.empty());
}

TEST_CASE(
    "another rule lets those run who stand in line, and what has started is finished behind a closed limit") {
    const auto rule = GENERATE(2, -1, 0);
    yield_fixture t;
    t.set("crm", t.at_most(1));
    t.set("other", t.at_most(1));
    t.submit_many(2, t.running("crm") + t.running("other", "a"));
    t.submit_many(1, t.running("crm") + t.running("other", "b"));
    const auto parent = t.take(1).at(0);
    t.leave(parent);
    const auto child = t.take(5).at(0);
    CHECK(t.come_back(parent) == yield_verdict::in_line);
    if (rule >= 0)
        t.set("crm", t.at_most(rule));
    else
        t.set("crm", limit_rule{});
    t.set("other", limit_rule{});
    if (rule == 0) {
        CHECK(t.come_back(parent) == yield_verdict::in_line);
        t.finish_one(child);
    }
    CHECK(t.hears_of(parent));
    CHECK(t.come_back(parent) == yield_verdict::done);
    CHECK(t.take(5).size() == (rule < 0 ? 1U : 0U));
    CHECK(t.check().empty());
}

TEST_CASE("coming back is no start: a rate is not used up by it") {
    yield_fixture t;
    t.set("crm", limit_rule{.max_running = 1, .rate = rate_limit{1, 1h}});
    t.submit_gated(t.both("crm"));
    const auto task = t.take(1).at(0);
    for (int i = 0; i < 3; ++i) {
        CHECK(t.leave(task) == yield_verdict::done);
        CHECK(t.come_back(task) == yield_verdict::done);
    }
    CHECK(t.runs("crm") == 1);
    CHECK(t.check().empty());
}

TEST_CASE("what is not limited in how many run holds nothing that it could give away") {
    yield_fixture t;
    t.set("rate", t.never_more_than(5, 1s));
    t.submit(t.worker, item_of("plain"));
    t.submit_gated(t.starts("rate"));
    const auto got = t.take(5);
    REQUIRE(got.size() == 2);
    for (const auto& one : got) {
        CHECK(t.leave(one) == yield_verdict::done);
        CHECK(t.come_back(one) == yield_verdict::done);
        CHECK(t.finish_one(one) == report_verdict::accepted);
    }
    CHECK(t.runs("rate") == 0);
    CHECK(t.check().empty());
}

TEST_CASE("a key's place goes to that key") {
    yield_fixture t;
    t.set("handler:sync", t.at_most(1));
    for (const auto* key : {"a", "b"}) t.submit_many(2, t.running("handler:sync", key), key);
    const auto got = t.take(5);
    REQUIRE(got.size() == 2);
    const auto& of_a = args_of(got[0]) == "a" ? got[0] : got[1];
    t.leave(of_a);
    const auto next = t.take(5);
    REQUIRE(next.size() == 1);
    CHECK(args_of(next[0]) == "a");
    CHECK(t.come_back(of_a) == yield_verdict::in_line);
    const auto& of_b = args_of(got[0]) == "b" ? got[0] : got[1];
    t.finish_one(of_b);
    CHECK(t.worker.ear->may_run.empty());
    CHECK(t.taken_args(5) == "b");
    t.finish_one(next[0]);
    CHECK(t.hears_of(of_a));
    CHECK(t.check().empty());
}

TEST_CASE("an idle worker is woken for what an attempt lets through, and what waits sees how many run") {
    yield_fixture t;
    auto idle = t.join("idle");
    t.set("crm", t.at_most(1));
    const auto ids = t.submit_many(3, t.running("crm"));
    const auto parent = t.take(1).at(0);
    CHECK(t.claim(idle, 1).claimed.empty());
    const auto wakes = idle.ear->wakes;
    t.leave(parent);
    CHECK(t.until([&] { return idle.ear->wakes > wakes; }));
    CHECK(t.claim(idle, 1).claimed.size() == 1);
    CHECK(t.come_back(parent) == yield_verdict::in_line);
    const auto closed = await(t.io, t.worker->find(ids[2]))->closed;
    REQUIRE(closed.size() == 1);
    CHECK(closed[0].running == 1);
    CHECK(closed[0].max_running == 1);
}
