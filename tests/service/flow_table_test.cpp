// Each row of the flows' route table, held against what is promised of all of them. A row without an example here fails the test.
#include "service/flow_rows.hpp"
#include "service/openapi.hpp"
#include "service/token_list.hpp"

#include <boost/json/parse.hpp>
#include <boost/json/serialize.hpp>

#include <catch2/catch_test_macros.hpp>
#include <catch2/matchers/catch_matchers_string.hpp>

#include <algorithm>
#include <filesystem>
#include <fstream>
#include <map>
#include <set>
#include <sstream>

using Catch::Matchers::ContainsSubstring;
using service_test::arrange;
using service_test::example_of;
using service_test::flow_shop;
using service_test::json_text;
using service_test::path_of;
using service_test::path_with;
namespace json = boost::json;
namespace web = errand::web;
namespace flow = errand::flow;

TEST_CASE("each call of flows does what its row says", "[service][flow]") {
    for (const auto& one : flow::routes()) {
        flow_shop shop;
        arrange(shop);
        INFO(one.method << ' ' << one.path);
        auto at = shop.connect();
        const auto got =
            at.ask(one.method, path_of(one, shop.t.app.settings().name_space), example_of(one).body);
        INFO(got.body);
        CHECK(got.status == example_of(one).status);
        CHECK_FALSE(got.headers.at("x-request-id").empty());
        CHECK(got.headers.at("content-type") == "application/json");
        CHECK(std::ranges::any_of(one.answers,
                                  [&](const web::outcome& o) { return o.status == got.status; }));
        // A row's own example is of its kind.
        if (!one.example.empty()) CHECK(json::parse(one.example).is_object());
    }
}

TEST_CASE("a call of flows that comes again is answered, and has done what one call does",
          "[service][flow]") {
    for (const auto& one : flow::routes()) {
        flow_shop shop;
        arrange(shop);
        INFO(one.method << ' ' << one.path);
        const auto& example = example_of(one);
        const auto ask = [&] {
            auto at = shop.connect();
            return at.ask(one.method, path_of(one, shop.t.app.settings().name_space),
                          example.named.empty() ? example.body : example.named);
        };
        const auto count = [&] { return shop.done("GET", "/tasks").at("tasks").as_array().size(); };
        CHECK(ask().status == example.status);
        const auto before = count();
        const auto got = ask();
        INFO(got.body);
        CHECK(got.status == (example.again == 0 ? example.status : example.again));
        CHECK(count() == before);
    }
}

TEST_CASE("what no call of flows takes is refused by name, and changes nothing", "[service][flow]") {
    flow_shop shop{{}, {}};
    arrange(shop);
    const auto name_space = shop.t.app.settings().name_space;
    const auto there = [&] {
        return json_text(shop.done("GET", "/tasks")) + json_text(shop.done("GET", "/types"));
    };
    const auto before = there();
    for (const auto& one : flow::routes()) {
        INFO(one.method << ' ' << one.path);
        // Who is refused before the body is read is not listened to any more.
        const auto ask = [&](std::string_view method, const std::string& target, std::string_view content) {
            auto at = shop.connect();
            return at.ask(method, target, content);
        };
        const auto path = path_of(one, name_space);
        const auto& body = example_of(one).body;
        const auto parameter = ask(one.method, path + "?colour=red", body);
        CHECK(parameter.status == 400);
        CHECK(parameter.json().at("error").at("path") == "colour");
        const auto elsewhere = ask(one.method, path_of(one, "elsewhere"), body);
        CHECK(elsewhere.status == 404);
        CHECK(elsewhere.body == ask(one.method, path_of(one, "nowhere"), body).body);
        CHECK(ask("TRACE", path, {}).status == 405);
        if (one.body.empty()) continue;
        for (const auto* text : {"{\"type\": ", "[1]", "nothing", "\xff"}) {
            const auto got = ask(one.method, path, text);
            CHECK(got.status == 400);
            CHECK(got.error_code() == "bad_request");
        }
        auto more = body;
        more.insert(1, R"("colour": "red", )");
        const auto member = ask(one.method, path, more);
        CHECK(member.status == 400);
        CHECK(member.json().at("error").at("path") == "colour");
        const auto needed = std::ranges::find(one.body, true, &web::field::required);
        if (needed != one.body.end())
            CHECK(ask(one.method, path, "{}").json().at("error").at("path") ==
                  json::string_view{needed->name});
        auto at = shop.connect();
        at.send(std::string{one.method} + ' ' + path + " HTTP/1.1\r\nHost: " + at.host() +
                "\r\nContent-Length: " + std::to_string(body.size()) +
                "\r\nContent-Type: text/plain\r\n\r\n" + body);
        CHECK(at.receive().status == 415);
        const auto most = one.large ? errand::service_options{}.max_body : std::size_t{64} * 1024;
        at.send(std::string{one.method} + ' ' + path + " HTTP/1.1\r\nHost: " + at.host() +
                "\r\nContent-Type: application/json\r\nContent-Length: " + std::to_string(most + 1) +
                "\r\n\r\n");
        CHECK(at.receive().status == 413);
    }
    CHECK(there() == before);
}

