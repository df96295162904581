// Limits of starts in a time, at the store's seam.
#include "support/limit_fixture.hpp"

#include <catch2/generators/catch_generators.hpp>

#include <algorithm>
#include <iterator>
#include <thread>

using namespace errand;
using namespace errand::test;
using namespace std::chrono_literals;

namespace {

// Claims whenever the store says that one may, until so many have started: when each did.
std::vector<time_point> starts_of(limit_fixture& t, std::size_t count, std::size_t at_once) {
    std::vector<time_point> starts;
    CHECK(t.until([&] {
        const auto got = t.claim(t.worker, at_once);
        starts.insert(starts.end(), got.claimed.size(), got.now);
        std::vector<report> reports;
        for (const auto& task : got.claimed) reports.push_back(t.done(task));
        if (!reports.empty()) t.finish(t.worker, reports);
        return starts.size() >= count;
    }));
    return starts;
}

// The store's clock is shown in whole milliseconds.
bool keeps_to(const std::vector<time_point>& starts, std::size_t count, duration per) {
    for (std::size_t at = count; at < starts.size(); ++at) {
        if (starts[at] - starts[at - count] < per - 1ms) return false;
    }
    return true;
}

}  // namespace

TEST_CASE("in no time of a rate more start than it allows") {
    limit_fixture t;
    t.set("crm", t.never_more_than(4, 200ms));
    t.submit_many(12, t.starts("crm"));
    CHECK(keeps_to(starts_of(t, 12, 10), 4, 200ms));
    CHECK(t.check().empty());
}

TEST_CASE("a burst starts at once, and in no time of its rate more start than that allows") {
    limit_fixture t;
    t.set("crm", t.never_more_than(6, 200ms, 4));
    t.submit_many(14, t.both("crm"));
    const auto starts = starts_of(t, 14, 10);
    CHECK(starts[0] == starts[3]);
    CHECK(keeps_to(starts, 6, 200ms));
    CHECK(t.check().empty());
}

TEST_CASE("who finds a limit closed by its rate is told when it opens") {
    limit_fixture t;
    t.set("crm", t.never_more_than(1, 1h));
    t.submit_many(2, t.starts("crm"));
    const auto first = t.claim(t.worker, 5);
    CHECK(first.claimed.size() == 1);
    REQUIRE(first.next_due);
    CHECK(*first.next_due > first.now + 59min);
    CHECK(*first.next_due <= first.now + 1h + 1s);
    const auto again = t.claim(t.worker, 5);
    CHECK(again.claimed.empty());
    CHECK(again.next_due == first.next_due);
    const auto promoted = await(t.io, t.worker->promote(std::vector<std::string>{"default"}, 10, {}));
    CHECK(promoted.next_due == first.next_due);
    CHECK(t.state_of_limit("crm").opens_at == first.next_due);
    CHECK(t.state_of_limit("crm").waiting == 1);
    // Attempts count, not tasks.
    t.finish(t.worker, {t.of(first.claimed[0], report::kind::give_back)});
    CHECK(t.claim(t.worker, 5).claimed.empty());
    CHECK(t.check().empty());
}

TEST_CASE(
    "who starts a task as a rate opens sleeps until it opens again, though another has slept until now") {
    limit_fixture t;
    auto other = t.join("other");
    for (auto* one : {&t.worker, &other}) await(t.io, (*one)->beat("{}", 60s, {}));
    t.set("crm", t.never_more_than(1, 300ms));
    t.submit_many(3, t.starts("crm"));
    CHECK(t.claim(t.worker, 5).claimed.size() == 1);
    work_answer got;
    CHECK(t.until([&] {
        await(t.io, t.worker->promote(std::vector<std::string>{"default"}, 10, {}));
        got = t.claim(other, 5);
        return !got.claimed.empty();
    }));
    REQUIRE(got.next_due);
    CHECK(*got.next_due <= got.now + 310ms);
    CHECK(t.check().empty());
}

TEST_CASE("a start that comes a little late does not move the one after it") {
    limit_fixture t;
    t.set("crm", t.never_more_than(50, 1s));
    t.submit_many(30, t.starts("crm"));
    auto got = t.claim(t.worker, 5);
    for (int n = 0; n < 10; ++n) {
        REQUIRE(got.next_due);
        const auto opens = *got.next_due;
        // On the clock of this machine, which is the store's.
        std::this_thread::sleep_until(opens + 2ms);
        CHECK(t.until([&] {
            got = t.claim(t.worker, 5);
            return !got.claimed.empty();
        }));
        // Where this machine is slower it begins anew.
        if (got.now < opens + 2ms || got.now > opens + 3ms) continue;
        REQUIRE(got.next_due);
        CHECK(*got.next_due < got.now + 20ms);
        CHECK(*got.next_due >= opens + 20ms);
    }
    CHECK(t.check().empty());
}

