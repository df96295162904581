// Awaiting a task whose result was taken away: by its retention, by the history, by hand.
#include "store/store.hpp"
#include "support/await.hpp"
#include "support/shards.hpp"
#include "support/store_fixture.hpp"
#include "support/store_kind.hpp"
#include "support/test_app.hpp"

#include <catch2/catch_test_macros.hpp>
#include <catch2/generators/catch_generators.hpp>
#include <catch2/matchers/catch_matchers_string.hpp>

#include <algorithm>

using namespace std::chrono_literals;
using Catch::Matchers::ContainsSubstring;
using errand::test::can;
using errand::test::capability;
using errand::test::in_all_shards;
using errand::test::test_app;

namespace gone_test {

struct counts {
    errand::awaitable<int> perform(int n) { co_return n; }
};

struct counts_briefly {
    errand::awaitable<int> perform(int n) { co_return n; }
};

struct counts_once {
    errand::awaitable<int> perform(int n) { co_return n; }
    static std::string biz_id(int n) { return std::to_string(n); }
};

}  // namespace gone_test

ERRAND_HANDLER(gone_test::counts)
ERRAND_HANDLER(gone_test::counts_briefly, .retention = 20min)
ERRAND_HANDLER(gone_test::counts_once)

namespace {
using namespace gone_test;

template <class T>
void is_gone(test_app& t, const errand::handle<T>& h) {
    CHECK_THROWS_AS(t.wait(h), errand::result_gone);
    CHECK_THROWS_AS(t.run(h.result(0s)), errand::result_gone);
    CHECK_THROWS_AS(t.run(errand::all({.within = 60s}, h)), errand::result_gone);
    CHECK_THROWS_AS(t.run(errand::all({.within = 0s}, h)), errand::result_gone);
    CHECK_THROWS_AS(t.run(errand::any({.within = 60s}, h)), errand::result_gone);
    CHECK_THROWS_AS(t.info(h), errand::result_gone);
    CHECK_FALSE(t.run(t.app.find(h.id())));
    CHECK_FALSE(t.run(t.app.find<T>(h.id())));
}

// A store beside the app, in whose hands a worker of another program does what this one knows nothing of.
struct elsewhere {
    explicit elsewhere(test_app& t) : in{errand::test::opened_store(io, t.app)} {}
    ~elsewhere() {
        in->close();
        io.restart();
        io.run();
    }
    elsewhere(const elsewhere&) = delete;
    elsewhere& operator=(const elsewhere&) = delete;

    template <class T>
    T call(errand::awaitable<T> what) {
        return errand::test::await(io, std::move(what));
    }
    // Runs a ready task of the queue, and keeps its result for so long.
    void run_one(const std::string& queue, errand::duration retention) {
        errand::work_call claim, report;
        claim.claim = {.queues = {queue}, .limit = 3};
        errand::work_answer got;
        errand::test::eventually([&] { return !(got = call(in->work(claim))).claimed.empty(); });
        report.reports = {errand::test::success_of(got.claimed.front(), retention)};
        report.closed = {got.claimed.front().claim};
        REQUIRE(call(in->work(report)).verdicts == std::vector{errand::report_verdict::accepted});
    }
    // Until the store has deleted it.
    void clean_until_gone(const std::string& id) {
        errand::test::eventually([&] {
            call(in->clean(150));
            return !call(in->find(errand::required_task_id(id)));
        });
    }

    boost::asio::io_context io;
    std::unique_ptr<errand::store> in;
};

// Newer ones in every shard: each keeps one of each kind.
void fill_up(test_app& t) {
    const auto once = t.app.handler<counts_once>();
    // So many that none is left out.
    const int some = 20 * std::max(2, static_cast<int>(errand::test::shards_of_tests()));
    for (int n = 0; n < some; ++n) t.run(once.perform_async(1000 + n));
    for (int n = 0; n < some; ++n) t.run(t.run(once.perform_in(1h, 3000 + n)).cancel());
    for (int n = 0; n < some; ++n) t.wait(t.run(once.perform_async(1000 + n)));
}

// As the janitor does it.
void trim_all(test_app& t) {
    boost::asio::io_context io;
    auto in = errand::test::opened_store(io, t.app);
    while (errand::test::await(io, in->trim(0, 100)) > 0) {
    }
    in->close();
    io.restart();
    io.run();
}

}  // namespace

TEST_CASE("A result that newer ones pushed out of the history is gone and not lost", "[gone]") {
    test_app t;
    t.start();
    std::vector<errand::handle<int>> all;
    for (int n = 0; n < 5; ++n) all.push_back(t.run(t.app.handler<counts>().perform_async(n)));
    auto once = t.run(t.app.handler<counts_once>().perform_async(1));
    auto cancelled = t.run(t.app.handler<counts>().perform_in(1h, 9));
    t.run(cancelled.cancel());
    for (const auto& h : all) t.wait(h);
    t.wait(once);
    fill_up(t);
    t.stop();
    trim_all(t);
    for (const auto& h : all) is_gone(t, h);
    is_gone(t, cancelled);
    // It goes on holding its biz_id.
    is_gone(t, once);
    CHECK(t.run(t.app.handler<counts_once>().perform_async(1)).duplicate());
}

