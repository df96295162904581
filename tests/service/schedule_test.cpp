// Schedules and quotas over HTTP: declared, read back, told by their runs, made up for.
#include "service/counter.hpp"

#include <boost/json/array.hpp>
#include <boost/json/object.hpp>
#include <boost/json/serialize.hpp>

#include <catch2/catch_test_macros.hpp>

#include <set>

using errand::state;
using errand::test::eventually;
using service_test::counter;
namespace json = boost::json;

namespace {

// The one task that is there for a worker of this queue, sooner or later.
json::object take(service_test::client& at, counter& t, const std::string& queue) {
    const auto got = at.ask("POST", t.path("/work:claim"),
                            R"({"worker": "w", "queues": {")" + queue + R"(": 1}, "wait_ms": 60000})");
    REQUIRE(got.json().at("tasks").as_array().size() == 1);
    return got.json().at("tasks").at(0).as_object();
}

service_test::response succeed(service_test::client& at, counter& t, const json::object& task,
                               const std::string& more = {}) {
    return at.ask("POST", t.path("/tasks/" + std::string{task.at("id").as_string()} + ":report"),
                  R"({"claim": ")" + std::string{task.at("claim").as_string()} +
                      R"(", "outcome": "success")" + more + '}');
}

std::string text(const json::value& of, std::string_view member) {
    return std::string{of.at(member).as_string()};
}

}  // namespace

TEST_CASE(
    "a schedule is declared over HTTP, once however often, also of a handler that the service does not know",
    "[service]") {
    counter t;
    auto at = t.connect();
    const std::string body =
        R"({"handler": "report", "key": "daily", "cron": "0 8 * * 1-5", "timezone": "Europe/Berlin", "args": ["all"],)"
        R"( "max_runs": 10, "overlap": "skip", "missed": "run_all", "missed_cap": 5, "jitter_ms": 1000,)"
        R"( "begin": "2100-01-01T00:00:00Z", "end": "2101-01-01T00:00:00Z", "pause_on_dead": true,)"
        R"( "run": {"queue": "reports", "priority": 3, "timeout_ms": 1000, "max_retry": 2, "retention_ms": 60000,)"
        R"( "expires_after_ms": 5000, "headers": {"a": "b"}, "tags": ["x"]}})";
    const auto got = at.ask("POST", t.path("/schedules"), body);
    INFO(got.body);
    REQUIRE(got.status == 200);
    const auto seen = got.json();
    CHECK(seen.at("handler") == "report");
    CHECK(seen.at("key") == "daily");
    CHECK(seen.at("timing") == "0 8 * * 1-5");
    CHECK(seen.at("timezone") == "Europe/Berlin");
    CHECK(seen.at("queue") == "reports");
    CHECK(seen.at("max_runs") == 10);
    CHECK(json::serialize(seen.at("args")) == R"(["all"])");
    CHECK(seen.at("upcoming").as_array().size() == 5);
    CHECK(got.headers.at("location") == t.path("/schedules/" + text(seen, "id")));
    CHECK(at.ask("POST", t.path("/schedules"), body).body == got.body);
    const auto changed =
        at.ask("POST", t.path("/schedules"),
               R"({"handler": "report", "key": "daily", "every_ms": 3600000, "mode": "fixed_rate",)"
               R"( "paused": true})")
            .json();
    CHECK(changed.at("id") == seen.at("id"));
    CHECK(changed.at("timing") == "every 1h");
    CHECK(changed.at("state") == "active");
    CHECK(at.ask("GET", t.path("/schedules")).json().at("schedules").as_array().size() == 1);
    for (const auto* bad : {R"({"handler": "report"})", R"({"handler": "", "every_ms": 1000})",
                            R"({"handler": "report", "every_ms": 1000, "cron": "* * * * *"})",
                            R"({"handler": "report", "cron": "* * * * *", "mode": "once"})",
                            R"({"handler": "report", "cron": "often"})",
                            R"({"handler": "report", "cron": "* * * * *", "timezone": "Europe/Atlantis"})",
                            R"({"handler": "report", "every_ms": 1000, "overlap": "perhaps"})",
                            R"({"handler": "report", "every_ms": 1000, "missed_cap": 0})",
                            R"({"handler": "report", "every_ms": 1000, "run": {"biz_id": "x"}})"}) {
        INFO(bad);
        CHECK(at.ask("POST", t.path("/schedules"), bad).status == 400);
    }
    CHECK(at.ask("GET", t.path("/schedules")).json().at("schedules").as_array().size() == 1);
}

