// Submitting over HTTP: what a task is given arrives, what does not fit is refused by its path, what comes twice counts once.
#include "service/counter.hpp"

#include <boost/json/array.hpp>
#include <boost/json/object.hpp>
#include <boost/json/serialize.hpp>

#include <catch2/catch_test_macros.hpp>
#include <catch2/matchers/catch_matchers_string.hpp>

#include <set>

using namespace std::chrono_literals;
using Catch::Matchers::ContainsSubstring;
using errand::state;
using service_test::counter;
namespace json = boost::json;

namespace {

std::string string_in(const json::value& value) { return std::string{value.as_string()}; }

std::string body_of(const json::object& object) { return json::serialize(object); }

}  // namespace

TEST_CASE("what a submission says is what the task has", "[service]") {
    counter t;
    const auto first = t.submit(R"({"handler": "parcel", "delay_ms": 3600000})");
    const auto id = t.submit(
        R"({"handler": "parcel", "args": [{"n": 9007199254740993}], "biz_id": "b/1 ü", "queue": "slow",
        "at": "2100-01-01T00:00:00+02:00", "priority": 7, "timeout_ms": 1000, "max_retry": 4, "expires_after_ms": 5000,
        "retention_ms": 60000, "headers": {"who": "Ann"}, "tags": ["red", "blue"]})");
    const auto task = t.task(id);
    CHECK(task.handler == "parcel");
    CHECK(json::serialize(task.args) == R"([{"n":9007199254740993}])");
    CHECK(task.biz_id == "b/1 ü");
    CHECK(task.queue == "slow");
    CHECK(task.state == state::delayed);
    CHECK(task.due_at == errand::time_point{4'102'437'600'000ms});
    CHECK(task.max_retry == 4);
    CHECK(task.headers == std::map<std::string, std::string>{{"who", "Ann"}});
    CHECK(task.tags == std::vector<std::string>{"red", "blue"});
    const auto waiting = t.submit(R"({"handler": "parcel", "after": [")" + first + R"("]})");
    CHECK(t.task(waiting).state == state::waiting);
    CHECK(t.task(waiting).after == std::vector{first});
}

TEST_CASE("a task that was submitted by HTTP is run by a worker, and its result is read by HTTP",
          "[service]") {
    counter t;
    t.start();
    auto at = t.connect();
    const auto made =
        at.ask("POST", t.path("/tasks"), R"({"handler": "parcel", "args": [{"a": [1, 2.5, null]}]})");
    REQUIRE(made.status == 201);
    const auto got = at.ask("GET", made.headers.at("location") + "?wait_ms=60000");
    CHECK(got.status == 200);
    CHECK(got.json().at("state") == "success");
    CHECK(json::serialize(got.json().at("result")) == R"({"a":[1,2.5E0,null]})");
    const auto broken = t.submit(R"({"handler": "parcel", "args": ["broken"]})");
    const auto why = at.ask("GET", t.path("/tasks/" + broken + "?wait_ms=60000"));
    CHECK(why.json().at("state") == "dead");
    CHECK_THAT(string_in(why.json().at("errors").at(0).at("message")), ContainsSubstring("it fell down"));
}

TEST_CASE("a negative delay is none, as it is in a program", "[service]") {
    counter t;
    auto at = t.connect();
    const auto id = t.submit(R"({"handler": "parcel", "delay_ms": -3600000})");
    CHECK(t.task(id).state == errand::state::ready);
    CHECK(t.task(id).due_at == t.task(id).submitted_at);
    const auto later = t.submit(R"({"handler": "parcel", "delay_ms": 3600000})");
    CHECK(at.ask("POST", t.path("/tasks/" + later + ":reschedule"), R"({"delay_ms": -1})").status == 200);
    CHECK(t.task(later).due_at <= t.task(id).submitted_at.value() + 1h);
}

