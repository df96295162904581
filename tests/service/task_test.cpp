// Tasks looked at, waited for and changed over HTTP.
#include "service/counter.hpp"

#include <boost/asio/as_tuple.hpp>
#include <boost/asio/cancel_after.hpp>
#include <boost/asio/co_spawn.hpp>
#include <boost/asio/this_coro.hpp>
#include <boost/asio/use_awaitable.hpp>
#include <boost/json/array.hpp>
#include <boost/json/object.hpp>
#include <boost/json/serialize.hpp>

#include <catch2/catch_test_macros.hpp>

#include <set>

using namespace std::chrono_literals;
using errand::state;
using service_test::client;
using service_test::counter;
using service_test::shut;
namespace asio = boost::asio;
namespace json = boost::json;

namespace {

std::string wait_for(const counter& t, const std::string& id) {
    return t.path("/tasks/" + id + "?wait_ms=60000");
}

errand::awaitable<void> run_for(errand::service& what, errand::duration length) {
    auto executor = co_await asio::this_coro::executor;
    co_await asio::co_spawn(executor, what.run(),
                            asio::cancel_after(length, asio::as_tuple(asio::use_awaitable)));
}

errand::service_options one_may_wait() {
    errand::service_options how;
    how.max_waiting = 1;
    return how;
}

// Of two that ask where one may wait, one is refused: then the other waits.
std::unique_ptr<client> one_that_waits(counter& t, const std::string& request) {
    auto a = std::make_unique<client>(t.address());
    auto b = std::make_unique<client>(t.address());
    a->send(request);
    b->send(request);
    auto& refused = client::first_answered(*a, *b);
    const auto got = refused.receive();
    CHECK(got.status == 429);
    CHECK(got.error_code() == "busy");
    return &refused == a.get() ? std::move(b) : std::move(a);
}

}  // namespace

TEST_CASE("a wait ends with the task, and no sooner", "[service]") {
    counter t{one_may_wait()};
    t.start();
    shut = true;
    const auto id = t.submit(R"({"handler": "parcel", "args": [7]})");
    auto at = t.connect();
    CHECK(at.ask("GET", t.path("/tasks/" + id)).json().at("result").is_null());
    const auto early = at.ask("GET", t.path("/tasks/" + id + "?wait_ms=5"));
    CHECK(early.status == 200);
    CHECK_FALSE(early.json().at("state") == "success");
    const auto waits = one_that_waits(t, "GET " + wait_for(t, id) + " HTTP/1.1\r\nHost: localhost\r\n\r\n");
    shut = false;
    const auto got = waits->receive();
    CHECK(got.status == 200);
    CHECK(got.json().at("state") == "success");
    CHECK(got.json().at("result") == 7);
    CHECK(at.ask("GET", wait_for(t, id)).json().at("result") == 7);
    for (const auto* odd : {"60001", "-1", "", "1s", "1.5", "+1", "99999999999999999999"})
        CHECK(at.ask("GET", t.path("/tasks/" + id + "?wait_ms=" + odd)).status == 400);
}

TEST_CASE("a client that hangs up waits no more, and one that says more does", "[service]") {
    counter t{one_may_wait()};
    const auto id = t.submit(R"({"handler": "parcel", "delay_ms": 3600000})");
    const auto request = "GET " + wait_for(t, id) + " HTTP/1.1\r\nHost: localhost\r\n\r\n";
    one_that_waits(t, request)->close();
    // Its place is free again.
    errand::test::eventually([&] {
        auto at = t.connect();
        return at.ask("GET", t.path("/tasks/" + id + "?wait_ms=1")).status == 200;
    });
    const auto waits = one_that_waits(t, request + "GET /healthz HTTP/1.1\r\nHost: localhost\r\n\r\n");
    auto& more = *waits;
    more.send("GET /nowhere HTTP/1.1\r\nHost: localhost\r\n\r\n");
    t.run(t.app.inspect().cancel(id));
    CHECK(more.receive().json().at("state") == "cancelled");
    CHECK(more.receive().body == R"({"status":"ok"})");
    CHECK(more.receive().status == 404);
}

TEST_CASE("a wait whose client says much more ends with its task", "[service]") {
    counter t{one_may_wait()};
    const auto id = t.submit(R"({"handler": "parcel", "delay_ms": 3600000})");
    const auto waits = one_that_waits(t, "GET " + wait_for(t, id) + " HTTP/1.1\r\nHost: localhost\r\n\r\n");
    constexpr int n = 400;
    std::string burst;
    for (int i = 0; i < n; ++i) burst += "GET /healthz HTTP/1.1\r\nHost: localhost\r\n\r\n";
    // Together with the end, so that bytes are there when the wait is over.
    t.run(t.app.inspect().cancel(id));
    waits->send(burst);
    CHECK(waits->receive().json().at("state") == "cancelled");
    for (int i = 0; i < n; ++i) CHECK(waits->receive().status == 200);
}