TEST_CASE("A result that was deleted by hand is gone and not lost", "[gone]") {
    test_app t;
    auto never_ran = t.run(t.app.handler<counts>().perform_in(1h, 1));
    auto other = t.run(t.app.handler<counts>().perform_in(1h, 2));
    CHECK(t.run(t.app.inspect().remove(never_ran.id())));
    is_gone(t, never_ran);
    CHECK_THROWS_AS(t.run(other.result(0s)), errand::timed_out);
    t.start();
    auto ended = t.run(t.app.handler<counts>().perform_async(3));
    t.wait(ended);
    CHECK(t.run(t.app.inspect().remove(ended.id())));
    is_gone(t, ended);
    CHECK(t.run(t.app.inspect().check()).found == 0);
}

TEST_CASE("Who comes after the retention finds nothing, whatever is still there", "[gone]") {
    test_app t;
    const auto brief = t.app.handler<counts>().with({.retention = 1ms});
    t.start();
    // Who waited in time has it; on a machine that stood still nobody did.
    errand::duration delay{100};
    const auto has_it = [&](const errand::handle<int>& h) {
        try {
            CHECK(t.wait(h) == 1);
            return true;
        } catch (const errand::result_gone&) {
            delay *= 2;
            return false;
        }
    };
    auto h = t.run(brief.perform_in(delay, 1));
    while (delay < 10s && !has_it(h)) h = t.run(brief.perform_in(delay, 1));
    CHECK(delay < 10s);
    errand::test::eventually([&] { return !t.run(t.app.find(h.id())); });
    is_gone(t, h);
}

TEST_CASE("A result that others kept more shortly than its submitter knows is gone and not lost", "[gone]") {
    test_app t;
    elsewhere other{t};
    const auto submitted = [&](errand::options extra) {
        extra.queue = "elsewhere";
        return t.run(t.app.perform("gone_test.elsewhere", {1}, std::move(extra)));
    };
    SECTION("it is not kept at all") {
        const auto h = submitted({});
        other.run_one("elsewhere", 0ms);
        is_gone(t, h);
    }
    SECTION("it is kept for a moment") {
        const auto h = submitted({});
        other.run_one("elsewhere", 5ms);
        other.clean_until_gone(h.id());
        is_gone(t, h);
    }
    SECTION("it is kept more shortly than was asked for") {
        const auto h = submitted({.retention = 10min});
        other.run_one("elsewhere", 0ms);
        is_gone(t, h);
    }
    SECTION("nobody ran it") {
        const auto h = submitted({.delay = 1h});
        const auto id = errand::required_task_id(h.id());
        REQUIRE(other.call(other.in->cancel(id, 0, errand::test::outcome_of(errand::state::cancelled, 0ms)))
                    .cancelled);
        is_gone(t, h);
    }
    CHECK(t.run(t.app.inspect().check()).found == 0);
}

TEST_CASE("A result whose retention was set after its submission is gone and not lost", "[gone]") {
    const auto retention = GENERATE(errand::duration{0}, errand::duration{5});
    test_app t;
    elsewhere other{t};
    const auto h = t.run(t.app.handler<counts>().perform_async(1));
    t.run(t.app.configure("gone_test::counts", {.retention = retention}));
    t.start();
    other.clean_until_gone(h.id());
    is_gone(t, h);
    t.stop();
    CHECK(t.run(t.app.inspect().check()).found == 0);
}

TEST_CASE("Of a result whose submitter knows how shortly it is kept no trace is left", "[gone]") {
    test_app t;
    elsewhere other{t};
    const auto brief = t.run(t.app.handler<counts_briefly>().with({.queue = "brief"}).perform_async(1));
    const auto found = other.call(other.in->find(errand::required_task_id(brief.id())));
    REQUIRE(found);
    const auto body = errand::decode_body(found->body);
    CHECK(body.retention == 20min);
    CHECK(body.policy_retains);
    other.run_one("brief", 20min);
    const auto said =
        t.run(t.app.handler<counts>().with({.queue = "said", .retention = 0ms}).perform_async(1));
    other.run_one("said", 0ms);
    is_gone(t, said);
    CHECK((!can(capability::in_shards) || in_all_shards(t.app.settings(), "ZCARD", "buried", "0")));
}

TEST_CASE("Of a task that was never there nobody says that its result is gone", "[gone]") {
    test_app t;
    boost::asio::io_context io;
    auto in = errand::test::opened_store(io, t.app);
    const std::vector asked{errand::watched_task{errand::new_task_id(1)}};
    const auto answer = errand::test::await(io, in->watch(asked));
    CHECK(answer.unknown.size() == 1);
    CHECK(answer.gone.empty());
    in->close();
    io.restart();
    io.run();
}