TEST_CASE("a member that does not fit is refused with its path, and nothing is submitted", "[service]") {
    counter t;
    auto at = t.connect();
    const std::vector<std::pair<std::string, std::string>> odd{
        {"handler", R"({"handler": 1})"},
        {"handler", R"({"handler": null})"},
        {"args", R"({"handler": "parcel", "args": {}})"},
        {"priority", R"({"handler": "parcel", "priority": 10})"},
        {"priority", R"({"handler": "parcel", "priority": "9"})"},
        {"priority", R"({"handler": "parcel", "priority": 1.5})"},
        {"delay_ms", R"({"handler": "parcel", "delay_ms": "-1"})"},
        {"delay_ms", R"({"handler": "parcel", "delay_ms": 1e30})"},
        {"at", R"({"handler": "parcel", "at": "2026-12-01T08:00:00"})"},
        {"at", R"({"handler": "parcel", "at": "2026-12-01T08:00:00Z", "delay_ms": 1})"},
        {"after", R"({"handler": "parcel", "after": ["no-id"]})"},
        {"after", R"({"handler": "parcel", "after": [1]})"},
        {"headers", R"({"handler": "parcel", "headers": {"a": 1}})"},
        {"tags", R"({"handler": "parcel", "tags": "red"})"},
        {"on_duplicate", R"({"handler": "parcel", "on_duplicate": "maybe"})"},
        {"on_failed_dependency", R"({"handler": "parcel", "on_failed_dependency": "maybe"})"},
    };
    for (const auto& [path, body] : odd) {
        const auto got = at.ask("POST", t.path("/tasks"), body);
        INFO(body << got.body);
        CHECK(got.status == 400);
        CHECK(string_in(got.json().at("error").at("path")) == path);
        const auto many = at.ask("POST", t.path("/tasks:batch"), R"({"tasks": [)" + body + "]}");
        CHECK(many.status == 200);
        CHECK(string_in(many.json().at("results").at(0).at("error").at("path")) == "tasks[0]." + path);
    }
    for (const auto* body : {R"({"handler": ""})", R"({"handler": "parcel", "biz_id": ""})",
                             R"({"handler": "a\nb"})", R"({"handler": "parcel", "tags": [""]})"}) {
        CHECK(at.ask("POST", t.path("/tasks"), body).status == 400);
    }
    CHECK(t.run(t.app.inspect().queues()).empty());
}

TEST_CASE("arguments larger than the store keeps are refused", "[service]") {
    counter t;
    auto at = t.connect();
    const auto most = t.app.settings().max_payload;
    const auto with = [&](std::size_t n) {
        return body_of({{"handler", "parcel"}, {"args", json::array{std::string(n, 'x')}}});
    };
    // [""] are four bytes.
    CHECK(at.ask("POST", t.path("/tasks"), with(most - 4)).status == 201);
    const auto got = at.ask("POST", t.path("/tasks"), with(most - 3));
    CHECK(got.status == 413);
    CHECK(got.json().at("error").at("path") == "args");
    CHECK(t.tasks_in(state::ready) == 1);
}

TEST_CASE("a biz_id is submitted once, and on_duplicate says what a second one does", "[service]") {
    counter t;
    auto at = t.connect();
    const auto ask = [&](const std::string& more) {
        return at.ask("POST", t.path("/tasks"),
                      R"({"handler": "parcel", "biz_id": "b", "delay_ms": 3600000)" + more + "}");
    };
    const auto first = ask(R"(, "args": [1])");
    CHECK(first.status == 201);
    CHECK(first.json().at("created") == true);
    const auto second = ask(R"(, "args": [2])");
    CHECK(second.status == 200);
    CHECK(second.json().at("created") == false);
    CHECK(second.json().at("id") == first.json().at("id"));
    CHECK(second.headers.at("location") == first.headers.at("location"));
    const auto rejected = ask(R"(, "args": [3], "on_duplicate": "reject")");
    CHECK(rejected.status == 409);
    CHECK(rejected.error_code() == "conflict");
    CHECK(json::serialize(t.task(string_in(first.json().at("id"))).args) == "[1]");
    CHECK(ask(R"(, "args": [4], "on_duplicate": "replace")").status < 300);
    CHECK(json::serialize(t.task(string_in(first.json().at("id"))).args) == "[4]");
}

