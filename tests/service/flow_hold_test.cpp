// What must hold of flows: who holds which task, when, and in which order.
#include "service/flow/claim_text.hpp"
#include "service/flow_shop.hpp"
#include "service/programs.hpp"

#include <boost/json/serialize.hpp>

#include <catch2/catch_test_macros.hpp>
#include <catch2/matchers/catch_matchers_string.hpp>

#include <memory>
#include <set>

using Catch::Matchers::ContainsSubstring;
using errand::test::eventually;
using service_test::flow_shop;
using service_test::json_text;
namespace json = boost::json;

namespace {

std::set<std::string> ids_in(const json::array& tasks) {
    std::set<std::string> ids;
    for (const auto& one : tasks) ids.emplace(one.at("id").as_string());
    return ids;
}

}  // namespace

TEST_CASE("a hundred workers that hold side by side get each task once", "[service][flow]") {
    flow_shop shop;
    std::string tasks;
    for (int i = 0; i < 300; ++i)
        tasks += std::string{i ? ", " : ""} + R"({"type": "film", "id": "f)" + std::to_string(i) + R"("})";
    const auto made = shop.done("POST", "/tasks:batch", R"({"tasks": [)" + tasks + "]}");
    for (const auto& one : made.at("results").as_array()) CHECK(one.at("created") == true);
    std::vector<std::unique_ptr<service_test::client>> workers;
    std::set<std::string> held;
    std::set<std::string> claims;
    std::size_t count = 0;
    // Each asks before any is answered.
    for (int i = 0; i < 100; ++i) {
        workers.push_back(std::make_unique<service_test::client>(shop.t.address()));
        workers.back()->send(shop.request(*workers.back(), "/types/film:hold", R"({"limit": 4})"));
    }
    for (const auto& worker : workers) {
        const auto got = worker->receive();
        REQUIRE(got.status == 200);
        const auto page = got.json();
        for (const auto& one : page.at("tasks").as_array()) {
            ++count;
            held.emplace(one.at("id").as_string());
            claims.emplace(one.at("claim").as_string());
        }
    }
    CHECK(count == 300);
    CHECK(held.size() == 300);
    CHECK(claims.size() == 300);
    CHECK(shop.hold().empty());
}

TEST_CASE(
    "a task is not held before it is due, and those that are due are held by priority, due time and creation",
    "[service][flow]") {
    flow_shop shop;
    shop.create(R"("id": "later", "delay_ms": 400)");
    shop.create(R"("id": "next-year", "due_at": "2099-01-01T00:00:00Z", "priority": 9)");
    shop.create(R"("id": "first")");
    shop.create(R"("id": "second", "delay_ms": -60000)");
    shop.create(R"("id": "urgent", "priority": 5)");
    const auto now = shop.hold(R"("limit": 3)");
    REQUIRE(now.size() == 3);
    CHECK(now.at(0).at("id") == "urgent");
    CHECK(now.at(1).at("id") == "first");
    CHECK(now.at(2).at("id") == "second");
    const auto later = shop.hold_one();
    CHECK(later.at("id") == "later");
    // RFC 3339 of one zone is in order as text.
    CHECK(flow_shop::text(later, "changed_at") >= flow_shop::text(later, "due_at"));
    CHECK(shop.hold().empty());
}

TEST_CASE("a head start puts a task before older ones, at each stage and after each retry",
          "[service][flow]") {
    flow_shop shop;
    const auto held_next = [&] { return flow_shop::text(shop.hold_one(), "id"); };
    shop.create(R"("id": "old")");
    shop.create(R"("id": "none", "head_start_ms": 0, "priority": 0)");
    shop.create(R"("id": "ahead", "head_start_ms": 3600000)");
    shop.create(R"("id": "farther", "head_start_ms": 7200000)");
    shop.create(R"("id": "urgent", "priority": 1)");
    CHECK(held_next() == "urgent");
    CHECK(held_next() == "farther");
    auto ahead = shop.hold_one();
    CHECK(ahead.at("id") == "ahead");
    CHECK(ahead.at("priority") == 0);
    shop.reported(ahead, "next", R"("stage": "second")");
    eventually([&] { return shop.look("ahead").at("state") == "ready"; });
    ahead = shop.hold_one();
    CHECK(ahead.at("id") == "ahead");
    shop.reported(ahead, "failed", R"("error": "busy", "in_ms": 50)");
    eventually([&] { return shop.look("ahead").at("state") == "ready"; });
    CHECK(held_next() == "ahead");
    CHECK(held_next() == "old");
    CHECK(held_next() == "none");
    CHECK(shop.hold().empty());
}

