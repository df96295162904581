// Waiting for several tasks in one request: until all have succeeded, or one has.
#include "service/counter.hpp"

#include <boost/json/array.hpp>
#include <boost/json/object.hpp>
#include <boost/json/serialize.hpp>

#include <catch2/catch_test_macros.hpp>
#include <catch2/matchers/catch_matchers_string.hpp>

using Catch::Matchers::ContainsSubstring;
using service_test::client;
using service_test::counter;
using service_test::response;
namespace json = boost::json;

namespace {

constexpr auto nobody = "0198c5d2-7c3e-7f00-8000-000000000001";

response wait_for(counter& t, client& at, const std::vector<std::string>& ids, const std::string& until,
                  int wait_ms = 60'000) {
    json::array all;
    for (const auto& one : ids) all.emplace_back(one);
    return at.ask("POST", t.path("/tasks:wait"),
                  json::serialize(json::object{{"ids", all}, {"until", until}, {"wait_ms", wait_ms}}));
}

std::string parcel(counter& t, const std::string& args, const std::string& more = "") {
    return t.submit(R"({"handler": "parcel", "args": [)" + args + "]" + more + "}");
}

constexpr auto later = R"(, "delay_ms": 3600000)";

}  // namespace

TEST_CASE("all results come in the order of the ids, once the last one is there", "[service]") {
    counter t;
    auto at = t.connect();
    const auto a = parcel(t, R"("a")");
    const auto b = parcel(t, R"({"n": 9007199254740993})");
    const auto none = wait_for(t, at, {a, b}, "all", 0);
    CHECK(none.status == 200);
    CHECK(none.json().at("settled") == false);
    CHECK(none.json().at("tasks").at(0).at("state") == "ready");
    t.start();
    const auto got = wait_for(t, at, {b, a, b}, "all");
    CHECK(got.status == 200);
    const auto document = got.json();
    CHECK(document.at("settled") == true);
    CHECK(document.at("first").is_null());
    REQUIRE(document.at("tasks").as_array().size() == 3);
    CHECK(json::serialize(document.at("tasks").at(0).at("result")) == R"({"n":9007199254740993})");
    CHECK(document.at("tasks").at(1).at("result") == "a");
    CHECK(document.at("tasks").at(2).at("id") == json::string_view{b});
    CHECK(document.at("tasks").at(1).at("state") == "success");
    CHECK(document.at("tasks").at(1).at("last_error").is_null());
}

TEST_CASE("of all the first that does not succeed ends the wait, of any the first that does", "[service]") {
    counter t;
    t.start();
    auto at = t.connect();
    const auto broken = parcel(t, R"("broken")");
    const auto never = parcel(t, "1", later);
    const auto all = wait_for(t, at, {never, broken}, "all").json();
    CHECK(all.at("settled") == true);
    CHECK(all.at("tasks").at(0).at("state") == "delayed");
    CHECK(all.at("tasks").at(1).at("state") == "dead");
    CHECK_THAT(std::string{all.at("tasks").at(1).at("last_error").at("message").as_string()},
               ContainsSubstring("it fell down"));
    // The one that has failed is passed over.
    const auto good = parcel(t, "2");
    const auto any = wait_for(t, at, {never, broken, good}, "any").json();
    CHECK(any.at("settled") == true);
    CHECK(any.at("first") == json::string_view{good});
    CHECK(any.at("tasks").at(2).at("result") == 2);
    // When none is left that could succeed there is nothing to wait for.
    const auto lost = wait_for(t, at, {broken, nobody}, "any").json();
    CHECK(lost.at("settled") == true);
    CHECK(lost.at("first").is_null());
}

TEST_CASE("an id that is none of a task counts as one that will not succeed", "[service]") {
    counter t;
    auto at = t.connect();
    const auto never = parcel(t, "1", later);
    for (const auto* id : {nobody, "no-id", ""}) {
        const auto got = wait_for(t, at, {never, id}, "all").json();
        CHECK(got.at("settled") == true);
        CHECK(got.at("tasks").at(0).at("state") == "delayed");
        CHECK(got.at("tasks").at(1).at("error").at("code") == "not_found");
        CHECK(wait_for(t, at, {id}, "any").json().at("settled") == true);
        CHECK(wait_for(t, at, {id, never}, "any", 1).json().at("settled") == false);
    }
}

