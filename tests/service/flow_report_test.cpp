// What must hold of flows: what workers report, how often it counts, and what is kept of it.
#include "service/flow_shop.hpp"
#include "service/programs.hpp"
#include "support/redis_server.hpp"
#include "support/store_kind.hpp"

#include <boost/json/parse.hpp>
#include <boost/json/serialize.hpp>

#include <catch2/catch_test_macros.hpp>

#include <array>

using namespace std::chrono_literals;
using service_test::flow_shop;
using service_test::is_lost;
using service_test::is_same;
using service_test::json_text;
namespace json = boost::json;

namespace {

std::int64_t ms_of(const json::value& instant) {
    const auto parse = [](const json::value& text) {
        std::tm at{};
        const std::string written{text.as_string()};
        strptime(written.c_str(), "%Y-%m-%dT%H:%M:%S", &at);
        return std::int64_t{timegm(&at)} * 1000 + std::stoi(written.substr(20, 3));
    };
    return parse(instant);
}

// What the log says was waited after its last run.
std::int64_t wait_of(const json::object& task) {
    return ms_of(task.at("due_at")) - ms_of(task.at("log").as_array().back().at("at"));
}

}  // namespace

TEST_CASE("a task goes from stage to stage with its content, and ends with its result", "[service][flow]") {
    flow_shop shop;
    const auto id =
        shop.create(R"("id": "o-1", "user": "u-9", "content": {"src": "a", "tmp": 1}, "trace": "00-aa")");
    CHECK(id == "o-1");
    const auto created = shop.look(id);
    CHECK(created.at("status") == "pending");
    CHECK(created.at("stage") == "start");
    CHECK(created.at("stage_number") == 1);
    CHECK(created.at("attempt") == 0);
    CHECK(created.at("user") == "u-9");
    CHECK(created.at("version") == 1);
    const auto task = shop.hold_one(R"("worker": "w-1")");
    CHECK(shop.look(id).at("status") == "processing");
    CHECK(shop.look(id).at("worker") == "w-1");
    CHECK(shop.look(id).at("lease_until").is_string());
    CHECK(shop.look(id).at("version").as_int64() > created.at("version").as_int64());
    const auto next =
        shop.reported(task, "next",
                      R"("stage": "cut", "merge": {"tmp": null, "size": 7}, "cost_ms": 12, "trace": "t")");
    CHECK(next.at("status") == "pending");
    CHECK(next.at("stage") == "cut");
    const auto cut = shop.look(id);
    CHECK(cut.at("version") == next.at("version"));
    CHECK(cut.at("stage_number") == 2);
    CHECK(cut.at("retries") == 0);
    CHECK(json_text(cut.at("content")) == R"({"src":"a","size":7})");
    const auto& run = cut.at("log").as_array().back();
    CHECK(run.at("stage") == "start");
    CHECK(run.at("outcome") == "next");
    CHECK(run.at("cost_ms") == 12);
    CHECK(run.at("trace") == "t");
    CHECK(run.at("worker") == "w-1");
    const auto end = shop.reported(shop.hold_one(), "done", R"("result": [1])");
    CHECK(end.at("status") == "success");
    const auto over = shop.look(id);
    CHECK(over.at("state") == "success");
    CHECK(json_text(over.at("result")) == "[1]");
    CHECK(json_text(over.at("content")) == R"({"src":"a","size":7})");
    CHECK(over.at("version") == end.at("version"));
    CHECK(over.at("finished_at").is_string());
    CHECK(over.at("attempt") == 2);
    // Each call of it is a stage of the task.
    auto& core = shop.t;
    for (const auto& one : core.run(core.app.inspect().list({.state = errand::state::success})).tasks) {
        REQUIRE(one.stages.size() == 2);
        CHECK(one.stages.at(0).name == "start");
        CHECK(one.stages.at(1).name == "cut");
    }
}

