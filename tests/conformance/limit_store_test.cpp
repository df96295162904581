// Limits at the store's seam: how many run at once, who is next, and who holds what until when.
#include "support/limit_fixture.hpp"

#include <catch2/generators/catch_generators.hpp>

using namespace errand;
using namespace errand::test;
using namespace std::chrono_literals;

TEST_CASE("never more run at once than a limit allows, whichever worker claims") {
    limit_fixture t;
    auto other = t.join("other");
    t.set("crm", t.at_most(3));
    t.submit_many(10, t.running("crm"));
    auto got = t.take(2);
    CHECK(got.size() == 2);
    const auto more = t.claim(other, 5).claimed;
    CHECK(more.size() == 1);
    CHECK(t.take(5).empty());
    CHECK(t.claim(other, 5).claimed.empty());
    got.insert(got.end(), more.begin(), more.end());
    for (std::size_t ended = 3; ended <= 10; ++ended) {
        CHECK(t.finish_one(got.front()) == report_verdict::accepted);
        got.erase(got.begin());
        for (const auto& one : t.claim(ended % 2 == 0 ? other : t.worker, 5).claimed) got.push_back(one);
        CHECK(got.size() == std::min<std::size_t>(3, 12 - ended));
    }
    CHECK(t.check().empty());
}

TEST_CASE("a limit of which no rule is known, or of which nothing is limited, is open") {
    limit_fixture t;
    t.submit_many(5, t.both("unknown"));
    CHECK(t.take(10).size() == 5);
    t.set("known", limit_rule{});
    t.submit_many(5, t.both("known"));
    CHECK(t.take(10).size() == 5);
    CHECK(t.state_of_limit("known").running == 5);
    CHECK(t.check().empty());
}

TEST_CASE("what runs when a limit becomes known counts") {
    limit_fixture t;
    t.submit_many(3, t.running("crm"));
    const auto got = t.take(2);
    t.set("crm", t.at_most(2));
    CHECK(t.take(2).empty());
    t.finish_one(got[0]);
    CHECK(t.take(2).size() == 1);
}

TEST_CASE("a limit counts the time in which tasks wait because of it, and no other") {
    using steady = std::chrono::steady_clock;
    limit_fixture t;
    const auto throttled = [&] { return t.state_of_limit("crm").throttled; };
    const auto pass_time = [&] {
        return t.until([end = steady::now() + 30ms] { return steady::now() > end; });
    };
    t.set("crm", t.at_most(1));
    t.submit_many(1, t.running("crm"));
    auto got = t.take(5);
    REQUIRE(got.size() == 1);
    CHECK(pass_time());
    CHECK(throttled() == 0ms);
    t.submit_many(2, t.running("crm"));
    CHECK(t.take(5).empty());
    CHECK(pass_time());
    const auto first = throttled();
    CHECK(first >= 20ms);
    // It goes on as long as one waits; the last one is claimed by the call that ends the one before.
    t.finish_one(got[0]);
    got = t.take(5);
    REQUIRE(got.size() == 1);
    CHECK(pass_time());
    CHECK(throttled() >= first + 20ms);
    got = t.work(t.worker, {t.done(got[0])}, {}, 5).claimed;
    REQUIRE(got.size() == 1);
    const auto all = throttled();
    CHECK(all >= first + 20ms);
    CHECK(pass_time());
    CHECK(throttled() == all);
    t.finish_one(got[0]);
    CHECK(throttled() == all);
    // A rate throttles, too, and nobody waits who is taken away.
    t.set("crm", t.never_more_than(1, 1h));
    t.submit_many(1, t.starts("crm"));
    CHECK(t.take(5).size() == 1);
    const auto late = t.submit_gated(t.starts("crm"));
    CHECK(t.take(5).empty());
    CHECK(pass_time());
    CHECK(throttled() >= all + 20ms);
    CHECK(await(t.io, t.worker->cancel(late, 0, outcome_of(state::cancelled))).cancelled);
    const auto end = throttled();
    CHECK(pass_time());
    CHECK(throttled() == end);
    CHECK(t.check().empty());
}

TEST_CASE("whatever is reported of a task frees its slot, and once") {
    const auto how = GENERATE(report::kind::end, report::kind::retry, report::kind::later,
                              report::kind::aside, report::kind::give_back);
    const bool kept = GENERATE(true, false);
    limit_fixture t;
    t.set("crm", t.at_most(2));
    t.submit_many(2, t.running("crm"));
    const auto got = t.take(2);
    REQUIRE(got.size() == 2);
    t.submit_many(4, t.running("crm"));
    CHECK(t.take(5).empty());
    auto said = t.of(got[0], how, 1h);
    if (how == report::kind::end) said = t.mark(success_of(got[0], kept ? duration{1h} : 0ms), got[0]);
    if (how == report::kind::aside) {
        task_notes notes;
        notes.unknown_handler = 1;
        said.record = encode(notes);
    }
    CHECK(t.work(t.worker, {said}).verdicts == std::vector{report_verdict::accepted});
    CHECK(t.state_of_limit("crm").running == 1);
    CHECK(t.work(t.worker, {said}).verdicts == std::vector{report_verdict::lease_lost});
    CHECK(t.state_of_limit("crm").running == 1);
    CHECK(t.take(5).size() == 1);
    CHECK(t.take(5).empty());
    CHECK(t.check().empty());
}