TEST_CASE("a type, a task or a stage that is none is refused, wherever it is named", "[service][flow]") {
    flow_shop shop;
    arrange(shop);
    const auto name_space = shop.t.app.settings().name_space;
    auto at = shop.connect();
    for (const auto& one : flow::routes()) {
        if (one.path.find("{type}") == one.path.npos || one.method == "PUT") continue;
        INFO(one.method << ' ' << one.path);
        auto pattern = path_with(path_with(std::string{one.path}, "{namespace}", name_space), "{id}", "t");
        CHECK(at.ask(one.method, path_with(pattern, "{type}", "none"), example_of(one).body).status == 404);
    }
    for (const auto* id : {"none", "0198c5d2-7c3e-7f00-8000-000000000001"}) {
        CHECK(shop.ask("GET", "/tasks/film/" + std::string{id}).status == 404);
        CHECK(shop.ask("DELETE", "/tasks/film/" + std::string{id}).status == 404);
    }
    CHECK(shop.ask("PUT", "/types/a%20b", "{}").status == 400);
    CHECK(shop.ask("GET", "/tasks/film/" + std::string(201, 'x')).status == 400);
    CHECK(shop.ask("POST", "/tasks", R"({"type": "none"})").status == 404);
}

TEST_CASE("a token does what its scopes say, and nobody does anything without one", "[service][flow]") {
    const auto file =
        std::filesystem::temp_directory_path() / ("errand-flow-" + errand::test::fresh_settings().name_space);
    std::ofstream{file} << web::token_line("ann", {"submit"}, "of-ann")
                        << web::token_line("bob", {"work"}, "of-bob")
                        << web::token_line("eve", {"admin"}, "of-eve")
                        << web::token_line("joe", {"view"}, "of-joe");
    errand::service_options how;
    how.tokens_file = file.string();
    service_test::counter t{how};
    const auto ask = [&](const web::route& one, const std::vector<std::string>& headers) {
        auto at = t.connect();
        return at.ask(one.method, path_of(one, t.app.settings().name_space), example_of(one).body, headers);
    };
    for (const auto& one : flow::routes()) {
        INFO(one.method << ' ' << one.path);
        CHECK(ask(one, {}).status == 401);
        CHECK(ask(one, {"X-Token: wrong"}).status == 401);
        const std::map<std::string, std::set<web::scope>> allowed{
            {"X-Token: of-ann", {web::scope::submit, web::scope::view}},
            {"Authorization: Bearer of-bob", {web::scope::work, web::scope::view}},
            {"X-Token: of-eve", {web::scope::admin}},
            {"X-Token: of-joe", {web::scope::view}}};
        for (const auto& [header, scopes] : allowed)
            CHECK((ask(one, {header}).status == 403) != scopes.contains(one.needs));
    }
    std::filesystem::remove(file);
}

TEST_CASE("the OpenAPI document has the calls of flows, and docs/flow.md ends with them", "[service][flow]") {
    const auto document = web::openapi_document();
    std::set<std::string> names;
    for (const auto& one : flow::routes()) {
        INFO(one.method << ' ' << one.path);
        std::string method{one.method};
        for (char& c : method) c = static_cast<char>(std::tolower(static_cast<unsigned char>(c)));
        const auto& operation = document.at("paths").at(one.path).at(method).as_object();
        CHECK(names.emplace(operation.at("operationId").as_string()).second);
        CHECK(operation.at("responses").as_object().size() == one.answers.size());
        CHECK(operation.contains("requestBody") == !one.body.empty());
    }
    std::ifstream file{ERRAND_TESTS_DIR "/../docs/flow.md"};
    std::stringstream all;
    all << file.rdbuf();
    const auto text = all.str();
    const std::string mark = "\n## All calls\n";
    const auto at = text.find(mark);
    REQUIRE(at != text.npos);
    // Else: scripts/http-reference
    CHECK(text.substr(at + mark.size()) == web::reference_text(flow::routes()));
}
