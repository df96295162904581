// Plans over HTTP: tasks that wait for each other are accepted all or none, whatever order they are named in.
#include "service/counter.hpp"
#include "support/shards.hpp"

#include <boost/json/array.hpp>
#include <boost/json/object.hpp>
#include <boost/json/serialize.hpp>

#include <catch2/catch_test_macros.hpp>
#include <catch2/matchers/catch_matchers_string.hpp>

#include <algorithm>
#include <mutex>

using Catch::Matchers::ContainsSubstring;
using errand::state;
using service_test::counter;
using service_test::response;
namespace json = boost::json;

namespace {

std::string text_of(const json::value& value) { return std::string{value.as_string()}; }

std::vector<std::string> ids_in(const response& got) {
    std::vector<std::string> ids;
    const auto document = got.json();
    for (const auto& one : document.at("tasks").as_array()) ids.push_back(text_of(one.at("id")));
    return ids;
}

json::value ended(counter& t, const std::string& id) {
    auto at = t.connect();
    const auto got = at.ask("GET", t.path("/tasks/" + id + "?wait_ms=60000"));
    REQUIRE(got.status == 200);
    return got.json();
}

// Two that are fetched, a group of them, and one that gets their results.
constexpr auto diamond = R"({"tasks": [
    {"name": "merge", "handler": "parcel", "result_of": "both"},
    {"name": "both", "group": ["b", "a"]},
    {"name": "a", "handler": "parcel", "args": ["of a"]},
    {"name": "b", "handler": "parcel", "args": ["of b"], "after_names": ["a"]}]})";

}  // namespace

TEST_CASE("tasks of a plan run one after the other, and results are passed on", "[service]") {
    counter t;
    auto at = t.connect();
    const auto got = at.ask("POST", t.path("/plans"), diamond);
    INFO(got.body);
    REQUIRE(got.status == 201);
    const auto ids = ids_in(got);
    CHECK(got.json().at("tasks").at(1).at("name") == "both");
    CHECK(t.task(ids[2]).state == state::ready);
    CHECK(t.task(ids[3]).state == state::waiting);
    CHECK(t.task(ids[3]).after == std::vector{ids[2]});
    CHECK(t.task(ids[1]).after == std::vector{ids[3], ids[2]});
    t.start();
    const auto merged = ended(t, ids[0]);
    CHECK(merged.at("state") == "success");
    CHECK(json::serialize(merged.at("result")) == R"(["of b","of a"])");
    CHECK(json::serialize(ended(t, ids[1]).at("result")) == R"(["of b","of a"])");
}

TEST_CASE("a listener hears of each task of a plan by its own handler and queue", "[service]") {
    std::mutex guard;
    std::vector<std::string> heard;
    counter t;
    t.app.on_event([&](const errand::event& what) {
        const std::lock_guard lock{guard};
        if (what.kind == errand::event_kind::task_submitted) heard.push_back(what.handler + ' ' + what.queue);
    });
    auto at = t.connect();
    REQUIRE(at.ask("POST", t.path("/plans"),
                   R"({"tasks": [{"name": "a", "handler": "parcel", "queue": "slow"},
                                 {"handler": "letter", "after_names": ["a"]}]})")
                .status == 201);
    const std::lock_guard lock{guard};
    std::ranges::sort(heard);
    CHECK(heard == std::vector<std::string>{"letter default", "parcel slow"});
}

TEST_CASE("what fails in a plan cancels what waits for it, unless that says otherwise", "[service]") {
    counter t;
    auto at = t.connect();
    const auto got = at.ask("POST", t.path("/plans"), R"({"tasks": [
        {"name": "a", "handler": "parcel", "args": ["broken"]},
        {"name": "b", "handler": "parcel", "args": [1]},
        {"name": "all", "group": ["a", "b"]},
        {"name": "then", "handler": "parcel", "result_of": "all"},
        {"name": "anyhow", "handler": "parcel", "args": [2], "after_names": ["all"], "on_failed_dependency": "run"}]})");
    REQUIRE(got.status == 201);
    t.start();
    const auto ids = ids_in(got);
    CHECK(ended(t, ids[4]).at("state") == "success");
    CHECK(ended(t, ids[2]).at("state") == "cancelled");
    CHECK(ended(t, ids[3]).at("state") == "cancelled");
    CHECK(ended(t, ids[1]).at("state") == "success");
}

