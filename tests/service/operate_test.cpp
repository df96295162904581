// What operators do over HTTP: queues, schedules, limits, settings, tasks deleted, graphs.
#include "service/counter.hpp"

#include <boost/json/array.hpp>
#include <boost/json/object.hpp>
#include <boost/json/serialize.hpp>

#include <catch2/catch_test_macros.hpp>
#include <catch2/matchers/catch_matchers_string.hpp>

using namespace std::chrono_literals;
using Catch::Matchers::ContainsSubstring;
using errand::state;
using errand::test::eventually;
using service_test::client;
using service_test::counter;
using service_test::shut;
namespace json = boost::json;

namespace {

// The handlers' gate as it was.
struct gate_open_again {
    ~gate_open_again() { shut = false; }
};

std::string message_of(const service_test::response& got) {
    return std::string{got.json().at("error").at("message").as_string()};
}

}  // namespace

TEST_CASE("a paused queue starts nothing until it goes on", "[service]") {
    counter t;
    auto at = t.connect();
    auto got = at.ask("POST", t.path("/queues/parcels:pause")).json();
    CHECK(got == json::value{{"queue", "parcels"}, {"paused", true}, {"changed", true}});
    CHECK(at.ask("POST", t.path("/queues/parcels:pause")).json().at("changed") == false);
    t.app.block_on(t.app.start());
    const auto id = t.submit(R"({"handler": "parcel", "args": [1]})");
    CHECK(t.task(id).state == state::ready);
    CHECK(at.ask("GET", t.path("/queues")).json().at("queues").at(0).at("paused") == true);
    CHECK(at.ask("POST", t.path("/queues/parcels:resume")).json().at("changed") == true);
    eventually([&] { return t.task(id).state == state::success; });
}

TEST_CASE("a task is deleted over HTTP, but not while it runs", "[service]") {
    counter t;
    const gate_open_again after;
    auto at = t.connect();
    const auto waits = t.submit(R"({"handler": "parcel", "args": [1], "delay_ms": 3600000})");
    const auto got = at.ask("DELETE", t.path("/tasks/" + waits));
    CHECK(got.status == 200);
    CHECK(got.json().at("removed") == true);
    CHECK(at.ask("GET", t.path("/tasks/" + waits)).status == 404);
    CHECK(at.ask("DELETE", t.path("/tasks/" + waits)).status == 404);
    shut = true;
    t.app.block_on(t.app.start());
    const auto runs = t.submit(R"({"handler": "parcel", "args": [1]})");
    eventually([&] { return t.task(runs).state == state::working; });
    const auto refused = at.ask("DELETE", t.path("/tasks/" + runs));
    CHECK(refused.status == 409);
    CHECK_THAT(message_of(refused), ContainsSubstring("it runs: cancel it first"));
    shut = false;
    eventually([&] { return t.task(runs).state == state::success; });
    CHECK(at.ask("DELETE", t.path("/tasks/" + runs)).status == 200);
}