TEST_CASE("what was started under the rule before counts under one that allows for more lateness") {
    limit_fixture t;
    const auto gate = GENERATE(limit_fixture::starts("crm"), limit_fixture::both("crm", "a customer"));
    t.set("crm", t.never_more_than(1, 1h, 1));
    t.submit_many(2, gate);
    const auto first = t.claim(t.worker, 5);
    REQUIRE(first.claimed.size() == 1);
    t.set("crm", t.never_more_than(1, 1h));
    auto next = t.claim(t.worker, 5);
    CHECK(next.claimed.empty());
    REQUIRE(next.next_due);
    CHECK(*next.next_due >= first.now + 1h);
    // The same said again, and another one and the first again.
    for (const auto burst : {0, 1, 0}) {
        t.set("crm", t.never_more_than(1, 1h, burst));
        next = t.claim(t.worker, 5);
        CHECK(next.claimed.empty());
        REQUIRE(next.next_due);
        CHECK(*next.next_due >= first.now + 1h);
        CHECK(*next.next_due <= first.now + 1h + 1min);
    }
    CHECK(t.check().empty());
}

TEST_CASE("a burst that a rule before had used up does not start again because another rule follows") {
    limit_fixture t;
    const auto gate = GENERATE(limit_fixture::starts("crm"), limit_fixture::both("crm", "a customer"));
    t.set("crm", t.never_more_than(4, 1h, 4));
    t.submit_many(20, gate);
    const auto first = t.claim(t.worker, 10);
    CHECK(first.claimed.size() == 4);
    const auto opens_after = [&](duration least) {
        const auto next = t.claim(t.worker, 10);
        CHECK(next.claimed.empty());
        REQUIRE(next.next_due);
        CHECK(*next.next_due >= first.now + least);
        CHECK(*next.next_due <= first.now + 1h + 1min);
    };
    opens_after(1h);
    t.set("crm", t.never_more_than(4, 1h));
    opens_after(1h);
    t.set("crm", t.never_more_than(4, 1h, 2));
    opens_after(1h);
    // More may start than before.
    t.set("crm", t.never_more_than(60, 1h));
    opens_after(1min);
    CHECK(t.check().empty());
}

TEST_CASE("a burst is none behind starts that were evenly spaced") {
    limit_fixture t;
    t.set("crm", t.never_more_than(4, 400ms, 1));
    t.submit_many(16, t.starts("crm"));
    auto starts = starts_of(t, 4, 10);
    t.set("crm", t.never_more_than(4, 400ms, 4));
    std::ranges::copy(starts_of(t, 12, 10), std::back_inserter(starts));
    CHECK(keeps_to(starts, 4, 400ms));
    CHECK(t.check().empty());
}

TEST_CASE("a rate that is raised lets the next one start after its new spacing") {
    limit_fixture t;
    t.set("crm", t.never_more_than(1, 1h));
    t.submit_many(2, t.starts("crm"));
    const auto first = t.claim(t.worker, 5);
    CHECK(first.claimed.size() == 1);
    t.set("crm", t.never_more_than(60, 1h));
    const auto next = t.claim(t.worker, 5);
    CHECK(next.claimed.empty());
    REQUIRE(next.next_due);
    CHECK(*next.next_due <= next.now + 1min + 1s);
}

TEST_CASE(
    "a rate that is raised and given a burst lets the next one start after its new spacing, however often one looks") {
    limit_fixture t;
    const auto gate = GENERATE(limit_fixture::starts("crm"), limit_fixture::both("crm", "a customer"));
    t.set("crm", t.never_more_than(1, 1h));
    t.submit_many(3, gate);
    CHECK(t.claim(t.worker, 5).claimed.size() == 1);
    // 720 ms between two of them, of which up to twenty may come at once.
    t.set("crm", t.never_more_than(5000, 1h, 20));
    const auto first = t.claim(t.worker, 5);
    CHECK(first.claimed.empty());
    REQUIRE(first.next_due);
    CHECK(*first.next_due <= first.now + 2s);
    // Each look is one at a later time; what it finds is not later for that.
    std::size_t started = 0;
    CHECK(t.until([&] {
        const auto next = t.claim(t.worker, 1);
        started += next.claimed.size();
        if (started == 0 && next.next_due) CHECK(*next.next_due <= *first.next_due + 1ms);
        return started == 2;
    }));
    CHECK(t.check().empty());
}

