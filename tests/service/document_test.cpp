// What is written about the calls is what the table says.
#include "service/answers.hpp"
#include "service/openapi.hpp"
#include "service/route.hpp"

#include <boost/json/array.hpp>
#include <boost/json/object.hpp>
#include <boost/json/serialize.hpp>

#include <catch2/catch_test_macros.hpp>

#include <cctype>
#include <fstream>
#include <set>
#include <sstream>

namespace web = errand::web;
using service_test::misfit;
namespace json = boost::json;

TEST_CASE("docs/http.md ends with what the route table says", "[service]") {
    std::ifstream file{ERRAND_TESTS_DIR "/../docs/http.md"};
    std::stringstream all;
    all << file.rdbuf();
    const auto text = all.str();
    const std::string mark = "\n## All calls\n";
    const auto at = text.find(mark);
    REQUIRE(at != text.npos);
    // Else: scripts/http-reference
    CHECK(text.substr(at + mark.size()) == web::reference_text(web::routes()));
}

TEST_CASE(
    "the OpenAPI document has each call with its parameters, body and answers, and refers to what is there",
    "[service]") {
    const auto document = web::openapi_document();
    CHECK(document.at("openapi") == "3.1.0");
    const auto& schemas = document.at("components").at("schemas").as_object();
    std::set<std::string> names;
    for (const auto& one : web::routes()) {
        INFO(one.method << ' ' << one.path);
        std::string method{one.method};
        for (char& c : method) c = static_cast<char>(std::tolower(static_cast<unsigned char>(c)));
        const auto& operation = document.at("paths").at(one.path).at(method).as_object();
        CHECK(names.emplace(operation.at("operationId").as_string()).second);
        const auto& responses = operation.at("responses").as_object();
        CHECK(responses.size() == one.answers.size());
        for (const auto& answer : one.answers) CHECK(responses.contains(std::to_string(answer.status)));
        std::set<std::string> parameters;
        for (const auto& each : operation.at("parameters").as_array())
            parameters.emplace(each.at("name").as_string());
        for (const auto& each : one.query) CHECK(parameters.contains(std::string{each.name}));
        if (one.type == "application/json") {
            const auto& good = responses.at(std::to_string(one.answers.front().status)).as_object();
            CHECK_FALSE(good.at("content").at("application/json").at("schema").as_object().empty());
        }
        CHECK(parameters.contains("namespace") == (one.path.find("{namespace}") != one.path.npos));
        CHECK(operation.contains("requestBody") == !one.body.empty());
        if (one.body.empty()) continue;
        const auto& schema = schemas.at(one.name).as_object();
        CHECK(schema.at("properties").as_object().size() == one.body.size());
        CHECK(schema.at("additionalProperties") == false);
    }
    const auto text = json::serialize(document);
    for (std::size_t at = 0; (at = text.find("#/components/schemas/", at)) != text.npos;) {
        at += std::string_view{"#/components/schemas/"}.size();
        CHECK(schemas.contains(text.substr(at, text.find('"', at) - at)));
    }
}

TEST_CASE("what is held against a schema of the document differs where it is otherwise", "[service]") {
    const auto document = web::openapi_document();
    const auto& schemas = document.at("components").at("schemas").as_object();
    const auto of = [&](std::string_view name) -> const json::object& {
        return schemas.at(name).as_object();
    };
    const json::object rate{{"count", 5}, {"per_ms", 1000}, {"burst", 0}};
    CHECK(misfit(rate, of("Rate")).empty());
    CHECK(misfit(json::object{{"count", 5}, {"per_ms", 1000}}, of("Rate")) == "$ has no burst");
    CHECK(misfit(json::object{{"count", "5"}, {"per_ms", 1000}, {"burst", 0}}, of("Rate")) ==
          "$.count is no integer");
    CHECK(misfit(json::object{{"count", 5}, {"per_ms", 1000}, {"burst", 0}, {"more", 1}}, of("Rate")) ==
          "$.more is not described");
    CHECK(misfit(rate, of("Rule")) == "$ has no max_running");
    CHECK(misfit(json::object{{"max_running", nullptr}, {"rate", rate}}, of("Rule")).empty());
    CHECK(misfit(json::object{{"max_running", 5}, {"rate", nullptr}}, of("Rule")).empty());
    CHECK_FALSE(misfit(json::object{{"max_running", 5}, {"rate", 7}}, of("Rule")).empty());
    CHECK(misfit("ready", of("State")).empty());
    CHECK(misfit("redy", of("State")) == "$ is none of its texts");
    const json::object error{{"error", json::object{{"code", "a"}, {"message", "b"}, {"path", "c"}}}};
    CHECK(misfit(error, of("error")).empty());
    CHECK_FALSE(misfit(json::object{{"error", "b"}}, of("error")).empty());
    const json::object stage{{"name", "s"},
                             {"attempt", 1},
                             {"started_at", "2026-12-01T08:00:00Z"},
                             {"length_ms", 1},
                             {"result", json::array{1}}};
    CHECK(misfit(stage, of("Stage")).empty());
    auto later = stage;
    later["started_at"] = "tomorrow";
    CHECK(misfit(later, of("Stage")) == "$.started_at is no point in time");
}