TEST_CASE("a report that is sent twice counts once, also by way of another service, and so does a creation",
          "[service][flow]") {
    struct sent {
        std::string outcome;
        std::string more;
    };
    // None that is due at once: whoever looks finds it delayed, or ready already.
    for (const auto& [outcome, more] :
         {sent{"next", R"("stage": "cut", "content": 2, "in_ms": 60000)"}, sent{"again", R"("in_ms": 60000)"},
          sent{"done", R"("result": 1)"}, sent{"failed", R"("error": "no", "in_ms": 60000)"},
          sent{"dead", R"("error": "no")"}, sent{"give_back", ""}}) {
        INFO(outcome);
        flow_shop shop;
        const auto id = shop.create(R"("content": 1)");
        const auto task = shop.hold_one();
        const auto first = shop.report(task, outcome, more);
        const auto after = json_text(shop.look(id));
        is_same(first, shop.report(task, outcome, more));
        if (errand::test::can(errand::test::capability::shared_by_apps)) {
            service_test::another_service other{shop.t};
            auto elsewhere = other.there.connect();
            std::string body =
                R"({"claim": ")" + flow_shop::text(task, "claim") + R"(", "outcome": ")" + outcome + '"';
            if (!more.empty()) body += ", " + more;
            is_same(first, elsewhere.ask("POST", shop.path("/tasks/film/" + id + ":report"), body + '}'));
        }
        CHECK(json_text(shop.look(id)) == after);
        is_lost(shop.report(task, outcome == "done" ? "dead" : "done"));
        CHECK(json_text(shop.look(id)) == after);
    }
    flow_shop shop;
    const auto create = [&](std::string_view content, std::string_view query = {}) {
        return shop.ask("POST", "/tasks" + std::string{query},
                        R"({"type": "film", "id": "once", "content": )" + std::string{content} + '}');
    };
    CHECK(create("1").status == 201);
    const auto again = create("1");
    CHECK(again.status == 200);
    CHECK(again.json() == json::value{{"id", "once"}, {"created", false}});
    CHECK(create("2").status == 200);
    CHECK(json_text(shop.look("once").at("content")) == "1");
    CHECK(create("1", "?strict").status == 200);
    CHECK(create("2", "?strict").error_code() == "conflict");
    CHECK(shop.reported(shop.hold_one(), "done").at("status") == "success");
    // As long as it is kept.
    CHECK(create("1").status == 200);
    CHECK(shop.hold().empty());
}

TEST_CASE("a report that is sent twice at once counts once", "[service][flow]") {
    flow_shop shop;
    shop.create();
    const auto task = shop.hold_one();
    const std::string body =
        R"({"claim": ")" + flow_shop::text(task, "claim") + R"(", "outcome": "next", "stage": "cut"})";
    auto one = shop.connect();
    auto other = shop.connect();
    for (auto* each : {&one, &other}) {
        each->send("POST " + shop.path("/tasks/film/" + flow_shop::text(task, "id") + ":report") +
                   " HTTP/1.1\r\nHost: " + each->host() +
                   "\r\nContent-Type: application/json\r\nContent-Length: " + std::to_string(body.size()) +
                   "\r\n\r\n" + body);
    }
    is_same(one.receive(), other.receive());
    CHECK(shop.hold_one().at("attempt") == 2);
    CHECK(shop.hold().empty());
}

TEST_CASE("whoever looks sees the stage together with the content that was reported with it",
          "[service][flow]") {
    flow_shop shop;
    const auto id = shop.create(R"("stage": "s0", "content": {"n": 0})");
    // Looked at while it is reported, on connections of their own, by this one thread: assertions are for one.
    std::array<service_test::client, 3> looks{shop.connect(), shop.connect(), shop.connect()};
    const auto look = [&](service_test::client& at) {
        at.send("GET " + shop.path("/tasks/film/" + id) + " HTTP/1.1\r\nHost: " + at.host() + "\r\n\r\n");
    };
    for (int n = 1; n <= 60; ++n) {
        const auto number = std::to_string(n);
        const auto task = shop.hold_one();
        for (auto& at : looks) look(at);
        shop.report(task, "next", R"("stage": "s)" + number + R"(", "content": {"n": )" + number + '}');
        for (auto& at : looks) {
            const auto got = at.receive().json();
            const auto seen = got.at("content").at("n").as_int64();
            CHECK((seen == n || seen == n - 1));
            CHECK(got.at("stage") == json::string_view{"s" + std::to_string(seen)});
        }
    }
    CHECK(shop.look(id).at("stage_number") == 61);
}