TEST_CASE("tasks that lacked gates wait behind them from their first claim on, in their order") {
    limit_fixture t;
    t.set("crm", t.at_most(1));
    std::vector<task_id> ids;
    for (int n = 0; n < 4; ++n) ids.push_back(t.submit_many(1, "").at(0));
    auto got = t.take(3);
    REQUIRE(got.size() == 3);
    std::vector<report> said;
    for (const auto& one : got) {
        auto body = decode_body(one.body);
        body.gates = t.running("crm");
        said.push_back(t.of(one, report::kind::regroup, 0ms));
        said.back().record = encode(body);
    }
    CHECK(t.work(t.worker, said, {got[0].claim}).verdicts == std::vector(3, report_verdict::accepted));
    CHECK(t.work(t.worker, {said[0]}).verdicts == std::vector{report_verdict::lease_lost});
    // One of them at a time from now on, beside the one that has no limit.
    got = t.take(5);
    REQUIRE(got.size() == 2);
    CHECK(t.state_of_limit("crm").running == 1);
    CHECK(t.state_of_limit("crm").waiting == 2);
    std::vector<task_id> order;
    while (!got.empty()) {
        for (const auto& one : got) {
            if (one.id != ids[3]) order.push_back(one.id);
            CHECK(t.finish_one(one) == report_verdict::accepted);
        }
        got = t.take(5);
    }
    CHECK(order == std::vector(ids.begin(), ids.begin() + 3));
    CHECK(t.state_of_limit("crm").running == 0);
    CHECK(t.check().empty());
}

TEST_CASE("a task that gets another gate frees what it held, and is in the new group alone") {
    limit_fixture t;
    t.set("crm", t.at_most(1));
    t.set("late", t.at_most(0));
    t.submit_many(2, t.running("crm"));
    const auto got = t.take(2).at(0);
    auto body = decode_body(got.body);
    body.gates += t.both("late");
    auto said = t.of(got, report::kind::regroup, 0ms);
    said.record = encode(body);
    const auto next = t.work(t.worker, {said}, {got.claim}, 5).claimed;
    REQUIRE(next.size() == 1);
    CHECK(next[0].id != got.id);
    CHECK(t.state_of_limit("crm").running == 1);
    CHECK(t.finish_one(next[0]) == report_verdict::accepted);
    CHECK(t.take(5).empty());
    t.set("late", t.at_most(1));
    CHECK(t.take(5).size() == 1);
    CHECK(t.check().empty());
}

TEST_CASE("a report and the next claim in one call: the slot goes to the next task") {
    limit_fixture t;
    t.set("crm", t.at_most(1));
    const auto ids = t.submit_many(3, t.running("crm"));
    auto got = t.take(5);
    for (std::size_t at = 1; at < 3; ++at) {
        REQUIRE(got.size() == 1);
        got = t.work(t.worker, {t.done(got[0])}, {got[0].claim}, 5).claimed;
        CHECK(t.ids_of(got) == std::vector{ids[at]});
    }
}

TEST_CASE("who takes a lost task over has its slot, and the report of the one who lost it frees nothing") {
    limit_fixture t;
    auto gone = t.join("gone");
    t.set("crm", t.at_most(1));
    t.submit_many(2, t.running("crm"));
    const auto lost = t.claim(gone, 1, {"default"}, 20ms).claimed.at(0);
    std::vector<claimed_task> saved;
    REQUIRE(t.until([&] { return !(saved = await(t.io, t.worker->recover(10, 1h)).tasks).empty(); }));
    CHECK(t.take(5).empty());
    CHECK(t.finish(gone, {t.done(lost)}) == std::vector{report_verdict::lease_lost});
    CHECK(t.take(5).empty());
    CHECK(t.state_of_limit("crm").running == 1);
    CHECK(t.finish_one(saved.at(0)) == report_verdict::accepted);
    CHECK(t.take(5).size() == 1);
    CHECK(t.check().empty());
}

TEST_CASE("tasks without limits are taken over together with those that hold slots") {
    limit_fixture t;
    auto gone = t.join("gone");
    t.set("crm", t.at_most(1));
    const auto gated = t.submit_many(1, t.running("crm")).at(0);
    t.submit_all(gone, {item_of("a"), item_of("b")});
    CHECK(t.claim(gone, 3, {"default"}, 20ms).claimed.size() == 3);
    std::vector<claimed_task> saved;
    REQUIRE(t.until([&] { return !(saved = await(t.io, t.worker->recover(10, 1h)).tasks).empty(); }));
    REQUIRE(saved.size() == 3);
    CHECK(t.state_of_limit("crm").running == 1);
    for (const auto& one : saved) CHECK(t.finish_one(one) == report_verdict::accepted);
    CHECK(t.state_of_limit("crm").running == 0);
    CHECK(std::ranges::count(saved, gated, &claimed_task::id) == 1);
    CHECK(t.check().empty());
}