TEST_CASE("the result of a group is that of its members, as long as they are kept", "[service]") {
    counter t;
    t.start();
    auto at = t.connect();
    const auto plan = at.ask("POST", t.path("/plans"), R"({"tasks": [
        {"name": "a", "handler": "parcel", "args": [1]}, {"name": "both", "group": ["a"]}]})");
    REQUIRE(plan.status == 201);
    const std::string a{plan.json().at("tasks").at(0).at("id").as_string()};
    const std::string both{plan.json().at("tasks").at(1).at("id").as_string()};
    CHECK(json::serialize(wait_for(t, at, {both}, "any").json().at("tasks").at(0).at("result")) == "[1]");
    CHECK(at.ask("DELETE", t.path("/tasks/" + a)).status == 200);
    const auto got = wait_for(t, at, {both}, "all");
    CHECK(got.status == 200);
    CHECK(got.json().at("settled") == true);
    CHECK(got.json().at("tasks").at(0).at("state") == "success");
    CHECK(got.json().at("tasks").at(0).at("result").is_null());
    const auto seen = at.ask("GET", t.path("/tasks/" + both));
    CHECK(seen.status == 200);
    CHECK(seen.json().at("result").is_null());
}

TEST_CASE("results beyond what one answer holds are left out of it", "[service]") {
    counter t;
    t.start();
    auto at = t.connect();
    const auto large = parcel(t, '"' + std::string(1'000'000, 'x') + '"');
    const auto small = parcel(t, "1");
    std::vector<std::string> ids(17, large);
    ids.insert(ids.begin(), small);
    const auto got = wait_for(t, at, ids, "all");
    REQUIRE(got.status == 200);
    CHECK(got.body.size() < std::size_t{17} * 1024 * 1024);
    const auto document = got.json();
    CHECK(document.at("settled") == true);
    CHECK(document.at("tasks").at(0).at("result") == 1);
    CHECK(document.at("tasks").at(16).at("result").is_string());
    CHECK(document.at("tasks").at(17).at("result").is_null());
    CHECK(document.at("tasks").at(17).at("left_out") == true);
}

TEST_CASE("who hangs up while it waits for several tasks waits no more", "[service]") {
    errand::service_options how;
    how.max_waiting = 1;
    counter t{how};
    auto waiting = std::make_unique<client>(t.address());
    const auto never = parcel(t, "1", later);
    const auto body = R"({"ids": [")" + never + R"("], "until": "any", "wait_ms": 60000})";
    waiting->send("POST " + t.path("/tasks:wait") + " HTTP/1.1\r\nHost: " + waiting->host() +
                  "\r\nContent-Type: application/json\r\nContent-Length: " + std::to_string(body.size()) +
                  "\r\n\r\n" + body);
    auto at = t.connect();
    errand::test::eventually([&] { return wait_for(t, at, {never}, "all", 1).status == 429; });
    waiting->close();
    errand::test::eventually([&] { return wait_for(t, at, {never}, "all", 1).status == 200; });
}

TEST_CASE("a wait for several tasks counts as one that waits, and ends with the service", "[service]") {
    errand::service_options how;
    how.max_waiting = 1;
    counter t{how};
    auto waiting = t.connect();
    const auto never = parcel(t, "1", later);
    const auto body = R"({"ids": [")" + never + R"("], "wait_ms": 60000})";
    waiting.send("POST " + t.path("/tasks:wait") + " HTTP/1.1\r\nHost: " + waiting.host() +
                 "\r\nContent-Type: application/json\r\nContent-Length: " + std::to_string(body.size()) +
                 "\r\n\r\n" + body);
    auto at = t.connect();
    errand::test::eventually([&] { return wait_for(t, at, {never}, "all", 1).status == 429; });
    // What is known already is told all the same.
    CHECK(wait_for(t, at, {nobody}, "all").status == 200);
    CHECK(wait_for(t, at, {never}, "all", 0).status == 200);
    t.service->stop();
    const auto got = waiting.receive();
    CHECK(got.status == 200);
    CHECK(got.json().at("settled") == false);
}

TEST_CASE("what a wait says that does not fit is refused with its path", "[service]") {
    counter t;
    auto at = t.connect();
    const auto refused = [&](const std::string& body) {
        const auto got = at.ask("POST", t.path("/tasks:wait"), body);
        INFO(body << got.body);
        CHECK(got.status == 400);
        return std::string{got.json().at("error").at("path").as_string()};
    };
    CHECK(refused(R"({"ids": []})") == "ids");
    CHECK(refused(R"({"ids": [1]})") == "ids");
    CHECK(refused(R"({"ids": ["a"], "until": "some"})") == "until");
    CHECK(refused(R"({"ids": ["a"], "wait_ms": 60001})") == "wait_ms");
    json::array many(501, json::value{nobody});
    CHECK(refused(json::serialize(json::object{{"ids", many}})) == "ids");
    many.pop_back();
    CHECK(at.ask("POST", t.path("/tasks:wait"), json::serialize(json::object{{"ids", many}})).status == 200);
}