TEST_CASE("a plan of which something does not fit is refused with its path, and nothing of it is there",
          "[service]") {
    counter t;
    auto at = t.connect();
    // Of each the plan is all right but for the second task.
    const std::vector<std::pair<std::string, std::string>> odd{
        {"tasks[1]", "7"},
        {"tasks[1].handler", R"({"name": "b"})"},
        {"tasks[1].priority", R"({"handler": "parcel", "priority": 10})"},
        {"tasks[1].colour", R"({"handler": "parcel", "colour": 1})"},
        {"tasks[1].name", R"({"handler": "parcel", "name": "a"})"},
        {"tasks[1].name", R"({"handler": "parcel", "name": ""})"},
        {"tasks[1].after_names[1]", R"({"handler": "parcel", "after_names": ["a", "c"]})"},
        {"tasks[1].result_of", R"({"handler": "parcel", "result_of": "c"})"},
        {"tasks[1].on_failed_dependency",
         R"({"handler": "parcel", "result_of": "a", "on_failed_dependency": "run"})"},
        {"tasks[1]", R"({"handler": "parcel", "name": "b", "after_names": ["b"]})"},
        {"tasks[1].group[0]", R"({"group": ["c"]})"},
        {"tasks[1].group", R"({"group": []})"},
        {"tasks[1].queue", R"({"group": ["a"], "queue": "q"})"},
        {"tasks[1].handler", R"({"group": ["a"], "handler": "parcel"})"},
        {"tasks[1]", R"({"name": "g", "group": ["g"]})"},
        {"tasks[1]", R"({"handler": "a\nb"})"},
        {"tasks[1].after", R"({"handler": "parcel", "after": ["no-id"]})"},
    };
    for (const auto& [path, second] : odd) {
        const auto got = at.ask("POST", t.path("/plans"),
                                R"({"tasks": [{"name": "a", "handler": "parcel"}, )" + second + "]}");
        INFO(second << got.body);
        CHECK(got.status == 400);
        CHECK(text_of(got.json().at("error").at("path")) == path);
    }
    const auto cycle = at.ask("POST", t.path("/plans"), R"({"tasks": [
        {"name": "d", "handler": "parcel", "after_names": ["c"]},
        {"name": "a", "handler": "parcel", "after_names": ["c"]},
        {"name": "b", "handler": "parcel", "after_names": ["a"]},
        {"name": "c", "handler": "parcel", "result_of": "b"}]})");
    CHECK(cycle.status == 400);
    const auto on_it = text_of(cycle.json().at("error").at("path"));
    CHECK(on_it != "tasks[0]");
    CHECK_THAT(on_it, ContainsSubstring("tasks["));
    CHECK(at.ask("POST", t.path("/plans"), R"({"tasks": []})").status == 400);
    json::array many(501, json::value{"a"});
    for (const auto* member : {"after_names", "group"}) {
        json::object second{{"name", "b"}, {member, many}};
        if (member == std::string_view{"after_names"}) second["handler"] = "parcel";
        json::array tasks;
        tasks.push_back({{"name", "a"}, {"handler", "parcel"}});
        tasks.push_back(second);
        const auto got = at.ask("POST", t.path("/plans"), json::serialize(json::object{{"tasks", tasks}}));
        CHECK(got.status == 400);
        CHECK(text_of(got.json().at("error").at("path")) == std::string{"tasks[1]."} + member);
    }
    CHECK(t.run(t.app.inspect().queues()).empty());
}

