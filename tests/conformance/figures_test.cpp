// Figures of handlers: summed up by workers, added up by the store, seen by anybody.
#include "client/backlogs.hpp"
#include "support/store_fixture.hpp"
#include "support/test_app.hpp"

#include <catch2/catch_test_macros.hpp>

#include <algorithm>
#include <cstdlib>
#include <stdexcept>
#include <tuple>

using namespace std::chrono_literals;
using errand::handler_count;
using errand::test::store_fixture;
using errand::test::test_app;

namespace figures_test {

struct fine {
    errand::awaitable<int> perform(int number) { co_return number; }
};
// Fails twice, then for good.
struct failing {
    errand::awaitable<int> perform() {
        throw std::runtime_error{"no"};
        co_return 0;
    }
};

struct keyed {
    errand::awaitable<void> perform(std::string, int) { co_return; }
    static std::string concurrency_key(const std::string& key, int) { return key; }
};

}  // namespace figures_test

ERRAND_HANDLER(figures_test::fine)
ERRAND_HANDLER(figures_test::failing, .max_retry = 2, .backoff = errand::backoff::uniform(1ms))

ERRAND_HANDLER(figures_test::keyed, .max_running = 1)

namespace {

const errand::handler_figures* figures_of(const errand::figures_info& seen, const std::string& handler) {
    const auto at = std::ranges::find(seen.handlers, handler, &errand::handler_figures::handler);
    return at == seen.handlers.end() ? nullptr : &*at;
}

struct ledger : store_fixture {
    errand::test::member by = join("one:1");
    void add(std::vector<handler_count> counts) { errand::test::await(io, by->add_figures(counts)); }
    std::int64_t sum(const std::string& handler, int what) {
        std::int64_t all = 0;
        for (const auto& one : errand::test::await(io, by->figures()).counts) {
            if (one.handler == handler && one.what == what) all += one.times;
        }
        return all;
    }
};

}  // namespace

TEST_CASE("what workers have run is seen by handler once they have stopped") {
    test_app t;
    CHECK(t.run(t.app.inspect().figures()).handlers.empty());
    std::vector<int> numbers(7);
    const auto all = t.run(t.app.handler<figures_test::fine>().perform_bulk(numbers));
    const auto doomed = t.run(t.app.handler<figures_test::failing>().perform_async());
    t.run(t.app.handler<figures_test::fine>().perform_in(1h, 1));
    t.start();
    for (const auto& one : all) t.wait(one);
    CHECK_THROWS_AS(t.wait(doomed), errand::task_failed);
    t.stop();
    const auto seen = t.run(t.app.inspect().figures());
    const auto* fine = figures_of(seen, "figures_test::fine");
    REQUIRE(fine);
    CHECK(fine->runs == 7);
    CHECK(fine->failures == 0);
    CHECK(fine->run.count == 7);
    CHECK(fine->wait.count == 7);
    CHECK(fine->run.p50 <= fine->run.p95);
    CHECK(fine->run.p95 <= fine->run.p99);
    CHECK(fine->total.count == 7);
    CHECK(fine->run.p99 <= fine->run.most);
    const auto* failing = figures_of(seen, "figures_test::failing");
    REQUIRE(failing);
    CHECK(failing->runs == 3);
    CHECK(failing->failures == 2);
    CHECK(failing->dead == 1);
    CHECK(failing->wait.count == 1);
    // Of three attempts one end.
    CHECK(failing->total.count == 1);
    CHECK(seen.all.runs == 10);
    CHECK(seen.all.run.count == 10);
    CHECK(seen.backlog == 1);
    CHECK(seen.over >= 1h);
    CHECK(seen.over < 70min);
}

TEST_CASE("of each handler it is said how many of its tasks wait in whatever way, and since when") {
    test_app t;
    auto fine = t.app.handler<figures_test::fine>();
    auto failing = t.app.handler<figures_test::failing>();
    CHECK_FALSE(t.run(t.app.inspect().figures()).all.oldest);
    std::vector<int> numbers(25);
    t.run(fine.perform_bulk(numbers));
    const auto first = t.run(fine.with({.priority = 9}).perform_async(1));
    t.run(fine.with({.queue = "elsewhere"}).perform_in(1h, 1));
    t.run(failing.perform_in(1h));
    t.run(failing.with({.after = {first}}).perform_async());
    auto seen = t.run(t.app.inspect().figures());
    CHECK_FALSE(seen.estimated);
    CHECK(seen.backlog == 29);
    CHECK(seen.all.backlog == 29);
    REQUIRE(figures_of(seen, "figures_test::fine"));
    CHECK(figures_of(seen, "figures_test::fine")->backlog == 27);
    CHECK(figures_of(seen, "figures_test::fine")->oldest >=
          figures_of(seen, "figures_test::failing")->oldest);
    CHECK(figures_of(seen, "figures_test::failing")->backlog == 2);
    t.start();
    t.wait(first);
    t.stop();
    seen = t.run(t.app.inspect().figures());
    CHECK(figures_of(seen, "figures_test::fine")->backlog +
              figures_of(seen, "figures_test::failing")->backlog ==
          seen.backlog);
}

