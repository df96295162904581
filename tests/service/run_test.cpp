// Runs over HTTP: one thing is done to all tasks that match, by the service, and whoever may sees how far it is.
#include "service/counter.hpp"

#include <boost/json/array.hpp>
#include <boost/json/object.hpp>

#include <catch2/catch_test_macros.hpp>

using errand::state;
using service_test::client;
using service_test::counter;
namespace json = boost::json;

namespace {

std::string begun(counter& t, client& at, const std::string& body) {
    const auto got = at.ask("POST", t.path("/runs"), body);
    INFO(got.body);
    REQUIRE(got.status == 202);
    CHECK(got.headers.at("location") == t.path("/runs/") + std::string{got.json().at("id").as_string()});
    return std::string{got.json().at("id").as_string()};
}

json::value ended(counter& t, client& at, const std::string& id) {
    json::value run;
    errand::test::eventually([&] {
        run = at.ask("GET", t.path("/runs/" + id)).json();
        return run.at("state") != "running";
    });
    return run;
}

void submit_some(counter& t, int n, const std::string& queue) {
    for (int i = 0; i < n; ++i)
        t.submit(R"({"handler": "parcel", "delay_ms": 3600000, "queue": ")" + queue + R"("})");
}

}  // namespace

TEST_CASE("a run does to all that match what it says, and to no others", "[service]") {
    counter t;
    auto at = t.connect();
    submit_some(t, 5, "parcels");
    submit_some(t, 2, "letters");
    const auto counted = ended(
        t, at,
        begun(t, at, R"({"action": "cancel", "state": "delayed", "queue": "parcels", "dry_run": true})"));
    CHECK(counted.at("state") == "done");
    CHECK(counted.at("matched") == 5);
    CHECK(t.tasks_in(state::delayed) == 5);
    const auto some =
        ended(t, at,
              begun(t, at, R"({"action": "cancel", "state": "delayed", "queue": "parcels", "most": 2})"));
    CHECK(some.at("changed") == 2);
    const auto id =
        begun(t, at, R"({"action": "cancel", "state": "delayed", "queue": "parcels", "rate": 100})");
    CHECK(ended(t, at, id).at("changed") == 3);
    CHECK(t.tasks_in(state::cancelled) == 5);
    CHECK(t.tasks_in(state::delayed, "letters") == 2);
    const auto all = at.ask("GET", t.path("/runs")).json();
    REQUIRE(all.at("runs").as_array().size() == 3);
    CHECK(all.at("runs").at(0).at("id") == json::string_view{id});
    CHECK(at.ask("POST", t.path("/runs/" + id + ":stop")).json().at("state") == "done");
}

TEST_CASE("a run that is stopped ends, and says so", "[service]") {
    counter t;
    auto at = t.connect();
    submit_some(t, 3, "parcels");
    // One a second: it has not ended before it is told to.
    const auto id = begun(t, at, R"({"action": "cancel", "state": "delayed", "rate": 1})");
    errand::test::eventually([&] { return at.ask("GET", t.path("/runs/" + id)).json().at("changed") == 1; });
    CHECK(at.ask("POST", t.path("/runs/" + id + ":stop")).status == 200);
    CHECK(ended(t, at, id).at("state") == "stopped");
    CHECK(t.tasks_in(state::delayed) > 0);
}

TEST_CASE("a run that revives what fails again ends all the same", "[service]") {
    counter t;
    auto at = t.connect();
    t.start();
    for (int i = 0; i < 3; ++i) t.submit(R"({"handler": "parcel", "args": ["broken"]})");
    errand::test::eventually([&] { return t.tasks_in(state::dead) == 3; });
    const auto run = ended(t, at, begun(t, at, R"({"action": "revive", "state": "dead", "rate": 3})"));
    CHECK(run.at("state") == "done");
    CHECK(run.at("changed") == 3);
}

TEST_CASE("the store is checked as a run", "[service]") {
    counter t;
    auto at = t.connect();
    submit_some(t, 3, "parcels");
    for (const auto* action : {"check", "repair"}) {
        const auto run = ended(t, at, begun(t, at, R"({"action": ")" + std::string{action} + R"("})"));
        CHECK(run.at("state") == "done");
        CHECK(run.at("matched") == 0);
        CHECK(run.at("findings").as_array().empty());
        CHECK(run.at("looked_at").as_int64() >= 3);
    }
}

TEST_CASE("a run that says what cannot be is refused with its path, and one that is not known is not there",
          "[service]") {
    counter t;
    auto at = t.connect();
    const std::vector<std::pair<std::string, std::string>> odd{
        {"action", R"({"action": "paint", "state": "dead"})"},
        {"state", R"({"action": "revive"})"},
        {"state", R"({"action": "revive", "state": "odd"})"},
        {"state", R"({"action": "check", "state": "dead"})"},
        {"queue", R"({"action": "repair", "queue": "parcels"})"},
        {"most", R"({"action": "cancel", "state": "delayed", "most": 0})"},
        {"rate", R"({"action": "cancel", "state": "delayed", "rate": -1})"},
        {"dry_run", R"({"action": "cancel", "state": "delayed", "dry_run": "yes"})"},
        {"queue", R"({"action": "cancel", "state": "delayed", "queue": ""})"},
        {"tag", R"({"action": "cancel", "state": "delayed", "tag": ""})"},
    };
    submit_some(t, 1, "parcels");
    for (const auto& [path, body] : odd) {
        const auto got = at.ask("POST", t.path("/runs"), body);
        INFO(body << got.body);
        CHECK(got.status == 400);
        CHECK(got.json().at("error").at("path") == json::string_view{path});
    }
    CHECK(at.ask("GET", t.path("/runs/none")).status == 404);
    CHECK(at.ask("POST", t.path("/runs/none:stop")).status == 404);
    CHECK(t.tasks_in(state::delayed) == 1);
}