TEST_CASE("groups of groups are refused when they are of more results than a group may be", "[service]") {
    counter t;
    auto at = t.connect();
    json::array tasks;
    tasks.push_back({{"name", "g0"}, {"handler", "parcel"}});
    const auto doubled = [&](int times) {
        for (int i = static_cast<int>(tasks.size()); i <= times; ++i) {
            const auto before = "g" + std::to_string(i - 1);
            tasks.push_back({{"name", "g" + std::to_string(i)}, {"group", {before, before}}});
        }
        return at.ask("POST", t.path("/plans"), json::serialize(json::object{{"tasks", tasks}}));
    };
    // 256 results, and 512.
    CHECK(doubled(8).status == 201);
    const auto got = doubled(9);
    CHECK(got.status == 400);
    CHECK(text_of(got.json().at("error").at("path")) == "tasks[9].group");
}

TEST_CASE("two tasks of a plan with the same biz_id are one, which does not wait for itself", "[service]") {
    counter t;
    auto at = t.connect();
    const auto got = at.ask("POST", t.path("/plans"), R"({"tasks": [
        {"name": "a", "handler": "parcel", "args": [1], "biz_id": "b"},
        {"name": "again", "handler": "parcel", "args": [1], "biz_id": "b"},
        {"name": "both", "group": ["a", "again"]}]})");
    REQUIRE(got.status == 201);
    CHECK(ids_in(got)[0] == ids_in(got)[1]);
    t.start();
    CHECK(json::serialize(ended(t, ids_in(got)[2]).at("result")) == "[1,1]");
    const auto cycle = at.ask("POST", t.path("/plans"), R"({"tasks": [
        {"name": "a", "handler": "parcel", "args": [1], "biz_id": "c"},
        {"handler": "parcel", "args": [1], "biz_id": "c", "after_names": ["a"]}]})");
    CHECK(cycle.status == 400);
    CHECK(text_of(cycle.json().at("error").at("path")) == "tasks[1]");
}

TEST_CASE("what the store refuses of a plan refuses all of it", "[service]") {
    counter t;
    auto at = t.connect();
    const auto held = t.submit(R"({"handler": "parcel", "biz_id": "b", "delay_ms": 3600000})");
    const auto got = at.ask("POST", t.path("/plans"), R"({"tasks": [
        {"name": "a", "handler": "parcel"},
        {"handler": "parcel", "biz_id": "b", "on_duplicate": "reject", "after_names": ["a"]},
        {"handler": "parcel", "after_names": ["a"]}]})");
    CHECK(got.status == 409);
    CHECK(got.error_code() == "conflict");
    CHECK(got.json().at("error").at("path") == "tasks[1]");
    CHECK(t.tasks_in(state::ready) == 0);
    CHECK(t.tasks_in(state::waiting) == 0);
    // What has the biz_id takes the place of the task in the plan.
    const auto kept = at.ask("POST", t.path("/plans"), R"({"tasks": [
        {"name": "first", "handler": "parcel", "biz_id": "b"},
        {"handler": "parcel", "after_names": ["first"]}]})");
    REQUIRE(kept.status == 201);
    CHECK(ids_in(kept)[0] == held);
    CHECK(kept.json().at("tasks").at(0).at("created") == false);
    CHECK(kept.json().at("tasks").at(1).at("created") == true);
    CHECK(t.task(ids_in(kept)[1]).after == std::vector{held});
}

