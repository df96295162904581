// Tasks of handlers of this program that other programs run over HTTP, and that die there: their on_dead hears of it.
#include "service/programs.hpp"
#include "support/await.hpp"
#include "support/shards.hpp"

#include <boost/asio/io_context.hpp>
#include <boost/asio/steady_timer.hpp>
#include <boost/asio/this_coro.hpp>
#include <boost/asio/use_awaitable.hpp>

#include <catch2/catch_test_macros.hpp>

#include <atomic>
#include <chrono>
#include <memory>
#include <string>

using namespace std::chrono_literals;
using errand::state;
using errand::test::await;
using errand::test::eventually;
using errand::test::run_until;
using service_test::counter;
using service_test::id_of;
using service_test::program;
namespace json = boost::json;

namespace service_test {

inline std::atomic<bool> mourns{false};
inline std::atomic<int> deaths_heard{0};

// Its on_dead takes as long as the test wants.
struct mourner {
    errand::awaitable<json::value> perform(json::value what) { co_return what; }
    errand::awaitable<void> on_dead(const errand::task_info&) {
        ++deaths_heard;
        boost::asio::steady_timer timer{co_await boost::asio::this_coro::executor};
        while (mourns) {
            timer.expires_after(2ms);
            co_await timer.async_wait(boost::asio::use_awaitable);
        }
    }
};

// Its on_dead waits until it is told to stop.
struct endless_mourner {
    errand::awaitable<json::value> perform(json::value what) { co_return what; }
    errand::awaitable<void> on_dead(const errand::task_info&) {
        boost::asio::steady_timer timer{co_await boost::asio::this_coro::executor, 24h};
        co_await timer.async_wait(boost::asio::use_awaitable);
    }
};

}  // namespace service_test

ERRAND_HANDLER(service_test::mourner, .name = "mourner", .queue = "mourners")
ERRAND_HANDLER(service_test::endless_mourner, .name = "endless_mourner", .queue = "mourners", .timeout = 50ms)

namespace {

// The store of an app once more.
struct second_look {
    explicit second_look(counter& t) : of{errand::test::opened_store(io, t.app, "second look")} {}
    ~second_look() {
        of->close();
        io.restart();
        io.run();
    }
    second_look(const second_look&) = delete;
    second_look& operator=(const second_look&) = delete;

    boost::asio::io_context io{1};
    std::unique_ptr<errand::store> of;
};

// However a test ends: the service stops when its handlers have heard.
struct hears_to_the_end {
    hears_to_the_end() { service_test::mourns = true; }
    ~hears_to_the_end() { service_test::mourns = false; }
    hears_to_the_end(const hears_to_the_end&) = delete;
    hears_to_the_end& operator=(const hears_to_the_end&) = delete;
};

// Says that it is to be dead, and does not wait for the answer.
void say_dead(program& who, const counter& t, const json::object& task) {
    const auto body = R"({"claim": ")" + std::string{task.at("claim").as_string()} +
                      R"(", "outcome": "discard", "error": {"message": "no"}})";
    who.line().send("POST " + t.path("/tasks/" + id_of(task) + ":report") +
                    " HTTP/1.1\r\nHost: localhost\r\nContent-Type: application/json\r\n"
                    "Content-Length: " +
                    std::to_string(body.size()) + "\r\n\r\n" + body);
}

}  // namespace

TEST_CASE(
    "while a handler hears of a death that was reported the claim is kept, beyond the lease, and it hears once",
    "[service]") {
    constexpr auto lease = 5s;
    service_test::deaths_heard = 0;
    counter t;
    const hears_to_the_end at_last;
    second_look look{t};
    const auto id = t.submit(R"({"handler": "mourner", "args": [1]})");
    program py{t};
    const auto task = py.claim_one(R"("queues": {"mourners": 1}, "wait_ms": 60000, "lease_ms": 5000)");
    REQUIRE(id_of(task) == id);
    say_dead(py, t, task);
    eventually([] { return service_test::deaths_heard > 0; });
    const auto from = look.of->now();
    REQUIRE(run_until(look.io, [&] { return look.of->now() > from + lease; }));
    CHECK(await(look.io, look.of->recover(10, 30s)).tasks.empty());
    CHECK(t.task(id).state == state::working);
    service_test::mourns = false;
    const auto got = py.line().receive();
    INFO(got.body);
    CHECK(got.status == 200);
    CHECK(t.task(id).state == state::dead);
    CHECK(service_test::deaths_heard == 1);
}

TEST_CASE("a handler that goes on hearing of a death that was reported is told to stop after its timeout",
          "[service]") {
    counter t;
    const auto id = t.submit(R"({"handler": "endless_mourner", "args": [1]})");
    program py{t};
    const auto task = py.claim_one(R"("queues": {"mourners": 1}, "wait_ms": 60000)");
    REQUIRE(id_of(task) == id);
    const auto got = py.report(task, R"("outcome": "discard", "error": {"message": "no"})");
    INFO(got.body);
    CHECK(got.status == 200);
    CHECK(t.task(id).state == state::dead);
}
