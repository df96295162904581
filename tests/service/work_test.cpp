// Tasks that programs take and report over HTTP.
#include "service/programs.hpp"
#include "support/store_kind.hpp"

#include <boost/json/serialize.hpp>

#include <catch2/catch_test_macros.hpp>

#include <set>

using errand::state;
using service_test::another_service;
using service_test::counter;
using service_test::foreign_task;
using service_test::id_of;
using service_test::is_lost;
using service_test::is_same;
using service_test::look;
using service_test::program;
using service_test::ready_ones;
using service_test::response;
using service_test::success;
namespace json = boost::json;

// ---- taking and reporting ------------------------------------------------------------------------------------------------

TEST_CASE("a task that is taken says all that it takes to run it, and its result is what is reported",
          "[service]") {
    counter t;
    const auto id = t.submit(
        R"({"handler": "py_thing", "queue": "foreign", "args": [1, {"n": 9007199254740993}], "headers": {"trace": "a"},
            "tags": ["x"], "biz_id": "b-1", "timeout_ms": 5000, "max_retry": 3, "priority": 4})");
    program py{t};
    CHECK(py.claim(R"("queues": {"other": 1})").empty());
    const auto task = py.claim_one(R"("lease_ms": 60000)");
    CHECK(task.at("id") == json::string_view{id});
    CHECK(task.at("handler") == "py_thing");
    CHECK(task.at("queue") == "foreign");
    CHECK(task.at("attempt") == 1);
    CHECK(task.at("max_retry") == 3);
    CHECK(task.at("priority") == 4);
    CHECK(task.at("timeout_ms") == 5000);
    CHECK(task.at("biz_id") == "b-1");
    CHECK(json::serialize(task.at("args")) == R"([1,{"n":9007199254740993}])");
    CHECK(task.at("headers").at("trace") == "a");
    CHECK(task.at("tags").at(0) == "x");
    CHECK(task.at("last_error").is_null());
    CHECK(t.task(id).state == state::working);
    CHECK(py.claim().empty());
    const auto got = py.report(task, R"("outcome": "success", "result": {"sum": 3})");
    CHECK(got.status == 200);
    CHECK(got.json() == json::value{{"id", id}, {"state", "success"}});
    const auto end = look(t, id);
    CHECK(end.at("state") == "success");
    CHECK(end.at("result").at("sum") == 3);
    CHECK(end.at("worker") == "py-1");
    CHECK(end.at("attempt") == 1);
    CHECK(end.at("started_at") == task.at("started_at"));
}

TEST_CASE("each outcome has its state, uses attempts as it says, and counts once", "[service]") {
    struct outcome {
        std::string said;
        std::string answered;
        int attempts = 0;
    };
    for (const auto& [said, answered, attempts] :
         {outcome{success, "success", 1},
          outcome{
              R"("outcome": "failure", "error": {"type": "Refused", "message": "no"}, "delay_ms": 3600000)",
              "retry", 1},
          outcome{R"("outcome": "failure", "error": {"message": "no"})", "retry", 1},
          outcome{R"("outcome": "discard", "error": {"type": "Refused", "message": "no"})", "dead", 1},
          outcome{R"("outcome": "snooze", "delay_ms": 3600000)", "delayed", 0},
          outcome{R"("outcome": "give_back")", "ready", 0}}) {
        INFO(said);
        counter t;
        const auto id = t.submit(foreign_task);
        program py{t};
        const auto task = py.claim_one();
        const auto first = py.report(task, said);
        CHECK(first.json().at("state") == json::string_view{answered});
        const auto now = look(t, id);
        CHECK(now.at("state") == json::string_view{answered});
        CHECK(now.at("attempt") == attempts);
        is_same(first, py.report(task, said));
        // Also by a service that does not remember it.
        if (errand::test::can(errand::test::capability::shared_by_apps)) {
            another_service other{t};
            program elsewhere{other.there};
            is_same(first, elsewhere.report(task, said));
            is_lost(elsewhere.report(task, said.find("give_back") == said.npos ? R"("outcome": "give_back")"
                                                                               : success));
        }
        is_lost(py.report(task, said.find("give_back") == said.npos ? R"("outcome": "give_back")" : success));
        CHECK(look(t, id) == now);
    }
}