TEST_CASE("a run over HTTP knows its schedule, and says what that does next", "[service]") {
    counter t;
    auto at = t.connect();
    const auto declared =
        at.ask(
              "POST", t.path("/schedules"),
              R"({"handler": "report", "key": "k", "every_ms": 3600000, "args": [1], "run": {"queue": "reports"}})")
            .json();
    const auto id = text(declared, "id");
    CHECK(at.ask("POST", t.path("/schedules/" + id + ":run")).status == 201);
    const auto task = take(at, t, "reports");
    const auto origin = task.at("schedule");
    CHECK(origin.at("id") == json::string_view{id});
    CHECK(origin.at("key") == "k");
    CHECK(json::serialize(task.at("args")) == "[1]");
    CHECK(succeed(at, t, task, R"(, "schedule": {"stops": true})").status == 400);
    CHECK(succeed(at, t, task, R"(, "schedule": {"next_at": "2971-01-01T00:00:00Z"})").status == 400);
    CHECK(succeed(at, t, task, R"(, "schedule": {"next_at": "2200-01-01T00:00:00Z", "args": [2]})").status ==
          200);
    eventually([&] {
        const auto now = at.ask("GET", t.path("/schedules/" + id)).json();
        return now.at("next_at") == "2200-01-01T00:00:00.000Z" && json::serialize(now.at("args")) == "[2]";
    });
    CHECK(at.ask("POST", t.path("/schedules/" + id + ":run")).status == 201);
    const auto last = take(at, t, "reports");
    CHECK(json::serialize(last.at("args")) == "[2]");
    CHECK(succeed(at, t, last, R"(, "schedule": {"stop": true})").status == 200);
    eventually([&] { return at.ask("GET", t.path("/schedules/" + id)).json().at("state") == "finished"; });
    // What is no run has no schedule.
    t.submit(R"({"handler": "report", "queue": "reports"})");
    const auto other = take(at, t, "reports");
    CHECK(other.at("schedule").is_null());
    CHECK(succeed(at, t, other, R"(, "schedule": {"stop": true})").json().at("error").at("path") ==
          "schedule");
    CHECK(succeed(at, t, other).status == 200);
}

TEST_CASE("ticks that have no run get one over HTTP", "[service]") {
    counter t;
    auto at = t.connect();
    const auto declared = at.ask("POST", t.path("/schedules"),
                                 R"({"handler": "report", "cron": "0 * * * *", "run": {"queue": "reports"}})")
                              .json();
    const auto path = t.path("/schedules/" + text(declared, "id") + ":backfill");
    const std::string hours = R"({"from": "2026-01-01T00:00:00Z", "to": "2026-01-01T03:00:00Z"})";
    CHECK(at.ask("POST", path, hours).json().at("runs") == 3);
    CHECK(at.ask("POST", path, hours).json().at("runs") == 0);
    CHECK(t.tasks_in(state::ready, "reports") == 3);
    CHECK(at.ask("POST", path, R"({"from": "2026-01-02T00:00:00Z", "to": "2026-01-01T00:00:00Z"})").status ==
          400);
    CHECK(at.ask("POST", t.path("/schedules/none:backfill"), hours).status == 404);
}

TEST_CASE("a quota is set, read and taken back over HTTP", "[service]") {
    counter t;
    auto at = t.connect();
    CHECK(at.ask("GET", t.path("/quota")).json().at("version") == 0);
    const auto set =
        at.ask("PUT", t.path("/quota"),
               R"({"max_queued": 1, "submit_rate": {"count": 100, "per_ms": 60000, "burst": 50},)"
               R"( "max_schedules": 0, "max_payload": 1000})");
    REQUIRE(set.status == 200);
    CHECK(
        json::serialize(set.json().at("quota")) ==
        R"({"max_queued":1,"submit_rate":{"count":100,"per_ms":60000,"burst":50},"max_running":null,"max_schedules":0,)"
        R"("max_payload":1000})");
    t.submit(R"({"handler": "report"})");
    CHECK(at.ask("POST", t.path("/tasks"), R"({"handler": "report"})").error_code() == "quota_exceeded");
    CHECK(at.ask("POST", t.path("/schedules"), R"({"handler": "report", "every_ms": 1000})").status == 429);
    CHECK(at.ask("GET", t.path("/quota")).json().at("queued") == 1);
    CHECK(at.ask("PUT", t.path("/quota"), R"({"max_queued": 0})").status == 400);
    CHECK(at.ask("PUT", t.path("/quota"), R"({"max_queued": 0, "below_queued": true})").status == 200);
    CHECK(at.ask("PUT", t.path("/quota"), R"({"max_payload": 0})").json().at("error").at("path") ==
          "max_payload");
    CHECK(at.ask("DELETE", t.path("/quota")).json().at("quota").at("max_queued").is_null());
    t.submit(R"({"handler": "report"})");
}

TEST_CASE("a task waits for another one by its handler and biz_id, before that is there", "[service]") {
    counter t;
    auto at = t.connect();
    const auto waits = t.submit(
        R"({"handler": "report", "queue": "reports", "after_biz_ids": [{"handler": "parcel", "biz_id": "p-1"}]})");
    CHECK(t.task(waits).state == state::waiting);
    t.submit(R"({"handler": "parcel", "biz_id": "p-1", "args": [1]})");
    CHECK(t.task(waits).state == state::waiting);
    CHECK(succeed(at, t, take(at, t, "parcels")).status == 200);
    CHECK(take(at, t, "reports").at("id") == json::string_view{waits});
    const auto bad =
        at.ask("POST", t.path("/tasks"),
               R"({"handler": "report", "after_biz_ids": [{"handler": "parcel", "biz_id": ""}]})");
    CHECK(bad.json().at("error").at("path") == "after_biz_ids[0].biz_id");
}

TEST_CASE("what is set of a handler that no worker has is read back", "[service]") {
    counter t;
    auto at = t.connect();
    const auto path = t.path("/handlers/report/settings");
    CHECK(at.ask("GET", path).json().at("version") == 0);
    CHECK(at.ask("PUT", path, R"({"max_retry": 7})").status == 200);
    const auto seen = at.ask("GET", path).json();
    CHECK(seen.at("handler") == "report");
    CHECK(seen.at("settings").at("max_retry") == 7);
}
