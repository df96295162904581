// One looks for all who ask meanwhile.
#include "service/shared_look.hpp"

#include <boost/asio/co_spawn.hpp>
#include <boost/asio/io_context.hpp>

#include <catch2/catch_test_macros.hpp>

#include <stdexcept>
#include <vector>

namespace asio = boost::asio;

namespace {

// A look that ends when the test says so.
struct slow_look {
    asio::io_context loop;
    errand::async_gate may_end{loop.get_executor()};
    errand::web::shared_look<int> shared{loop.get_executor(), std::chrono::hours{1}};
    int begun = 0;
    bool fails = false;
    std::vector<int> seen;
    int failed = 0;

    void ask() {
        asio::co_spawn(
            loop,
            [this]() -> errand::awaitable<void> {
                const auto got = co_await shared.see([this]() -> errand::awaitable<int> {
                    const int mine = ++begun;
                    co_await may_end.wait();
                    if (fails) throw std::runtime_error{"nothing to see"};
                    co_return mine;
                });
                seen.push_back(*got);
            },
            [this](const std::exception_ptr& why) { failed += why ? 1 : 0; });
        loop.restart();
        loop.poll();
    }

    void end() {
        may_end.open();
        loop.restart();
        loop.poll();
    }
};

}  // namespace

TEST_CASE("who asks while somebody looks gets what that one sees, and so do those who come later",
          "[service]") {
    slow_look t;
    t.ask();
    t.ask();
    t.ask();
    CHECK(t.seen.empty());
    t.end();
    CHECK(t.seen == std::vector{1, 1, 1});
    t.ask();
    CHECK(t.seen.size() == 4);
    CHECK(t.begun == 1);
}

TEST_CASE("a look that fails does so for all who waited for it, and the next one looks anew", "[service]") {
    slow_look t;
    t.fails = true;
    t.ask();
    t.ask();
    t.end();
    CHECK(t.failed == 2);
    CHECK(t.begun == 1);
    t.fails = false;
    t.ask();
    t.end();
    CHECK(t.begun == 2);
    CHECK(t.seen == std::vector{2});
}

TEST_CASE("what is forgotten while somebody looks is looked at anew", "[service]") {
    slow_look t;
    t.ask();
    t.shared.forget();
    t.end();
    CHECK(t.seen == std::vector{1});
    t.ask();
    t.end();
    CHECK(t.seen == std::vector{1, 2});
    t.ask();
    CHECK(t.seen == std::vector{1, 2, 2});
    t.shared.forget();
    t.ask();
    t.end();
    CHECK(t.seen == std::vector{1, 2, 2, 3});
}
