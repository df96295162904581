// Limits of a wait, by the clock of the harness.
#include "testing/handlers.hpp"

#include <catch2/catch_test_macros.hpp>
#include <catch2/matchers/catch_matchers_string.hpp>

using namespace harness_test;
using Catch::Matchers::ContainsSubstring;

namespace harness_test {

// Waits for a task that comes in two hours, in a stage of half an hour.
class short_stage {
public:
    short_stage(diary& d, errand::proxy<write_line> lines) : diary_{d}, lines_{lines} {}
    errand::awaitable<std::string> perform() {
        auto& self = co_await errand::this_task();
        const errand::stage_options how{
            .max_retry = 1, .backoff = errand::backoff::uniform(1min), .timeout = 30min};
        co_return co_await self.stage("wait", how, [this]() -> errand::awaitable<std::string> {
            diary_.lines.push_back("try");
            auto h = co_await lines_.perform_in(2h, "late");
            co_return co_await h;
        });
    }

private:
    diary& diary_;
    errand::proxy<write_line> lines_;
};

// Awaits the result of another task for so long; says whether it came.
class impatient {
public:
    explicit impatient(errand::app& app) : app_{app} {}
    errand::awaitable<bool> perform(std::string id, errand::duration within) {
        auto h = co_await app_.find<std::string>(id);
        try {
            co_await h->result(within);
        } catch (const errand::timed_out&) {
            co_return false;
        }
        co_return true;
    }

private:
    errand::app& app_;
};

}  // namespace harness_test

ERRAND_HANDLER(harness_test::short_stage, .name = "short_stage", .timeout = std::chrono::hours{5},
               .max_retry = 0)
ERRAND_HANDLER(harness_test::impatient, .name = "impatient", .timeout = std::chrono::hours{5}, .max_retry = 0)

TEST_CASE("a result that is due later than one waits for times out when the clock is there") {
    bench t;
    const auto begin = t.now();
    const auto h = t.run(t.app().handler<write_line>().perform_in(1h, "a"));
    CHECK_THROWS_AS(t.run(h.result(30min)), errand::timed_out);
    CHECK(t.now() == begin + 30min);
    CHECK(t.run(h.result(31min)) == "a");
    CHECK(t.now() == begin + 1h);
}

TEST_CASE("a result that nothing can bring any more times out instead of being waited for in vain") {
    bench t;
    const auto begin = t.now();
    const auto handler = t.app().handler<write_line>();
    const auto h = t.run(handler.with({.after = {handler.ref("never")}}).perform_async("a"));
    CHECK_THROWS_AS(t.run(h.result(20 * 24h)), errand::timed_out);
    CHECK(t.now() == begin + 20 * 24h);
}

TEST_CASE("a wait for several tasks ends by the clock, and what it no longer waits for goes on") {
    bench t;
    const auto begin = t.now();
    const auto lines = t.app().handler<write_line>();
    const auto soon = t.run(lines.perform_in(1h, "soon"));
    const auto late = t.run(lines.perform_in(3h, "late"));
    CHECK_THROWS_WITH(t.run(errand::all(errand::await_options{.within = 2h}, soon, late)),
                      ContainsSubstring("1 of 2 tasks did not end"));
    CHECK(t.now() == begin + 2h);
    CHECK(t.run(errand::all(errand::await_options{.within = 2h}, soon, late)) ==
          std::tuple<std::string, std::string>{"soon", "late"});
    CHECK(t.now() == begin + 3h);
    const auto never = t.run(lines.perform_in(9h, "never"));
    CHECK_THROWS_AS(t.run(errand::any(errand::await_options{.within = 1h}, never, never)), errand::timed_out);
    CHECK(t.now() == begin + 4h);
    CHECK(t.advance(8h) == 1);
}

TEST_CASE("a wait inside a handler is limited by the clock") {
    bench t;
    const auto later = t.run(t.app().handler<write_line>().perform_in(1h, "a"));
    const auto ask = t.app().handler<impatient>();
    CHECK_FALSE(t.run(t.run(ask.perform_async(later.id(), errand::duration{30min}))));
    CHECK(t.run(t.run(ask.perform_async(later.id(), errand::duration{31min}))));
}

TEST_CASE("a stage times out by the clock, and is tried again") {
    bench t;
    const auto begin = t.now();
    const auto h = t.run(t.app().handler<short_stage>().perform_async());
    CHECK_THROWS_WITH(t.run(h), ContainsSubstring("timed out after"));
    CHECK(t.lines.lines.size() >= 2);
    CHECK(t.now() == begin + 61min);
}