TEST_CASE("a worker beside very many groups that may not start is told to sleep") {
    constexpr int many = 1000;
    limit_fixture t;
    t.set("closed", t.at_most(0));
    t.set("handler:h", t.never_more_than(1, 1h));
    const auto submit_one_each = [&](const auto& gates_of_key) {
        std::vector<submission_item> items;
        for (int key = 0; key < many; ++key) items.push_back(t.gated(gates_of_key(std::to_string(key))));
        t.submit_all(t.worker, items);
    };
    submit_one_each([&](const std::string& key) { return t.running("handler:g", key) + t.both("closed"); });
    const auto behind_closed = t.claim(t.worker, 5);
    CHECK(behind_closed.claimed.empty());
    CHECK_FALSE(behind_closed.next_due);

    // The first of each key starts.
    for (int turn = 0; turn < 2; ++turn)
        submit_one_each([&](const std::string& key) { return t.starts("handler:h", key); });
    CHECK(starts_of(t, many, 100).size() == many);
    // Each claim looks at some of them.
    CHECK(t.until([&] {
        const auto behind_rates = t.claim(t.worker, 5);
        CHECK(behind_rates.claimed.empty());
        return behind_rates.next_due && *behind_rates.next_due > behind_rates.now + 50min;
    }));
    // At least: a store need not count what waits behind very many keys.
    CHECK(t.state_of_limit("closed").waiting >= 200);
    CHECK(t.state_of_limit("handler:h").waiting >= 200);
}

TEST_CASE("a limit that opens by itself lets one go on after the other") {
    limit_fixture t;
    t.set("crm", t.never_more_than(1, 20ms));
    for (const auto* key : {"a", "b", "c"}) t.submit_gated(t.starts("crm") + t.both("handler:h", key), key);
    std::string order;
    CHECK(t.until([&] {
        order += t.taken_args(5);
        return order.size() == 3;
    }));
    CHECK(order == "abc");
    CHECK(t.check().empty());
}

TEST_CASE("when a limit opens by itself a worker of each queue that waits for it hears so") {
    limit_fixture t;
    auto idle = t.join("idle");
    t.set("crm", t.never_more_than(1, 400ms));
    t.submit_many(2, t.starts("crm"), "[]", "served");
    CHECK(t.take(5, "served").size() == 1);
    CHECK(t.claim(idle, 5, {"served"}).claimed.empty());
    const std::vector<std::string> queues{"served"};
    CHECK(t.until([&] {
        await(t.io, t.worker->promote(queues, 10, outcome_of(state::expired)));
        return idle.ear->wakes > 0;
    }));
    CHECK(t.claim(idle, 5, {"served"}).claimed.size() == 1);
}

TEST_CASE("each key has a rate of its own") {
    limit_fixture t;
    t.set("handler:h", t.never_more_than(2, 1h, 2));
    for (const auto* key : {"a", "b"}) t.submit_many(3, t.starts("handler:h", key), key);
    CHECK(t.take(10).size() == 4);
    CHECK(t.take(10).empty());
}

TEST_CASE("a task that is closed in by a full limit takes nothing of a rate") {
    limit_fixture t;
    t.set("rate", t.never_more_than(2, 1h, 2));
    t.set("room", t.at_most(1));
    t.submit_gated(t.running("room"), "x");
    const auto got = t.take(1);
    t.submit_gated(t.starts("rate") + t.running("room"), "1");
    CHECK(t.take(5).empty());
    t.submit_many(2, t.starts("rate"), "2");
    CHECK(t.taken_args(1) == "2");
    t.finish_one(got.at(0));
    CHECK(t.taken_args(1) == "1");
    CHECK(t.take(5).empty());
    CHECK(t.check().empty());
}

TEST_CASE("a limit of both kinds is open when it is neither full nor too soon for it") {
    limit_fixture t;
    t.set("crm", limit_rule{.max_running = 1, .rate = rate_limit{3, 1h, 3}});
    t.submit_many(5, t.both("crm"));
    for (int i = 0; i < 3; ++i) {
        const auto got = t.take(5);
        REQUIRE(got.size() == 1);
        CHECK(t.take(5).empty());
        t.finish_one(got[0]);
    }
    const auto closed = t.claim(t.worker, 5);
    CHECK(closed.claimed.empty());
    CHECK(closed.next_due);
    CHECK(t.check().empty());
}