TEST_CASE("a head start that cannot be is refused", "[service][flow]") {
    flow_shop shop;
    const auto refused = [&](const std::string& members) {
        const auto got = shop.ask("POST", "/tasks", R"({"type": "film", "id": "a", )" + members + "}");
        CHECK(got.status == 400);
        return flow_shop::text(got.json().at("error").as_object(), "path");
    };
    CHECK(refused(R"("head_start_ms": 5, "priority": 1)") == "head_start_ms");
    CHECK(refused(R"("head_start_ms": -1)") == "head_start_ms");
    CHECK(refused(R"("head_start_ms": "1 s")") == "head_start_ms");
    CHECK(refused(R"("head_start_ms": 31622400001)") == "head_start_ms");
    shop.put_type("film", R"("priority": 5)");
    CHECK(refused(R"("head_start_ms": 5)") == "head_start_ms");
    CHECK(shop.hold().empty());
}

TEST_CASE("what comes back joins the tail, and what is given back the head", "[service][flow]") {
    flow_shop shop;
    for (const auto* id : {"a", "b", "c"}) shop.create(R"("id": ")" + std::string{id} + '"');
    const auto a = shop.hold_one();
    CHECK(a.at("id") == "a");
    shop.reported(a, "next", R"("stage": "second")");
    const auto b = shop.hold_one();
    CHECK(b.at("id") == "b");
    const auto back = shop.reported(b, "give_back");
    CHECK(back.at("status") == "pending");
    const auto again = shop.hold_one();
    CHECK(again.at("id") == "b");
    CHECK(again.at("attempt") == 1);
    CHECK(shop.hold_one().at("id") == "c");
    CHECK(shop.hold_one().at("id") == "a");
}

TEST_CASE("tasks of one claim that share a life do not share their claim's text", "[service][flow]") {
    flow_shop shop;
    shop.create(R"("id": "a")");
    shop.create(R"("id": "b")");
    const auto held = shop.hold(R"("limit": 2)");
    REQUIRE(held.size() == 2);
    const auto one = held.at(0).as_object();
    auto other = held.at(1).as_object();
    const auto claim_of = [](const json::object& task) {
        return *errand::flow::read_claim_text(std::string{task.at("claim").as_string()});
    };
    // As if both had been created in the same millisecond, with the same random bits.
    auto alike = claim_of(one);
    alike.life = claim_of(other).life;
    CHECK(errand::flow::text_of(alike) != other.at("claim").as_string());
    const auto right = other.at("claim");
    other["claim"] = errand::flow::text_of(alike);
    service_test::is_lost(shop.report(other, "done"));
    CHECK(shop.extend(other).at("error").at("code") == "claim_lost");
    other["claim"] = right;
    CHECK(shop.reported(other, "done").at("status") == "success");
}

TEST_CASE("a hold that waits gets a task once there is one, and one task is told to one of those who wait",
          "[service][flow]") {
    flow_shop shop;
    auto one = shop.connect();
    auto other = shop.connect();
    for (auto* each : {&one, &other})
        each->send(shop.request(*each, "/types/film:hold", R"({"limit": 5, "wait_ms": 60000})"));
    const auto first = shop.create();
    auto& served = service_test::client::first_answered(one, other);
    CHECK(ids_in(served.receive().json().at("tasks").as_array()) == std::set{first});
    auto& waits = &served == &one ? other : one;
    const auto second = shop.create(R"("delay_ms": 100)");
    CHECK(ids_in(waits.receive().json().at("tasks").as_array()) == std::set{second});
}

TEST_CASE("a task that nobody took the answer for comes to another worker, and no attempt is used",
          "[service][flow]") {
    flow_shop shop;
    auto gone = shop.connect();
    gone.send(shop.request(gone, "/types/film:hold", R"({"wait_ms": 60000})"));
    CHECK(shop.hold().empty());
    gone.close();
    const auto id = shop.create();
    const auto task = shop.hold_one();
    CHECK(task.at("id") == json::string_view{id});
    CHECK(task.at("attempt") == 1);
}