TEST_CASE("limits are read, set and cleared over HTTP", "[service]") {
    counter t;
    auto at = t.connect();
    const auto set = at.ask("PUT", t.path("/limits/queue%3Aparcels"),
                            R"({"max_running": 0, "rate": {"count": 50, "per_ms": 60000, "burst": 3}})");
    CHECK(set.status == 200);
    CHECK(set.json().at("name") == "queue:parcels");
    CHECK(set.json().at("rule").at("rate") == json::value{{"count", 50}, {"per_ms", 60'000}, {"burst", 3}});
    t.app.block_on(t.app.start());
    const auto id = t.submit(R"({"handler": "parcel", "args": [1]})");
    eventually([&] {
        const auto limits = at.ask("GET", t.path("/limits")).json().at("limits").as_array();
        for (const auto& one : limits) {
            if (one.at("name") == "queue:parcels") return one.at("waiting") == 1;
        }
        return false;
    });
    CHECK(t.task(id).state == state::ready);
    const auto cleared = at.ask("DELETE", t.path("/limits/queue%3Aparcels"));
    CHECK(cleared.status == 200);
    CHECK(cleared.json().at("set").is_null());
    eventually([&] { return t.task(id).state == state::success; });
    const auto unknown = at.ask("PUT", t.path("/limits/parcel-api"), R"({"max_running": 1})");
    CHECK(unknown.status == 400);
    CHECK_THAT(message_of(unknown), ContainsSubstring("there is none of that name"));
    const auto bad = at.ask("PUT", t.path("/limits/namespace"), R"({"rate": {"count": "many"}})");
    CHECK(bad.status == 400);
    CHECK(bad.json().at("error").at("path") == "rate.count");
}

TEST_CASE("a handler's settings are set over HTTP, and not over those that somebody else has set",
          "[service]") {
    counter t;
    auto at = t.connect();
    const auto path = t.path("/handlers/parcel/settings");
    const auto set =
        at.ask("PUT", path, R"({"max_retry": 7, "backoff": "uniform:30s", "paused": true, "version": 0})");
    CHECK(set.status == 200);
    CHECK(set.json().at("version") == 1);
    CHECK(set.json().at("settings").at("max_retry") == 7);
    CHECK(set.json().at("settings").at("backoff") == "uniform:30s");
    const auto late = at.ask("PUT", path, R"({"max_retry": 1, "version": 0})");
    CHECK(late.status == 409);
    CHECK(at.ask("GET", t.path("/handlers")).json().at("handlers").at(0).at("settings").at("paused") == true);
    CHECK(at.ask("PUT", path, "{}").json().at("version") == 2);
    CHECK(t.run(t.app.settings_of("parcel")).settings.max_retry == std::nullopt);
    const auto bad = at.ask("PUT", path, R"({"backoff": "linear"})");
    CHECK(bad.status == 400);
    CHECK(bad.json().at("error").at("path") == "backoff");
    CHECK(at.ask("PUT", path, R"({"paused": "yes"})").json().at("error").at("path") == "paused");
}

TEST_CASE("schedules are listed, paused, resumed, run and cancelled over HTTP", "[service]") {
    counter t;
    auto at = t.connect();
    const auto made = t.run(
        t.app.handler<service_test::parcel>().every(24h, {.key = "daily", .mode = errand::fixed_rate}, 1));
    const auto path = t.path("/schedules/" + made.id());
    const auto listed = at.ask("GET", t.path("/schedules?handler=parcel&state=active")).json();
    REQUIRE(listed.at("schedules").as_array().size() == 1);
    CHECK(listed.at("schedules").at(0).at("key") == "daily");
    CHECK(listed.at("next").is_null());
    CHECK(at.ask("GET", path).json().at("upcoming").as_array().size() == 5);
    CHECK(at.ask("POST", path + ":pause").json().at("state") == "paused");
    CHECK(at.ask("POST", path + ":pause").json().at("changed") == false);
    CHECK(at.ask("POST", path + ":resume").json().at("state") == "active");
    const auto run = at.ask("POST", path + ":run");
    CHECK(run.status == 201);
    CHECK(t.task(std::string{run.json().at("id").as_string()}).handler == "parcel");
    CHECK(at.ask("POST", path + ":cancel").json().at("state") == "cancelled");
    CHECK(at.ask("GET", t.path("/schedules?state=active")).json().at("schedules").as_array().empty());
    CHECK(at.ask("GET", t.path("/schedules/none")).status == 404);
    CHECK(at.ask("GET", t.path("/schedules?state=asleep")).status == 400);
}

TEST_CASE("the graph around a task, the days and the figures are read over HTTP", "[service]") {
    counter t;
    auto at = t.connect();
    t.app.block_on(t.app.start());
    const auto first = t.submit(R"({"handler": "parcel", "args": [1]})");
    const auto second = t.submit(R"({"handler": "parcel", "args": [2], "after": [")" + first + R"("]})");
    eventually([&] { return t.task(second).state == state::success; });
    const auto text = json::serialize(at.ask("GET", t.path("/tasks/" + second + "/graph")).json());
    CHECK_THAT(text, ContainsSubstring(first));
    CHECK_THAT(text, ContainsSubstring(second));
    CHECK(at.ask("GET", t.path("/tasks/" + first + "x/graph")).status == 404);
    const auto days = at.ask("GET", t.path("/history?days=2")).json().at("days").as_array();
    std::int64_t ended = 0;
    for (const auto& day : days) ended += day.at("success").as_int64();
    CHECK(ended == 2);
    CHECK(at.ask("GET", t.path("/figures")).json().at("backlog") == 0);
    CHECK(at.ask("GET", t.path("/history?days=0")).status == 400);
}