TEST_CASE(
    "progressive retries wait 1, 2, 4, 8, 10 and 10 seconds, and then the task has failed with all errors in its log",
    "[service][flow]") {
    flow_shop shop{
        R"("max_retry": 6, "backoff": {"kind": "progressive", "first_ms": 1000, "cap_ms": 10000})"};
    const auto id = shop.create();
    int tries = 0;
    for (const auto wait : {1000, 2000, 4000, 8000, 10000, 10000}) {
        const auto task = shop.hold_one();
        const auto got = shop.reported(task, "failed", R"("error": "no )" + std::to_string(++tries) + '"');
        CHECK(got.at("status") == "pending");
        const auto now = shop.look(id);
        CHECK(now.at("state") == "retry");
        CHECK(now.at("retries") == tries);
        CHECK(ms_of(got.at("due_at")) - ms_of(now.at("log").as_array().back().at("at")) == wait);
        // Never shorter.
        CHECK(wait_of(now) >= wait);
        CHECK(shop.hold().empty());
        shop.done("PATCH", "/tasks/film/" + id, R"({"due_at": "2020-01-01T00:00:00Z"})");
    }
    CHECK(shop.reported(shop.hold_one(), "failed", R"("error": "the last")").at("status") == "failed");
    const auto end = shop.look(id);
    CHECK(end.at("state") == "dead");
    CHECK(end.at("retries") == 6);
    const auto& log = end.at("log").as_array();
    REQUIRE(log.size() == 7);
    for (int n = 1; n <= 6; ++n)
        CHECK(log.at(static_cast<std::size_t>(n) - 1).at("error") ==
              json::string_view{"no " + std::to_string(n)});
    CHECK(log.back().at("error") == "the last");
}

TEST_CASE("a log keeps as many attempts as the type says, and a report of the last one is known again",
          "[service][flow]") {
    flow_shop shop{R"("log_runs": 2, "max_retry": 9, "backoff": {"kind": "uniform", "first_ms": 0})"};
    const auto id = shop.create();
    for (const auto* error : {"first", "second", "third"}) {
        const auto task = shop.hold_one();
        const auto more = R"("error": ")" + std::string{error} + '"';
        const auto answer = shop.report(task, "failed", more);
        CHECK(answer.status == 200);
        CHECK(shop.report(task, "failed", more).body == answer.body);
    }
    const auto log = shop.look(id).at("log").as_array();
    REQUIRE(log.size() == 2);
    CHECK(log.at(0).at("error") == "second");
    CHECK(log.at(1).at("error") == "third");
    shop.done("PATCH", "/types/film", R"({"log_runs": null})");
    CHECK(shop.done("GET", "/types/film").at("log_runs") == 32);
}

TEST_CASE("a retry is not held before its wait is over", "[service][flow]") {
    flow_shop shop{R"("backoff": {"kind": "uniform", "first_ms": 300})"};
    shop.create();
    shop.reported(shop.hold_one(), "failed", R"("error": "no")");
    const auto task = shop.hold_one();
    const auto failed_at = ms_of(task.at("log").as_array().back().at("at"));
    CHECK(ms_of(task.at("changed_at")) - failed_at >= 300);
}