TEST_CASE("several types are held at once, each up to its limit, and the first of any is waited for",
          "[service][flow]") {
    flow_shop shop;
    shop.put_type("mail", R"("batch": 7)");
    for (int i = 0; i < 3; ++i) {
        shop.create();
        shop.done("POST", "/tasks", R"({"type": "mail"})");
    }
    const std::string both =
        R"("types": [{"type": "film", "limit": 1, "weight": 5}, {"type": "mail", "limit": 2}])";
    const auto got = shop.done("POST", "/hold", '{' + both + '}');
    std::map<std::string, int> held;
    for (const auto& one : got.at("tasks").as_array()) ++held[std::string{one.at("type").as_string()}];
    CHECK(held == std::map<std::string, int>{{"film", 1}, {"mail", 2}});
    CHECK(got.at("config").at("mail").at("batch") == 7);
    CHECK(got.at("config").at("film").at("version") == 1);
    CHECK(shop.done("POST", "/hold", '{' + both + R"(, "limit": 1})").at("tasks").as_array().size() == 1);
    shop.hold();
    shop.done("POST", "/types/mail:hold");
    auto waits = shop.connect();
    waits.send(shop.request(waits, "/hold", '{' + both + R"(, "wait_ms": 60000})"));
    const auto late = shop.done("POST", "/tasks", R"({"type": "mail"})");
    const auto answer = waits.receive().json();
    REQUIRE(answer.at("tasks").as_array().size() == 1);
    CHECK(answer.at("tasks").at(0).at("id") == late.at("id"));
}

TEST_CASE("a hold for some stages takes none of others, and those come to who asks for them",
          "[service][flow]") {
    flow_shop shop;
    const auto cut = shop.create(R"("stage": "cut")");
    const auto start = shop.create();
    CHECK(ids_in(shop.hold(R"("stages": ["start", "colour"], "wait_ms": 60000)")) == std::set{start});
    CHECK(shop.hold(R"("stages": ["colour"])").empty());
    const auto task = shop.hold_one(R"("stages": ["cut"])");
    CHECK(task.at("id") == json::string_view{cut});
    CHECK(task.at("attempt") == 1);
    CHECK(shop.reported(task, "done").at("status") == "success");
    CHECK(shop.ask("POST", "/types/film:hold", R"({"stages": []})").status == 400);
}

TEST_CASE("what a hold for some stages finds at another one goes to who waits for that", "[service][flow]") {
    flow_shop shop;
    auto early = shop.connect();
    early.send(shop.request(early, "/types/film:hold", R"({"stages": ["start"], "wait_ms": 60000})"));
    CHECK(shop.hold().empty());
    auto late = shop.connect();
    late.send(shop.request(late, "/types/film:hold",
                           R"({"stages": ["cut"], "wait_ms": 60000, "worker": "w-2"})"));
    // Both wait by now.
    for (int i = 0; i < 3; ++i) CHECK(shop.hold().empty());
    const auto first = shop.create(R"("stage": "cut")");
    const auto other = shop.create(R"("stage": "cut")");
    const auto answer = late.receive().json();
    const auto task = answer.at("tasks").at(0).as_object();
    CHECK(task.at("id") == json::string_view{first});
    CHECK(task.at("worker") == "w-2");
    CHECK(shop.reported(task, "done").at("status") == "success");
    const auto start = shop.create();
    CHECK(ids_in(early.receive().json().at("tasks").as_array()) == std::set{start});
    CHECK(shop.hold_one().at("id") == json::string_view{other});
    CHECK(shop.t.run(shop.t.app.inspect().check()).found == 0);
}

TEST_CASE("who is given what another one's hold for some stages has found keeps it by himself",
          "[service][flow]") {
    flow_shop shop;
    auto early = shop.connect();
    early.send(shop.request(early, "/types/film:hold",
                            R"({"stages": ["start"], "limit": 5, "wait_ms": 60000})"));
    CHECK(shop.hold().empty());
    auto late = shop.connect();
    late.send(shop.request(late, "/types/film:hold",
                           R"({"stages": ["cut"], "wait_ms": 60000, "worker": "w-2"})"));
    // Both wait by now.
    for (int i = 0; i < 3; ++i) CHECK(shop.hold().empty());
    shop.done("POST", "/tasks:batch", R"({"tasks": [{"type": "film"}, {"type": "film", "stage": "cut"}]})");
    const auto start = early.receive().json().at("tasks").at(0).as_object();
    const auto cut = late.receive().json().at("tasks").at(0).as_object();
    CHECK(cut.at("worker") == "w-2");
    // His lease is over, and only his.
    CHECK(shop.extend(cut, R"(, "lease_ms": 1000)").contains("lease_until"));
    const auto again = shop.hold_one();
    CHECK(again.at("id") == cut.at("id"));
    CHECK(shop.reported(start, "done").at("status") == "success");
    service_test::is_lost(shop.report(cut, "done"));
    CHECK(shop.reported(again, "done").at("status") == "success");
}

