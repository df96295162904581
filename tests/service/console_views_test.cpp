// What the console's pages are told of rules, places and settings.
#include "service/counter.hpp"

#include <boost/json/array.hpp>
#include <boost/json/object.hpp>

#include <catch2/catch_test_macros.hpp>

#include <chrono>

using errand::test::eventually;
using service_test::client;
using service_test::counter;

namespace {

boost::json::object seen_view(client& at, const std::string& what) {
    const auto got = at.ask("GET", "/ui/api/view/" + what);
    INFO(got.body);
    REQUIRE(got.status == 200);
    return got.json().as_object();
}

}  // namespace

TEST_CASE("the console says who waits at a limit, and with what task it goes on", "[service]") {
    counter t;
    auto at = t.connect();
    CHECK(seen_view(at, "limits").at("waiters").as_array().empty());
    t.run(t.app.set_limit("queue:parcels", errand::limit_rule{.max_running = 0}));
    for (int i = 0; i < 3; ++i) t.run(t.app.perform("parcel", {i}));
    t.start();
    std::int64_t waiting = 0;
    boost::json::array rows;
    eventually([&] {
        rows = seen_view(at, "limits").at("waiters").as_array();
        waiting = 0;
        for (const auto& row : rows) waiting += row.at("waiting").to_number<std::int64_t>();
        return waiting == 3;
    });
    for (const auto& row : rows) {
        CHECK(row.at("limit") == "queue:parcels");
        CHECK(row.at("keyed") == false);
        const auto& first = row.at("first");
        CHECK(first.at("handler") == "parcel");
        CHECK_FALSE(first.at("due_at").is_null());
        CHECK(t.task(std::string{first.at("id").as_string()}).state == errand::state::ready);
    }
    t.run(t.app.set_limit("queue:parcels", std::nullopt));
    eventually([&] { return seen_view(at, "limits").at("waiters").as_array().empty(); });
}

TEST_CASE("the console is told of each handler's waits, runs and whole lives", "[service]") {
    counter t;
    t.start();
    for (int i = 0; i < 3; ++i) t.wait(t.run(t.app.perform("parcel", {i})));
    t.stop();
    auto at = t.connect();
    const auto handlers = seen_view(at, "handlers").at("handlers").as_array();
    REQUIRE(handlers.size() == 1);
    for (const auto* name : {"wait", "run", "total"}) {
        INFO(name);
        const auto& times = handlers[0].at(name);
        CHECK(times.at("count") == 3);
        CHECK(times.at("p50_us").to_number<std::int64_t>() <= times.at("p95_us").to_number<std::int64_t>());
        CHECK(times.at("p95_us").to_number<std::int64_t>() <= times.at("p99_us").to_number<std::int64_t>());
    }
}
