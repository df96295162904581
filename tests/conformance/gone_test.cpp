// Awaiting a task whose result was taken away: by its retention, by the history, by hand.
#include "store/store.hpp"
#include "support/await.hpp"
#include "support/shards.hpp"
#include "support/store_kind.hpp"
#include "support/test_app.hpp"

#include <catch2/catch_test_macros.hpp>
#include <catch2/matchers/catch_matchers_string.hpp>

using namespace std::chrono_literals;
using Catch::Matchers::ContainsSubstring;
using errand::test::test_app;

namespace gone_test {

struct counts {
    errand::awaitable<int> perform(int n) { co_return n; }
};

struct counts_once {
    errand::awaitable<int> perform(int n) { co_return n; }
    static std::string biz_id(int n) { return std::to_string(n); }
};

}  // namespace gone_test

ERRAND_HANDLER(gone_test::counts)
ERRAND_HANDLER(gone_test::counts_once)

namespace {
using namespace gone_test;

void is_gone(test_app& t, const errand::handle<int>& h) {
    CHECK_THROWS_AS(t.wait(h), errand::result_gone);
    CHECK_THROWS_AS(t.run(h.result(0s)), errand::result_gone);
    CHECK_THROWS_AS(t.run(errand::all({.within = 60s}, h)), errand::result_gone);
    CHECK_THROWS_AS(t.run(errand::all({.within = 0s}, h)), errand::result_gone);
    CHECK_THROWS_AS(t.run(errand::any({.within = 60s}, h)), errand::result_gone);
    CHECK_THROWS_AS(t.info(h), errand::result_gone);
    CHECK_FALSE(t.run(t.app.find(h.id())));
    CHECK_FALSE(t.run(t.app.find<int>(h.id())));
}

// Newer ones in every shard: each keeps one of each kind.
void fill_up(test_app& t) {
    const auto once = t.app.handler<counts_once>();
    for (int n = 0; n < 40; ++n) t.run(once.perform_async(100 + n));
    for (int n = 0; n < 40; ++n) t.run(t.run(once.perform_in(1h, 200 + n)).cancel());
    for (int n = 0; n < 40; ++n) t.wait(t.run(once.perform_async(100 + n)));
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
    auto h = t.run(brief.perform_in(100ms, 1));
    t.start();
    // Who waited in time has it.
    CHECK(t.wait(h) == 1);
    errand::test::eventually([&] { return !t.run(t.app.find(h.id())); });
    is_gone(t, h);
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