TEST_CASE("a plan that is repeated with its key is there once, however far it has come", "[service]") {
    counter t;
    auto at = t.connect();
    const std::vector<std::string> key{"Idempotency-Key: p-1"};
    const auto first = at.ask("POST", t.path("/plans"), diamond, key);
    REQUIRE(first.status == 201);
    t.start();
    const auto ids = ids_in(first);
    CHECK(ended(t, ids[0]).at("state") == "success");
    const auto again = at.ask("POST", t.path("/plans"), diamond, key);
    CHECK(again.status == 200);
    CHECK(ids_in(again) == ids);
    const auto document = again.json();
    for (const auto& one : document.at("tasks").as_array()) CHECK(one.at("created") == false);
    CHECK(t.tasks_in(state::success) == 3);
    // Also when the store keeps a part of it only.
    CHECK(at.ask("DELETE", t.path("/tasks/" + ids[2])).status == 200);
    CHECK(at.ask("POST", t.path("/plans"), diamond, key).status == 200);
    CHECK(at.ask("GET", t.path("/tasks/" + ids[2])).status == 404);
    CHECK(t.tasks_in(state::ready) == 0);

    auto other = std::string{diamond};
    other.replace(other.find("of b"), 4, "else");
    const auto reused = at.ask("POST", t.path("/plans"), other, key);
    CHECK(reused.status == 422);
    CHECK(reused.error_code() == "key_reused");
    auto freed = std::string{diamond};
    freed.replace(freed.find(R"(, "after_names": ["a"])"), 22, "");
    CHECK(at.ask("POST", t.path("/plans"), freed, key).error_code() == "key_reused");
    CHECK(at.ask("POST", t.path("/plans"), diamond, {"Idempotency-Key: p-2"}).status == 201);
    const auto named =
        at.ask("POST", t.path("/plans"), R"({"tasks": [{"handler": "parcel", "biz_id": "b"}]})", key);
    CHECK(named.status == 400);
    CHECK(named.json().at("error").at("path") == "Idempotency-Key");
}

TEST_CASE("a plan that lost its last task on its way into several shards is whole when it comes again",
          "[service]") {
    counter t;
    auto at = t.connect();
    const std::vector<std::string> key{"Idempotency-Key: p-1"};
    const auto first = at.ask("POST", t.path("/plans"), diamond, key);
    REQUIRE(first.status == 201);
    const auto ids = ids_in(first);
    // As when it was taken back, because nobody had confirmed it.
    REQUIRE(at.ask("DELETE", t.path("/tasks/" + ids[0])).status == 200);
    const auto again = at.ask("POST", t.path("/plans"), diamond, key);
    CHECK(ids_in(again) == ids);
    if (errand::test::shards_of_tests() == 1) {
        // There it was all or nothing, so somebody has deleted it.
        CHECK(again.status == 200);
        return;
    }
    CHECK(again.status == 201);
    CHECK(again.json().at("tasks").at(0).at("created") == true);
    CHECK(again.json().at("tasks").at(1).at("created") == false);
    t.start();
    CHECK(json::serialize(ended(t, ids[0]).at("result")) == R"(["of b","of a"])");
    CHECK(t.tasks_in(state::success) == 3);
}

TEST_CASE("a plan has 500 tasks at most, and a group may be of all others", "[service]") {
    counter t;
    auto at = t.connect();
    json::array tasks;
    json::array names;
    for (int i = 0; i < 499; ++i) {
        names.push_back(json::string{std::to_string(i)});
        tasks.push_back({{"name", names.back()}, {"handler", "parcel"}, {"args", {i}}});
    }
    tasks.insert(tasks.begin(), json::object{{"group", names}});
    const auto body = json::serialize(json::object{{"tasks", tasks}});
    const auto got = at.ask("POST", t.path("/plans"), body, {"Idempotency-Key: k"});
    INFO(got.body);
    REQUIRE(got.status == 201);
    const auto group = ids_in(got).front();
    CHECK(t.task(group).waits_for_count == 499);
    CHECK(at.ask("POST", t.path("/plans"), body, {"Idempotency-Key: k"}).status == 200);
    CHECK(t.tasks_in(state::ready) == 499);
    auto other = tasks;
    other[7].as_object()["args"] = json::array{"else"};
    const auto reused = at.ask("POST", t.path("/plans"), json::serialize(json::object{{"tasks", other}}),
                               {"Idempotency-Key: k"});
    CHECK(reused.error_code() == "key_reused");
    t.start();
    const auto results = ended(t, group).at("result").as_array();
    REQUIRE(results.size() == 499);
    for (int i = 0; i < 499; ++i) CHECK(results[static_cast<std::size_t>(i)] == i);
    tasks.push_back({{"handler", "parcel"}});
    CHECK(at.ask("POST", t.path("/plans"), json::serialize(json::object{{"tasks", tasks}})).status == 400);
}