TEST_CASE("a service that stops answers who waits with what is there, and accepts nobody", "[service]") {
    counter t{one_may_wait()};
    const auto id = t.submit(R"({"handler": "parcel", "delay_ms": 3600000})");
    auto idle = t.connect();
    CHECK(idle.ask("GET", "/readyz").status == 200);
    const auto waits = one_that_waits(t, "GET " + wait_for(t, id) + " HTTP/1.1\r\nHost: localhost\r\n\r\n");
    auto& at = *waits;
    t.stop_service();
    const auto got = at.receive();
    CHECK(got.status == 200);
    CHECK(got.json().at("state") == "delayed");
    CHECK(got.closes());
    CHECK(at.ended());
    CHECK(idle.ended());
    // The app goes on.
    CHECK(t.task(id).state == state::delayed);
}

TEST_CASE("a service can be stopped before it runs", "[service]") {
    errand::test::test_app t;
    errand::service_options how;
    how.listen = {"127.0.0.1:0"};
    errand::service never{t.app, how};
    never.stop();
    t.run(never.run());
    SUCCEED("it ended");
}

TEST_CASE("a service whose coroutine is cancelled ends in order", "[service]") {
    errand::test::test_app t;
    errand::service_options how;
    how.listen = {"127.0.0.1:0"};
    bool listened = false;
    how.on_listening = [&](const std::vector<std::string>&) { listened = true; };
    errand::service brief{t.app, how};
    t.run(run_for(brief, 20ms));
    CHECK(listened);
}

TEST_CASE("a task is cancelled, and one that has ended stays as it is", "[service]") {
    counter t;
    t.start();
    auto at = t.connect();
    const auto id = t.submit(R"({"handler": "parcel", "delay_ms": 3600000})");
    const auto got = at.ask("POST", t.path("/tasks/" + id + ":cancel"));
    CHECK(got.json().at("state") == "cancelled");
    CHECK(at.ask("POST", t.path("/tasks/" + id + ":cancel")).json().at("state") == "cancelled");
    const auto done = t.submit(R"({"handler": "parcel", "args": [1]})");
    CHECK(at.ask("GET", wait_for(t, done)).json().at("state") == "success");
    CHECK(at.ask("POST", t.path("/tasks/" + done + ":cancel")).json().at("state") == "success");
    shut = true;
    const auto running = t.submit(R"({"handler": "parcel", "args": [2]})");
    errand::test::eventually([&] { return t.task(running).state == state::working; });
    CHECK(at.ask("POST", t.path("/tasks/" + running + ":cancel")).json().at("state") == "cancelled");
}

TEST_CASE("what has failed is revived, what has not is refused", "[service]") {
    counter t;
    t.start();
    auto at = t.connect();
    const auto id = t.submit(R"({"handler": "parcel", "args": ["broken"]})");
    CHECK(at.ask("GET", wait_for(t, id)).json().at("state") == "dead");
    shut = true;
    const auto got = at.ask("POST", t.path("/tasks/" + id + ":revive"));
    CHECK(got.status == 200);
    const auto again = at.ask("POST", t.path("/tasks/" + id + ":revive"));
    CHECK(again.status == 409);
    CHECK(again.error_code() == "conflict");
}

TEST_CASE("a task has another due time, other arguments and another priority, until it has started",
          "[service]") {
    counter t;
    auto at = t.connect();
    const auto id = t.submit(R"({"handler": "parcel", "args": [1], "delay_ms": 3600000})");
    const auto moved =
        at.ask("POST", t.path("/tasks/" + id + ":reschedule"), R"({"at": "2100-01-01T00:00:00Z"})");
    CHECK(moved.json().at("due_at") == "2100-01-01T00:00:00.000Z");
    const auto changed = at.ask("PATCH", t.path("/tasks/" + id), R"({"args": [2, 3], "priority": 9})");
    CHECK(json::serialize(changed.json().at("args")) == "[2,3]");
    CHECK(changed.json().at("due_at") == "2100-01-01T00:00:00.000Z");
    CHECK(at.ask("PATCH", t.path("/tasks/" + id), R"({})").status == 400);
    CHECK(at.ask("PATCH", t.path("/tasks/" + id), R"({"priority": 10})").status == 400);
    CHECK(at.ask("POST", t.path("/tasks/" + id + ":reschedule"), R"({})").status == 400);
    t.run(t.app.inspect().cancel(id));
    CHECK(at.ask("PATCH", t.path("/tasks/" + id), R"({"priority": 1})").status == 409);
    CHECK(at.ask("POST", t.path("/tasks/" + id + ":reschedule"), R"({"delay_ms": 0})").status == 409);
}

