// An app whose Redis comes and goes.
#include "core/task_id.hpp"
#include "support/tcp_gate.hpp"
#include "support/test_app.hpp"

#include <boost/asio/as_tuple.hpp>
#include <boost/asio/co_spawn.hpp>
#include <boost/asio/steady_timer.hpp>
#include <boost/asio/use_awaitable.hpp>

#include <catch2/catch_test_macros.hpp>
#include <catch2/matchers/catch_matchers_string.hpp>

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

// A store that is not there yet.
struct absent_store {
    errand::test::redis_server server;
    errand::config settings = errand::test::fresh_settings();

    absent_store() {
        settings.store = server.url();
        settings.store_timeout = 2s;
        server.kill();
    }
};
}  // namespace

TEST_CASE("An app outlives a store that was not there at first", "[edges]") {
    absent_store store;
    test_app t{store.settings};
    CHECK_THROWS_AS(t.run(t.app.handler<repeats>().perform_async("x")), errand::store_error);
    CHECK_THROWS_AS(t.start(), errand::store_error);
    store.server.restart();
    t.start();
    CHECK(t.wait(t.run(t.app.handler<repeats>().perform_async("x"))) == "x");
}

namespace {

struct verdicts {
    int thrown = 0, waited = 0, done = 0;
    std::chrono::steady_clock::time_point last{};
};

// Begins so many at once and waits for all; `begin(i)` is one of them.
template <class Begin>
errand::awaitable<verdicts> all_of(int count, Begin begin) {
    namespace asio = boost::asio;
    verdicts got;
    asio::steady_timer over{co_await asio::this_coro::executor, asio::steady_timer::time_point::max()};
    for (int at = 0; at < count; ++at) {
        asio::co_spawn(over.get_executor(), begin(at), [&](const std::exception_ptr& error, auto&&...) {
            try {
                if (error) std::rethrow_exception(error);
            } catch (const errand::store_error& e) {
                ++got.thrown;
                if (std::string_view{e.what()}.find("others waited before") != std::string_view::npos)
                    ++got.waited;
            }
            got.last = std::chrono::steady_clock::now();
            if (++got.done == count) over.cancel();
        });
    }
    co_await over.async_wait(asio::as_tuple(asio::use_awaitable));
    co_return got;
}

// An app whose server does not answer any more, and waits for 2 s.
struct stalled_app {
    errand::test::redis_server server{{.tcp = true}};
    errand::test::tcp_gate gate{server.port()};
    test_app t{settings()};

    errand::config settings() const {
        auto with = errand::test::fresh_settings();
        with.store = gate.url();
        with.store_timeout = 2s;
        return with;
    }
    template <class Begin>
    verdicts stall(int count, Begin begin) {
        gate.stall(true);
        const auto began = std::chrono::steady_clock::now();
        const auto got = t.run(all_of(count, begin));
        CHECK(got.thrown == count);
        // One after the other, as many as a call takes, they would need 16 s or more.
        CHECK(got.last - began < 10s);
        gate.stall(false);
        CHECK(t.run(t.app.handler<repeats>().perform_async("z")).id() != "");
        return got;
    }
};

}  // namespace

TEST_CASE("store_timeout counts from the call, however many wait before it", "[edges]") {
    stalled_app here;
    here.t.run(here.t.app.handler<repeats>().perform_async("x"));
    constexpr int callers = 8000;
    const auto got = here.stall(callers, [&](int) { return submit_one(here.t.app); });
    CHECK(got.waited > callers / 2);
}

TEST_CASE("what a store has lost is called lost, whatever its handle is asked", "[edges]") {
    using Catch::Matchers::ContainsSubstring;
    errand::test::redis_server server;
    auto settings = errand::test::fresh_settings();
    settings.store = server.url();
    settings.shards = 1;
    test_app t{settings};
    const auto h = t.run(t.app.handler<repeats>().with({.retention = 1h}).perform_async("x"));
    const auto id = errand::parse_task_id(h.id());
    REQUIRE(id);
    server.command({"HDEL", "errand:{" + settings.name_space + ".0}:tasks", std::string{id->view()}});
    const auto lost = ContainsSubstring("lost by the store");
    CHECK_THROWS_WITH(t.run(h.result(0s)), lost);
    CHECK_THROWS_WITH(t.info(h), lost);
    CHECK_THROWS_WITH(t.run(h.cancel()), lost);
    CHECK_THROWS_WITH(t.run(h.revive()), lost);
    CHECK_THROWS_WITH(t.run(h.reschedule(std::chrono::system_clock::now() + 1h)), lost);
}

TEST_CASE("many who come before a store that is not there do not try it one after the other", "[edges]") {
    absent_store store;
    test_app t{store.settings};
    const auto began = std::chrono::steady_clock::now();
    const auto got = t.run(all_of(20, [&](int) { return submit_one(t.app); }));
    CHECK(got.thrown == 20);
    // One after the other they would need 40 s.
    CHECK(got.last - began < 20s);
}

TEST_CASE("store_timeout counts from where the end of a task is first awaited, however many are", "[edges]") {
    stalled_app here;
    constexpr std::size_t callers = 4000;
    const auto handles = here.t.run(
        here.t.app.handler<repeats>().perform_bulk(std::vector<std::tuple<std::string>>(callers, {"x"})));
    REQUIRE(handles.size() == callers);
    here.stall(callers,
               [&](int at) -> errand::awaitable<void> { co_await handles[static_cast<std::size_t>(at)]; });
}

TEST_CASE("store_timeout counts from the call where a quota is asked first", "[edges]") {
    stalled_app here;
    here.t.run(here.t.app.set_quota({.submit_rate = errand::per_second(1'000'000)}));
    here.t.run(here.t.app.handler<repeats>().perform_async("x"));
    // Each of these asks by itself.
    const auto two = [&]() -> errand::awaitable<void> {
        co_await submit_one(here.t.app);
        co_await submit_one(here.t.app);
    };
    here.stall(8, [&](int) { return errand::transaction(here.t.app, two); });
}