TEST_CASE("looking again twenty times uses no retry, and each stage has retries of its own",
          "[service][flow]") {
    flow_shop shop{R"("max_retry": 1, "backoff": {"kind": "uniform", "first_ms": 0})"};
    const auto id = shop.create();
    for (int i = 0; i < 20; ++i) shop.reported(shop.hold_one(), "again", R"("in_ms": 0)");
    CHECK(shop.look(id).at("retries") == 0);
    CHECK(shop.look(id).at("attempt") == 20);
    shop.reported(shop.hold_one(), "failed", R"("error": "first stage", "content": {"progress": 1})");
    CHECK(shop.look(id).at("retries") == 1);
    CHECK(json_text(shop.look(id).at("content")) == R"({"progress":1})");
    shop.reported(shop.hold_one(), "next", R"("stage": "second")");
    CHECK(shop.look(id).at("retries") == 0);
    CHECK(shop.reported(shop.hold_one(), "failed", R"("error": "second stage")").at("status") == "pending");
    CHECK(shop.reported(shop.hold_one(), "failed", R"("error": "second stage")").at("status") == "failed");
    // Of a type that counts them over the whole task the same task has failed sooner.
    shop.done("PATCH", "/types/film", R"({"retry_scope": "task"})");
    const auto other = shop.create();
    shop.reported(shop.hold_one(), "failed", R"("error": "first stage")");
    shop.reported(shop.hold_one(), "next", R"("stage": "second")");
    CHECK(shop.reported(shop.hold_one(), "failed", R"("error": "second stage")").at("status") == "failed");
    CHECK(shop.look(other).at("state") == "dead");
}

TEST_CASE(
    "another max_retry of a type is what the next failure of tasks that are there goes by, unless they brought their own",
    "[service][flow]") {
    flow_shop shop{R"("max_retry": 0)"};
    const auto waits = shop.create();
    const auto own = shop.create(R"("max_retry": 0)");
    const auto changed = shop.done("PATCH", "/types/film", R"({"max_retry": 1})");
    CHECK(changed.at("version") == 2);
    const auto tasks = shop.hold();
    REQUIRE(tasks.size() == 2);
    CHECK(shop.reported(tasks.at(0).as_object(), "failed").at("status") == "pending");
    CHECK(shop.reported(tasks.at(1).as_object(), "failed").at("status") == "failed");
    CHECK(shop.look(waits).at("max_retry") == 1);
    CHECK(shop.look(own).at("max_retry") == 0);
}

TEST_CASE("who holds a task that is cancelled hears of it, and what he reports does not count",
          "[service][flow]") {
    flow_shop shop;
    const auto id = shop.create(R"("content": 1)");
    const auto pending = shop.create();
    const auto task = shop.hold(R"("limit": 1)").at(0).as_object();
    CHECK(shop.done("DELETE", "/tasks/film/" + pending).at("state") == "cancelled");
    CHECK(shop.done("DELETE", "/tasks/film/" + id).at("id") == json::string_view{id});
    CHECK(shop.extend(task).at("cancel") == true);
    const auto got = shop.reported(task, "done", R"("result": 1, "content": 2)");
    CHECK(got.at("cancel") == true);
    CHECK(got.at("status") == "failed");
    CHECK(got.at("state") == "cancelled");
    const auto end = shop.look(id);
    CHECK(end.at("state") == "cancelled");
    CHECK(json_text(end.at("content")) == "1");
    CHECK(end.at("result").is_null());
    // Of one that has ended the end is told.
    CHECK(shop.done("DELETE", "/tasks/film/" + id).at("state") == "cancelled");
    CHECK(shop.hold().empty());
}