TEST_CASE("where much waits a handler's backlog is an estimate that bursts do not deceive, and says so") {
    test_app t;
    std::vector<std::tuple<>> calls(1500);
    std::vector<int> numbers(3000);
    t.run(t.app.handler<figures_test::fine>().perform_bulk(numbers));
    t.run(t.app.handler<figures_test::failing>().with({.queue = "small"}).perform_async());
    t.run(t.app.handler<figures_test::failing>().perform_bulk(calls));
    const auto seen = t.run(t.app.inspect().figures());
    CHECK(seen.estimated);
    CHECK(seen.backlog == 4501);
    const auto fine = figures_of(seen, "figures_test::fine")->backlog;
    const auto failing = figures_of(seen, "figures_test::failing")->backlog;
    CHECK(std::abs(fine + failing - seen.backlog) <= 2);
    CHECK(fine > 1500);
    CHECK(failing > 1000);
}

TEST_CASE("what waits behind limits and what was replaced is counted once, or said to be estimated") {
    test_app t;
    auto keyed = t.app.handler<figures_test::keyed>();
    std::vector<std::tuple<std::string, int>> calls;
    for (int n = 0; n < 3000; ++n) calls.emplace_back("key " + std::to_string(n % 700), n);
    t.run(keyed.perform_bulk(calls));
    auto fine = t.app.handler<figures_test::fine>();
    for (int n = 0; n < 20; ++n)
        t.run(
            fine.with({.biz_id = "same", .on_duplicate = errand::duplicate_rule::replace}).perform_async(n));
    const auto seen = t.run(t.app.inspect().figures());
    CHECK(seen.backlog == 3001);
    CHECK(seen.estimated);
    CHECK(figures_of(seen, "figures_test::keyed")->backlog > 2900);
    CHECK(figures_of(seen, "figures_test::keyed")->backlog < 3100);
}

TEST_CASE("few tasks in a queue are counted whatever waits at limits in others") {
    test_app t;
    std::vector<std::tuple<std::string, int>> calls;
    for (int n = 0; n < 3000; ++n) calls.emplace_back(std::to_string(n), n);
    t.run(t.app.handler<figures_test::keyed>().with({.queue = "other"}).perform_bulk(calls));
    for (int n = 0; n < 5; ++n) t.run(t.app.handler<figures_test::fine>().perform_async(n));
    const auto seen = t.run(t.app.inspect().figures());
    CHECK(seen.backlog == 3005);
    CHECK(figures_of(seen, "figures_test::fine")->backlog == 5);
}

TEST_CASE("a body of a later version makes backlogs an estimate and nothing else") {
    ledger t;
    auto unknown = errand::test::item_of("[1]");
    unknown.body[0] = 99;
    t.submit(t.by, errand::test::item_of("[2]"));
    t.submit(t.by, unknown);
    const auto seen = errand::test::await(t.io, t.by->overview());
    const auto all = errand::test::await(t.io, errand::backlogs_by_handler(*t.by.operator->(), seen));
    CHECK(all.estimated);
    REQUIRE(all.of.size() == 1);
    CHECK(all.of.begin()->second.tasks == 1);
}

TEST_CASE("several workers' figures are added up", "[shared_by_apps]") {
    test_app t;
    test_app other{t.app.settings()};
    for (auto* by : {&t, &other}) {
        by->start();
        by->wait(by->run(by->app.handler<figures_test::fine>().perform_async(1)));
        by->stop();
    }
    CHECK(t.run(t.app.inspect().figures()).all.runs == 2);
}

TEST_CASE("a store adds numbers up, each by itself, and another namespace has its own") {
    ledger t;
    t.add({{"a", 0, 3}, {"a", 1004, 2}, {"b:c", 0, 1}});
    t.add({{"a", 0, 4}});
    CHECK(t.sum("a", 0) == 7);
    CHECK(t.sum("a", 1004) == 2);
    CHECK(t.sum("b:c", 0) == 1);
    CHECK(t.sum("b", 0) == 0);
    auto elsewhere = t.settings("two:1");
    elsewhere.name_space = "other";
    auto stranger = t.join(elsewhere);
    CHECK(errand::test::await(t.io, stranger->figures()).counts.empty());
}

TEST_CASE("more numbers than one call carries are all added") {
    ledger t;
    std::vector<handler_count> many;
    for (int n = 0; n < 5000; ++n) many.push_back({"h" + std::to_string(n), 0, n + 1});
    t.add(many);
    CHECK(t.sum("h0", 0) == 1);
    CHECK(t.sum("h4999", 0) == 5000);
    CHECK(errand::test::await(t.io, t.by->figures()).counts.size() == 5000);
}
