// An app whose Redis comes and goes.
#include "support/tcp_gate.hpp"
#include "support/test_app.hpp"

#include <boost/asio/as_tuple.hpp>
#include <boost/asio/co_spawn.hpp>
#include <boost/asio/steady_timer.hpp>
#include <boost/asio/use_awaitable.hpp>

#include <catch2/catch_test_macros.hpp>

using namespace std::chrono_literals;
using errand::test::test_app;

namespace away {

struct repeats {
    errand::awaitable<std::string> perform(std::string text) { co_return text; }
};

}  // namespace away

ERRAND_HANDLER(away::repeats)

namespace {
using namespace away;

errand::awaitable<void> submit_one(errand::app& app) { co_await app.handler<repeats>().perform_async("y"); }
}  // namespace

TEST_CASE("An app outlives a store that was not there at first", "[edges]") {
    errand::test::redis_server server;
    auto settings = errand::test::fresh_settings();
    settings.store = server.url();
    settings.store_timeout = 2s;
    server.kill();
    test_app t{settings};
    CHECK_THROWS_AS(t.run(t.app.handler<repeats>().perform_async("x")), errand::store_error);
    CHECK_THROWS_AS(t.start(), errand::store_error);
    server.restart();
    t.start();
    CHECK(t.wait(t.run(t.app.handler<repeats>().perform_async("x"))) == "x");
}

TEST_CASE("store_timeout counts from the call, however many wait before it", "[edges]") {
    errand::test::redis_server server{{.tcp = true}};
    errand::test::tcp_gate gate{server.port()};
    auto settings = errand::test::fresh_settings();
    settings.store = gate.url();
    settings.store_timeout = 2s;
    test_app t{settings};
    t.run(t.app.handler<repeats>().perform_async("x"));
    gate.stall(true);
    struct verdicts {
        int thrown = 0, done = 0;
        std::chrono::steady_clock::time_point last{};
        int waited = 0;
    };
    constexpr int callers = 8000;
    const auto all = [&]() -> errand::awaitable<verdicts> {
        verdicts got;
        namespace asio = boost::asio;
        asio::steady_timer over{co_await asio::this_coro::executor, asio::steady_timer::time_point::max()};
        for (int at = 0; at < callers; ++at) {
            asio::co_spawn(
                over.get_executor(), submit_one(t.app), [&](const std::exception_ptr& error, auto&&...) {
                    try {
                        if (error) std::rethrow_exception(error);
                    } catch (const errand::store_error& e) {
                        ++got.thrown;
                        if (std::string_view{e.what()}.find("others waited before") != std::string_view::npos)
                            ++got.waited;
                    }
                    got.last = std::chrono::steady_clock::now();
                    if (++got.done == callers) over.cancel();
                });
        }
        co_await over.async_wait(asio::as_tuple(asio::use_awaitable));
        co_return got;
    };
    const auto began = std::chrono::steady_clock::now();
    const auto got = t.run(all());
    CHECK(got.thrown == callers);
    // One after the other, as many as a call takes, they would need 16 s or more.
    CHECK(got.last - began < 10s);
    CHECK(got.waited > callers / 2);
    gate.stall(false);
    CHECK(t.run(t.app.handler<repeats>().perform_async("z")).id() != "");
}