TEST_CASE(
    "many are reported and the next ones held in one request, and a bad report does not stop the others",
    "[service][flow]") {
    flow_shop shop;
    for (int i = 0; i < 4; ++i) shop.create();
    const auto held = shop.hold(R"("limit": 2)");
    std::string reports;
    for (const auto& one : held) {
        const auto lease = flow_shop::lease_of(one.as_object());
        reports += lease.substr(0, lease.size() - 1) + R"(, "outcome": "done"}, )";
    }
    const auto got = shop.done("POST", "/reports",
                               R"({"reports": [)" + reports +
                                   R"({"type": "film", "id": "x", "claim": "?", "outcome": "done"}],
                                   "hold": {"types": [{"type": "film"}], "limit": 1}})");
    const auto& results = got.at("results").as_array();
    REQUIRE(results.size() == 3);
    CHECK(results.at(0).at("status") == "success");
    CHECK(results.at(1).at("status") == "success");
    CHECK(results.at(2).at("error").at("path") == "reports[2].claim");
    REQUIRE(got.at("tasks").as_array().size() == 1);
    CHECK(got.at("tasks").at(0).as_object().contains("claim"));
    CHECK(got.at("config").at("batch") == 100);
}

TEST_CASE("a report says what fits its outcome, its type and its task", "[service][flow]") {
    flow_shop shop{R"("stages": ["start", "cut"], "max_content": 100)"};
    shop.create();
    const auto task = shop.hold_one();
    const auto refused = [&](std::string_view outcome, std::string_view more, int status,
                             std::string_view path) {
        const auto got = shop.report(task, outcome, more);
        INFO(outcome << ' ' << more << ' ' << got.body);
        CHECK(got.status == status);
        CHECK(got.json().at("error").at("path") == json::string_view{path});
    };
    refused("next", "", 400, "stage");
    refused("next", R"("stage": "colour")", 400, "stage");
    refused("next", R"("stage": "a b")", 400, "stage");
    refused("again", R"("stage": "cut")", 400, "stage");
    refused("again", R"("result": 1)", 400, "result");
    refused("done", R"("error": "e")", 400, "error");
    refused("done", R"("in_ms": 1)", 400, "in_ms");
    refused("fine", "", 400, "outcome");
    refused("done", R"("content": 1, "merge": {})", 400, "merge");
    refused("done", R"("content": ")" + std::string(100, 'x') + '"', 413, "content");
    refused("done", R"("merge": {"a": ")" + std::string(100, 'x') + "\"}", 413, "merge");
    CHECK(shop.report(task, "done").status == 200);
    const auto created = shop.ask("POST", "/tasks", R"({"type": "film", "stage": "colour"})");
    CHECK(created.status == 400);
    CHECK(created.json().at("error").at("path") == "stage");
}

TEST_CASE("what was answered is there when the store was killed and is back", "[service][flow][goes_away]") {
    errand::test::redis_server server{{.append_only = true}};
    auto settings = errand::test::fresh_settings();
    settings.store = server.url();
    settings.shards = 0;
    settings.store_timeout = 2s;
    flow_shop shop{R"("max_retry": 5)", {}, settings};
    const auto id = shop.create(R"("content": {"n": 0})");
    for (int n = 1; n <= 3; ++n) {
        const auto number = std::to_string(n);
        service_test::response held;
        errand::test::eventually([&] {
            held = shop.ask("POST", "/types/film:hold", R"({"limit": 1, "wait_ms": 1000, "lease_ms": 5000})");
            return held.status == 200 && !held.json().at("tasks").as_array().empty();
        });
        const auto task = held.json().at("tasks").at(0).as_object();
        const auto more = R"("stage": "s)" + number + R"(", "content": {"n": )" + number + '}';
        const auto first = shop.reported(task, "next", more);
        server.kill();
        const auto away = shop.report(task, "next", more);
        CHECK(away.status == 503);
        server.restart();
        service_test::response again;
        errand::test::eventually([&] {
            again = shop.report(task, "next", more);
            return again.status == 200;
        });
        CHECK(again.json() == json::value{first});
        service_test::response seen;
        errand::test::eventually([&] {
            seen = shop.ask("GET", "/tasks/film/" + id);
            return seen.status == 200;
        });
        CHECK(seen.json().at("stage") == json::string_view{"s" + number});
        CHECK(json_text(seen.json().at("content")) == R"({"n":)" + number + '}');
    }
}