TEST_CASE("a task that is cancelled while it runs keeps its slot until its worker reports") {
    limit_fixture t;
    t.set("crm", t.at_most(1));
    t.submit_many(2, t.running("crm"));
    const auto got = t.take(1);
    t.cancel(got.at(0).id);
    CHECK(t.take(5).empty());
    CHECK(t.state_of_limit("crm").running == 1);
    CHECK(t.check().empty());
    CHECK(t.finish(t.worker, {t.done(got[0])}) == std::vector{report_verdict::lease_lost});
    CHECK(t.take(5).size() == 1);
    CHECK(t.check().empty());
}

TEST_CASE("a cancelled task's slot comes back when its lease has run out, or its claim is over") {
    const bool closed = GENERATE(true, false);
    limit_fixture t;
    auto gone = t.join("gone");
    t.set("crm", t.at_most(1));
    t.submit_many(2, t.running("crm"));
    const auto got = t.claim(gone, 1, {"default"}, closed ? duration{1h} : 20ms).claimed;
    t.cancel(got.at(0).id);
    CHECK(t.take(5).empty());
    if (closed) {
        t.work(gone, {}, {got[0].claim});
    } else {
        CHECK(t.until([&] {
            CHECK(await(t.io, t.worker->recover(10, 1h)).tasks.empty());
            return t.state_of_limit("crm").running == 0;
        }));
    }
    CHECK(t.take(5).size() == 1);
    CHECK(t.check().empty());
}

TEST_CASE("a task that is cancelled while it runs and begins anew holds two slots until both are over") {
    limit_fixture t;
    t.set("crm", t.at_most(2));
    const auto item = t.gated(t.running("crm"));
    t.submit(t.worker, item);
    const auto before = t.take(1).at(0);
    t.cancel(item.id);
    CHECK(t.submit(t.worker, t.behind(item_with(item.id, "[2]"), t.running("crm"))).verdict ==
          submit_verdict::accepted);
    const auto anew = t.take(1).at(0);
    CHECK(t.state_of_limit("crm").running == 2);
    CHECK(t.finish_one(before) == report_verdict::lease_lost);
    CHECK(t.state_of_limit("crm").running == 1);
    CHECK(t.finish_one(anew) == report_verdict::accepted);
    CHECK(t.state_of_limit("crm").running == 0);
    CHECK(t.check().empty());
}

TEST_CASE("a limit holds for each key by itself") {
    limit_fixture t;
    t.set("handler:sync", t.at_most(2));
    for (const auto* key : {"a", "b", "c"}) t.submit_many(3, t.running("handler:sync", key), key);
    auto got = t.take(100);
    CHECK(got.size() == 6);
    CHECK(t.state_of_limit("handler:sync").running == 6);
    CHECK(t.state_of_limit("handler:sync").waiting == 3);
    const auto one = std::ranges::find(got, "b", [](const auto& task) { return args_of(task); });
    t.finish_one(*one);
    CHECK(t.taken_args(10) == "b");
}

TEST_CASE("all gates of a task are taken in one step, or none") {
    limit_fixture t;
    t.set("one", t.at_most(1));
    t.set("two", t.at_most(1));
    const auto both = t.submit_gated(t.running("one") + t.running("two"));
    const auto first = t.take(5);
    CHECK(t.ids_of(first) == std::vector{both});
    const auto after = t.submit_gated(t.running("one") + t.running("two"));
    const auto alone = t.submit_gated(t.running("two"));
    CHECK(t.take(5).empty());
    t.finish_one(first[0]);
    const auto next = t.take(5);
    REQUIRE(next.size() == 1);
    CHECK(t.state_of_limit("one").running + t.state_of_limit("two").running == (next[0].id == after ? 2 : 1));
    t.finish_one(next[0]);
    const auto last = t.take(5);
    CHECK(t.ids_of(last) == std::vector{next[0].id == after ? alone : after});
    CHECK(t.check().empty());
}

TEST_CASE("ten thousand tasks of one key keep nobody else waiting") {
    limit_fixture t;
    t.set("handler:sync", t.at_most(1));
    t.submit_many(10'000, t.running("handler:sync", "A"), "A");
    auto first = t.take(1);
    t.submit_many(10, t.running("handler:sync", "B"), "B");
    t.submit(t.worker, item_of("P"));
    std::string got;
    for (const auto& task : t.take(5)) got += args_of(task);
    CHECK((got == "BP" || got == "PB"));
    CHECK(t.finish_one(first.at(0)) == report_verdict::accepted);
    CHECK(t.taken_args(5) == "A");
}