TEST_CASE("a failure is shown with the task and to whoever tries it next", "[service]") {
    counter t;
    const auto id = t.submit(R"({"handler": "py_thing", "queue": "foreign", "max_retry": 1})");
    program py{t};
    const std::string failure =
        R"("outcome": "failure", "error": {"type": "Refused", "message": "not today"}, "delay_ms": 0)";
    CHECK(py.report(py.claim_one(), failure).json().at("state") == "retry");
    const auto again = py.claim_one();
    CHECK(again.at("attempt") == 2);
    CHECK(again.at("last_error").at("type") == "Refused");
    CHECK(again.at("last_error").at("message") == "not today");
    CHECK(py.report(again, failure).json().at("state") == "dead");
    const auto end = look(t, id);
    CHECK(end.at("errors").as_array().size() == 2);
    CHECK(end.at("errors").at(0).at("worker") == "py-1");
    CHECK(end.at("errors").at(1).at("attempt") == 2);
}

TEST_CASE("a task of which nothing is kept is answered again by the service that took its report",
          "[service]") {
    counter t;
    const auto id = t.submit(R"({"handler": "py_thing", "queue": "foreign", "retention_ms": 0})");
    program py{t};
    const auto task = py.claim_one();
    const auto first = py.report(task, success);
    is_same(first, py.report(task, success));
    CHECK_FALSE(t.run(t.app.find(id)).has_value());
}

TEST_CASE("two programs take each task once, and reports of many are answered one by one", "[service]") {
    counter t;
    constexpr int n = 60;
    std::string all;
    for (int i = 0; i < n; ++i) all += (i == 0 ? "" : ", ") + foreign_task;
    auto at = t.connect();
    REQUIRE(at.ask("POST", t.path("/tasks:batch"), R"({"tasks": [)" + all + "]}").status == 200);
    program a{t, "a"};
    program b{t, "b"};
    std::set<std::string> seen;
    for (bool more = true; more;) {
        more = false;
        for (auto* one : {&a, &b}) {
            std::string reports;
            for (const auto& task : one->claim(R"("limit": 7)")) {
                more = true;
                CHECK(seen.insert(id_of(task.as_object())).second);
                if (!reports.empty()) reports += ", ";
                reports += json::serialize(json::object{{"id", task.at("id")},
                                                        {"claim", task.at("claim")},
                                                        {"outcome", "success"},
                                                        {"result", one->name()}});
            }
            if (reports.empty()) continue;
            const auto got = one->post("/work:report", R"({"reports": [)" + reports + "]}");
            REQUIRE(got.status == 200);
            const auto document = got.json();
            for (const auto& result : document.at("results").as_array())
                CHECK(result.at("state") == "success");
            // Again, as if the answer had been lost.
            CHECK(one->post("/work:report", R"({"reports": [)" + reports + "]}").body == got.body);
        }
    }
    CHECK(seen.size() == n);
    CHECK(t.tasks_in(state::success, "foreign") == n);
}

TEST_CASE("in a batch a bad report stops none of the others, and the next tasks come with the answer",
          "[service]") {
    counter t;
    t.submit(foreign_task);
    program py{t};
    const auto task = py.claim_one();
    const auto next = t.submit(foreign_task);
    const auto item = [&](const std::string& more) {
        return R"({"id": ")" + id_of(task) + R"(", "claim": ")" + std::string{task.at("claim").as_string()} +
               "\", " + more + '}';
    };
    const auto body =
        R"({"reports": [)" + item(R"("outcome": "victory")") + R"(, 7, )" +
        R"({"id": "no-id", "claim": "1.-.1.w", "outcome": "success"}, )" +
        R"({"id": "0198c5d2-7c3e-7f00-8000-000000000001", "claim": "1.-.1.w", "outcome": "success"}, )" +
        item(R"("outcome": "failure")") + ", " + item(success) + R"(], "claim": )" + py.claim_body() + '}';
    const auto got = py.post("/work:report", body);
    INFO(got.body);
    REQUIRE(got.status == 200);
    const auto document = got.json();
    const auto& results = document.at("results").as_array();
    REQUIRE(results.size() == 6);
    CHECK(results[0].at("error").at("path") == "reports[0].outcome");
    CHECK(results[1].at("error").at("path") == "reports[1]");
    CHECK(results[2].at("error").at("path") == "reports[2].id");
    CHECK(results[3].at("error").at("code") == "claim_lost");
    CHECK(results[4].at("error").at("path") == "reports[4].error");
    CHECK(results[5].at("state") == "success");
    REQUIRE(document.at("tasks").as_array().size() == 1);
    CHECK(document.at("tasks").at(0).at("id") == json::string_view{next});
}