TEST_CASE("a request that comes again with its Idempotency-Key counts once, however the task has ended",
          "[service]") {
    counter t;
    t.start();
    auto at = t.connect();
    const std::vector<std::string> key{"Idempotency-Key: k-1"};
    const std::string body = R"({"handler": "parcel", "args": ["broken"]})";
    const auto first = at.ask("POST", t.path("/tasks"), body, key);
    CHECK(first.status == 201);
    const auto id = string_in(first.json().at("id"));
    CHECK(at.ask("GET", t.path("/tasks/" + id + "?wait_ms=60000")).json().at("state") == "dead");
    // A dead task gives its biz_id free; a request that is repeated is still the same request.
    const auto again = at.ask("POST", t.path("/tasks"), body, key);
    CHECK(again.status == 200);
    CHECK(string_in(again.json().at("id")) == id);
    CHECK(again.json().at("created") == false);
    CHECK(t.task(id).state == state::dead);
    CHECK_FALSE(t.task(id).biz_id);

    const auto other = at.ask("POST", t.path("/tasks"), R"({"handler": "parcel", "args": [2]})", key);
    CHECK(other.status == 422);
    CHECK(other.error_code() == "key_reused");
    CHECK(at.ask("POST", t.path("/tasks"), R"({"handler": "letter", "args": ["broken"]})", key).status ==
          422);
    CHECK(at.ask("POST", t.path("/tasks"), body, {"Idempotency-Key: k-2"}).status == 201);

    CHECK(at.ask("POST", t.path("/tasks"), R"({"handler": "parcel", "biz_id": "b"})", key).status == 400);
    CHECK(at.ask("POST", t.path("/tasks"), body, {"Idempotency-Key: "}).status == 400);
    CHECK(at.ask("POST", t.path("/tasks"), body, {"Idempotency-Key: a b"}).status == 400);
    CHECK(at.ask("POST", t.path("/tasks"), body, {"Idempotency-Key: a", "Idempotency-Key: b"}).status == 400);
    CHECK(at.ask("POST", t.path("/tasks"), body, {"Idempotency-Key: " + std::string(256, 'k')}).status ==
          400);
    CHECK(at.ask("POST", t.path("/tasks"), body, {"Idempotency-Key: " + std::string(255, 'k')}).status ==
          201);
}

TEST_CASE("many tasks in one request are answered each for itself", "[service]") {
    counter t;
    auto at = t.connect();
    const auto got = at.ask("POST", t.path("/tasks:batch"), R"({"tasks": [
        {"handler": "parcel", "args": [1]}, 7, {"handler": "parcel", "biz_id": "b"}, {"args": []},
        {"handler": "parcel", "biz_id": "b"}, {"handler": "parcel", "biz_id": "b", "on_duplicate": "reject"},
        {"handler": "parcel", "args": [2], "colour": 1}, {"handler": "parcel", "args": [2]}]})");
    CHECK(got.status == 200);
    const auto results = got.json().at("results").as_array();
    REQUIRE(results.size() == 8);
    CHECK(results[0].at("created") == true);
    CHECK(results[1].at("error").at("path") == "tasks[1]");
    CHECK(results[2].at("created") == true);
    CHECK(results[3].at("error").at("path") == "tasks[3].handler");
    CHECK(results[4].at("created") == false);
    CHECK(results[4].at("id") == results[2].at("id"));
    CHECK(results[5].at("error").at("code") == "conflict");
    CHECK(results[6].at("error").at("path") == "tasks[6].colour");
    CHECK(results[7].at("created") == true);
    CHECK(t.tasks_in(state::ready) == 3);
}