TEST_CASE("what there is too much of is rate_limited, for a request and for one of many items",
          "[service][flow]") {
    errand::service_options how;
    how.max_waiting = 1;
    flow_shop shop{{}, how};
    shop.put_type("mail");
    // The quota of the namespace.
    shop.t.run(shop.t.app.set_quota({.max_queued = 1}));
    shop.create();
    const auto full = shop.ask("POST", "/tasks", R"({"type": "film"})");
    CHECK(full.status == 429);
    CHECK(full.error_code() == "rate_limited");
    CHECK(full.headers.contains("retry-after"));
    CHECK(full.json().at("error").at("retry_after_ms").as_int64() > 0);
    // The REST interface has words of its own.
    auto at = shop.connect();
    CHECK(at.ask("POST", shop.t.path("/tasks"), R"({"handler": "film"})").error_code() == "quota_exceeded");
    const auto many = shop.done("POST", "/tasks:batch", R"({"tasks": [{"type": "film"}]})");
    CHECK(many.at("results").at(0).at("error").at("code") == "rate_limited");
    // Those who wait: of two one is refused, and then the other waits.
    auto one = shop.connect();
    auto other = shop.connect();
    for (auto* each : {&one, &other})
        each->send(shop.request(*each, "/types/mail:hold", R"({"wait_ms": 60000})"));
    const auto refused = service_test::client::first_answered(one, other).receive();
    CHECK(refused.status == 429);
    CHECK(refused.error_code() == "rate_limited");
    CHECK(refused.headers.at("retry-after") == "1");
    const auto task = shop.hold_one();
    const auto got = shop.done("POST", "/reports",
                               R"({"reports": [{"type": "film", "id": ")" + flow_shop::text(task, "id") +
                                   R"(", "claim": ")" + flow_shop::text(task, "claim") +
                                   R"(", "outcome": "done"}], "hold": {"types": [{"type": "mail"}], )" +
                                   R"("wait_ms": 60000}})");
    CHECK(got.at("results").at(0).at("status") == "success");
    CHECK(got.at("hold_error").at("code") == "rate_limited");
}

TEST_CASE("of a type that is paused nothing is held, whoever waits, and creation goes on",
          "[service][flow]") {
    flow_shop shop;
    CHECK(shop.done("POST", "/types/film:pause").at("paused") == true);
    const auto id = shop.create();
    CHECK(shop.hold(R"("wait_ms": 50)").empty());
    auto waits = shop.connect();
    waits.send(shop.request(waits, "/types/film:hold", R"({"wait_ms": 60000})"));
    CHECK(shop.done("POST", "/types/film:resume").at("paused") == false);
    CHECK(ids_in(waits.receive().json().at("tasks").as_array()) == std::set{id});
}

TEST_CASE("a C++ handler and a worker over HTTP serve the same type, and see what the other has left",
          "[service][flow]") {
    flow_shop shop;
    const auto id = shop.create(R"("content": {"n": 1})");
    shop.reported(shop.hold_one(R"("worker": "w-1")"), "next", R"("stage": "cut", "merge": {"m": 2})");
    // As any look at it shows it.
    // Of one that has an id of errand's own.
    const auto info = shop.t.task(id);
    CHECK(info.stage == "cut");
    REQUIRE(info.stages.size() == 1);
    CHECK(info.stages.front().name == "start");
    CHECK(json::serialize(info.args) == R"([{"n":1,"m":2}])");
    shop.t.start();
    const auto end = shop.look(id, "?wait_ms=60000&until=finished");
    CHECK(end.at("status") == "success");
    CHECK(end.at("stage") == "cut");
    CHECK(end.at("attempt") == 2);
    CHECK(json_text(end.at("result")) == R"({"n":1,"m":2,"seen":true})");
    // One that fails there has its retry here.
    const auto broken =
        shop.create(R"("content": {"broken": true}, "backoff": {"kind": "uniform", "first_ms": 0})");
    eventually([&] {
        return shop.look(broken).at("attempt") != 0 && shop.look(broken).at("status") == "pending";
    });
    shop.t.stop();
    shop.done("PATCH", "/tasks/film/" + broken, R"({"due_at": "2020-01-01T00:00:00Z"})");
    const auto retry = shop.hold_one();
    CHECK(retry.at("id") == json::string_view{broken});
    CHECK_THAT(json_text(retry.at("log")), ContainsSubstring("the film is torn"));
    CHECK(shop.reported(retry, "done").at("status") == "success");
    // What a C++ program submits is a task of the type.
    shop.t.run(shop.t.app.perform("film", {json::object{{"from", "C++"}}}));
    CHECK(json_text(shop.hold_one().at("content")) == R"({"from":"C++"})");
    CHECK(shop.done("GET", "/types/film/counts").at("processing") == 1);
}