TEST_CASE("a task that is not there is not there for any call", "[service]") {
    counter t;
    auto at = t.connect();
    const std::string id = "0198c5d2-7c1e-7a30-9d44-6a0b8f1f2c11";
    for (const auto& one : {id, std::string{"nonsense"}}) {
        CHECK(at.ask("GET", t.path("/tasks/" + one)).error_code() == "not_found");
        CHECK(at.ask("GET", t.path("/tasks/" + one + "?wait_ms=60000")).status == 404);
        CHECK(at.ask("POST", t.path("/tasks/" + one + ":cancel")).status == 404);
        CHECK(at.ask("POST", t.path("/tasks/" + one + ":revive")).status == 404);
        CHECK(at.ask("POST", t.path("/tasks/" + one + ":reschedule"), R"({"delay_ms": 1})").status == 404);
        CHECK(at.ask("PATCH", t.path("/tasks/" + one), R"({"priority": 1})").status == 404);
    }
}

TEST_CASE("tasks are listed by page, each once, by what is asked for", "[service]") {
    counter t;
    auto at = t.connect();
    std::set<std::string> submitted;
    for (int i = 0; i < 25; ++i) {
        const std::string more = i < 5 ? R"(, "tags": ["a+b c"])" : "";
        submitted.insert(t.submit(R"({"handler": "parcel", "delay_ms": 3600000)" + more + "}"));
    }
    std::set<std::string> seen;
    std::string cursor;
    int pages = 0;
    do {
        const auto page = at.ask("GET", t.path("/tasks?state=delayed&limit=10&cursor=" + cursor)).json();
        for (const auto& one : page.at("tasks").as_array())
            CHECK(seen.emplace(one.at("id").as_string()).second);
        cursor = page.at("next").is_null() ? "" : std::string{page.at("next").as_string()};
        CHECK(page.at("complete") == true);
    } while (!cursor.empty() && ++pages < 10);
    CHECK(seen == submitted);
    const auto count = [&](const std::string& query) {
        return at.ask("GET", t.path("/tasks?state=delayed&limit=1000" + query))
            .json()
            .at("tasks")
            .as_array()
            .size();
    };
    CHECK(count("&tag=a%2Bb+c") == 5);
    CHECK(count("&tag=a+b+c") == 0);
    CHECK(count("&handler=parcel&queue=parcels") == 25);
    CHECK(count("&queue=other") == 0);
    CHECK(at.ask("GET", t.path("/tasks")).status == 400);
    for (const auto* odd :
         {"state=odd", "state=ready&limit=0", "state=ready&limit=1001", "state=ready&cursor=x",
          "state=ready&order=x", "state=ready&tag=%ff", "state=ready&state=ready"}) {
        CHECK(at.ask("GET", t.path(std::string{"/tasks?"} + odd)).status == 400);
    }
}

TEST_CASE("a task is found by its handler and its biz_id, in whatever state it is", "[service]") {
    counter t;
    auto at = t.connect();
    const auto id = t.submit(R"({"handler": "parcel", "biz_id": "o 1", "args": [1]})");
    const auto foreign = t.submit(R"({"handler": "py_thing", "biz_id": "o 1"})");
    const auto found = [&](const std::string& query) {
        const auto page = at.ask("GET", t.path("/tasks?" + query)).json();
        CHECK(page.at("next").is_null());
        CHECK(page.at("complete") == true);
        std::vector<std::string> ids;
        for (const auto& one : page.at("tasks").as_array()) ids.emplace_back(one.at("id").as_string());
        return ids;
    };
    CHECK(found("handler=parcel&biz_id=o+1") == std::vector{id});
    CHECK(found("handler=py_thing&biz_id=o+1") == std::vector{foreign});
    CHECK(found("handler=parcel&biz_id=o-2").empty());
    at.ask("POST", t.path("/tasks/" + id + ":cancel"));
    CHECK(found("handler=parcel&biz_id=o+1") == std::vector{id});
    for (const auto* odd : {"handler=parcel", "biz_id=o+1", "handler=parcel&biz_id=o+1&queue=parcels",
                            "handler=parcel&biz_id=o+1&limit=1"}) {
        const auto got = at.ask("GET", t.path(std::string{"/tasks?"} + odd));
        CHECK(got.status == 400);
        CHECK(got.json().at("error").at("path") == "state");
    }
}

TEST_CASE("queues and workers are told", "[service]") {
    counter t;
    auto at = t.connect();
    CHECK(at.ask("GET", t.path("/workers")).json().at("workers").as_array().empty());
    t.submit(R"({"handler": "parcel", "delay_ms": 3600000})");
    t.start();
    const auto queues = at.ask("GET", t.path("/queues")).json().at("queues").as_array();
    REQUIRE(queues.size() == 1);
    CHECK(queues[0].at("name") == "parcels");
    CHECK(queues[0].at("tasks").at("delayed") == 1);
    errand::test::eventually([&] {
        return at.ask("GET", t.path("/workers")).json().at("workers").as_array().size() == 1;
    });
}