TEST_CASE("a batch has 1 to 1000 tasks, and repeated with its key each of them counts once", "[service]") {
    counter t;
    auto at = t.connect();
    json::array tasks;
    for (int i = 0; i < 1000; ++i) tasks.push_back({{"handler", "parcel"}, {"args", {i}}});
    const auto whole = body_of({{"tasks", tasks}});
    const auto first = at.ask("POST", t.path("/tasks:batch"), whole, {"Idempotency-Key: k"});
    CHECK(first.status == 200);
    std::set<std::string> ids;
    const auto results = first.json();
    for (const auto& one : results.at("results").as_array()) {
        REQUIRE(one.as_object().contains("id"));
        ids.insert(string_in(one.at("id")));
    }
    CHECK(ids.size() == 1000);
    CHECK(t.tasks_in(state::ready) == 1000);
    const auto again = at.ask("POST", t.path("/tasks:batch"), whole, {"Idempotency-Key: k"});
    const auto repeated = again.json();
    for (const auto& one : repeated.at("results").as_array()) {
        REQUIRE(one.as_object().contains("id"));
        CHECK(one.at("created") == false);
        CHECK(ids.contains(string_in(one.at("id"))));
    }
    CHECK(t.tasks_in(state::ready) == 1000);
    CHECK(at.ask("POST", t.path("/tasks:batch"), R"({"tasks": []})").status == 400);
    tasks.push_back({{"handler", "parcel"}});
    CHECK(at.ask("POST", t.path("/tasks:batch"), body_of({{"tasks", tasks}})).status == 400);
    CHECK(t.tasks_in(state::ready) == 1000);
}

TEST_CASE("what would be lost in reading a body is refused with its path", "[service]") {
    counter t;
    auto at = t.connect();
    const std::vector<std::pair<std::string, std::string>> odd{
        {"args[0]", R"({"handler": "parcel", "args": [18446744073709551616]})"},
        {"args[1].n", R"({"handler": "parcel", "args": [[], {"m": "]},", "n": -9223372036854775809}]})"},
        {"args[0].a", R"({"handler": "parcel", "args": [{"a": 1, "b": {"a": 1}, "\u0061": 2}]})"},
        {"handler", R"({"handler": "parcel", "args": [], "handler": "letter"})"},
    };
    for (const auto& [path, body] : odd) {
        const auto got = at.ask("POST", t.path("/tasks"), body);
        INFO(body << got.body);
        CHECK(got.status == 400);
        CHECK(string_in(got.json().at("error").at("path")) == path);
    }
    const auto id = t.submit(
        R"({"handler": "parcel", "args": [18446744073709551615, -9223372036854775808, "99999999999999999999", 1e30,
        {"a\"": {"a": 1}, "a": [{"a": 1}, {"a": 2}]}]})");
    CHECK(t.task(id).args.at(0).to_number<std::uint64_t>() == 18'446'744'073'709'551'615U);
    CHECK(t.tasks_in(state::ready) == 1);
}

TEST_CASE("a name that is refused is not sent back as a whole", "[service]") {
    counter t;
    auto at = t.connect();
    const std::string name(30'000, 'x');
    for (const auto& got :
         {at.ask("POST", t.path("/tasks"), R"({"handler": "parcel", ")" + name + R"(": 1})"),
          at.ask("POST", t.path("/tasks"), R"({"handler": "parcel", "after": [")" + name + R"("]})"),
          at.ask("POST", t.path("/tasks"), R"({")" + name + R"(": 1, ")" + name + R"(": 1})"),
          at.ask("GET", t.path("/queues?" + name.substr(0, 8000) + "=1"))}) {
        CHECK(got.status == 400);
        CHECK(got.body.size() < 1000);
    }
}

TEST_CASE("a page ends when its tasks have many bytes, and the next one goes on", "[service]") {
    counter t;
    auto at = t.connect();
    const auto body =
        body_of({{"handler", "parcel"}, {"args", json::array{std::string(std::size_t{360} * 1024, 'x')}}});
    std::set<std::string> submitted;
    for (int i = 0; i < 60; ++i) submitted.insert(t.submit(body));
    std::set<std::string> seen;
    const auto page = [&](const std::string& more) {
        const auto got = at.ask("GET", t.path("/tasks?state=ready&limit=1000" + more)).json();
        for (const auto& one : got.at("tasks").as_array()) seen.insert(string_in(one.at("id")));
        return got.at("next");
    };
    auto next = page("");
    CHECK(seen.size() < 60);
    for (int i = 0; i < 60 && next.is_string(); ++i) next = page("&cursor=" + string_in(next));
    CHECK(next.is_null());
    CHECK(seen == submitted);
}