TEST_CASE("what does not fit is refused with its path, and nothing is taken or reported", "[service]") {
    counter t;
    const auto id = t.submit(foreign_task);
    program py{t};
    const auto refused = [&](const response& got, std::string_view path) {
        INFO(got.body);
        CHECK(got.status == 400);
        CHECK(got.json().at("error").at("path") == json::string_view{path});
    };
    const auto claims = [&](const std::string& body, std::string_view path) {
        refused(py.post("/work:claim", body), path);
        refused(py.post("/work:report", R"({"reports": [{}], "claim": )" + body + '}'),
                "claim." + std::string{path});
    };
    claims(R"({"worker": "", "queues": {"a": 1}})", "worker");
    claims(R"({"worker": "a\nb", "queues": {"a": 1}})", "worker");
    claims(R"({"worker": ")" + std::string(101, 'w') + R"(", "queues": {"a": 1}})", "worker");
    claims(R"({"worker": "w", "queues": {}})", "queues");
    claims(R"({"worker": "w", "queues": ["a"]})", "queues");
    claims(R"({"worker": "w", "queues": {"a": 0}})", "queues");
    claims(R"({"worker": "w", "queues": {"a": 1001}})", "queues");
    claims(R"({"worker": "w", "queues": {"": 1}})", "queues");
    claims(R"({"worker": "w", "queues": {"a": 1}, "handlers": []})", "handlers");
    claims(R"({"worker": "w", "queues": {"a": 1}, "limit": 0})", "limit");
    claims(R"({"worker": "w", "queues": {"a": 1}, "limit": 1001})", "limit");
    claims(R"({"worker": "w", "queues": {"a": 1}, "lease_ms": 999})", "lease_ms");
    claims(R"({"worker": "w", "queues": {"a": 1}, "lease_ms": 86400001})", "lease_ms");
    claims(R"({"worker": "w", "queues": {"a": 1}, "wait_ms": 60001})", "wait_ms");
    refused(py.post("/work:report", R"({"reports": []})"), "reports");
    refused(py.post("/work:extend", R"({"tasks": []})"), "tasks");
    CHECK(ready_ones(t) == 1);

    const auto task = py.claim_one();
    const auto reports = [&](const std::string& more, std::string_view path) {
        refused(py.report(task, more), path);
    };
    reports(R"("outcome": "victory")", "outcome");
    reports(R"("outcome": "failure")", "error");
    reports(R"("outcome": "failure", "error": "no")", "error");
    reports(R"("outcome": "failure", "error": {})", "error.message");
    reports(R"("outcome": "failure", "error": {"message": "no", "why": 1})", "error.why");
    reports(R"("outcome": "failure", "error": {"message": "no"}, "result": 1)", "result");
    reports(R"("outcome": "success", "error": {"message": "no"})", "error");
    reports(R"("outcome": "success", "delay_ms": 1)", "delay_ms");
    reports(R"("outcome": "snooze")", "delay_ms");
    reports(R"("outcome": "snooze", "delay_ms": "-1")", "delay_ms");
    reports(R"("outcome": "give_back", "delay_ms": 1)", "delay_ms");
    for (const auto* odd : {"", "1", "1.-.1", "1.-.1.", "0.-.1.w", "-1.-.1.w", "1.xyz.1.w", "1.-.x.w"}) {
        refused(py.post("/tasks/" + id + ":report",
                        R"({"claim": ")" + std::string{odd} + R"(", "outcome": "success"})"),
                "claim");
    }
    refused(py.say(task, ":progress", R"("done": 1.5)"), "done");
    refused(py.say(task, ":progress", R"("done": "half")"), "done");
    refused(py.say(task, ":log", R"("lines": [])"), "lines");
    refused(py.say(task, ":log", R"("lines": [1])"), "lines");
    refused(py.say(task, ":stage", R"("name": "")"), "name");
    refused(py.say(task, ":extend", R"("lease_ms": 1)"), "lease_ms");
    const auto large =
        py.report(task, R"("outcome": "success", "result": ")" + std::string(1024 * 1024, 'x') + '"');
    CHECK(large.status == 413);
    CHECK(large.json().at("error").at("path") == "result");
    CHECK(py.post("/tasks/no-id:report", R"({"claim": "1.-.1.w", "outcome": "success"})").status == 404);
    // It goes on.
    CHECK(t.task(id).state == state::working);
    CHECK(py.report(task, success).status == 200);
}
