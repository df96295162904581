// Traces as headers and variables say them.
#include <errand/error.hpp>

#include "core/otlp_json.hpp"
#include "core/otlp_target.hpp"
#include "core/trace_context.hpp"

#include <boost/json/object.hpp>
#include <boost/json/parse.hpp>

#include <catch2/catch_test_macros.hpp>
#include <catch2/matchers/catch_matchers_string.hpp>

using Catch::Matchers::ContainsSubstring;

namespace {

const std::string trace = "4bf92f3577b34da6a3ce929d0e0e4736";
const std::string parent = "00f067aa0ba902b7";

using variables = std::map<std::string, std::string>;

std::optional<errand::otlp_target> target_of(const variables& set) {
    return errand::otlp_target_of([&](const std::string& name) -> std::optional<std::string> {
        const auto at = set.find(name);
        if (at == set.end()) return std::nullopt;
        return at->second;
    });
}

}  // namespace

TEST_CASE("a traceparent is read as W3C says, and what is none is ignored", "[tracing]") {
    const auto read = errand::parse_traceparent("00-" + trace + '-' + parent + "-01", "a=b");
    REQUIRE(read);
    CHECK(*read == errand::trace_context{trace, parent, true, "a=b"});
    CHECK(errand::traceparent_of(*read) == "00-" + trace + '-' + parent + "-01");
    CHECK_FALSE(errand::parse_traceparent("00-" + trace + '-' + parent + "-00")->sampled);
    CHECK(errand::parse_traceparent("00-" + trace + '-' + parent + "-03")->sampled);
    CHECK(errand::parse_traceparent("cc-" + trace + '-' + parent + "-01-what-later-versions-say"));
    for (const auto& bad :
         {std::string{}, "00-" + trace + '-' + parent, "00-" + trace + '-' + parent + "-01-more",
          "ff-" + trace + '-' + parent + "-01", "00-" + std::string(32, '0') + '-' + parent + "-01",
          "00-" + trace + '-' + std::string(16, '0') + "-01",
          "00-4BF92F3577B34DA6A3CE929D0E0E4736-" + parent + "-01", "00-" + trace + '-' + parent + "-0x",
          "00_" + trace + '-' + parent + "-01"}) {
        INFO(bad);
        CHECK_FALSE(errand::parse_traceparent(bad));
    }
}

TEST_CASE("a new span has an id of its own, in its parent's trace or in a new one", "[tracing]") {
    const errand::trace_context above{trace, parent, false, "a=b"};
    const auto below = errand::span_under(&above);
    CHECK(below.trace_id == trace);
    CHECK(below.span_id != parent);
    CHECK_FALSE(below.sampled);
    CHECK(below.state == "a=b");
    const auto first = errand::span_under(nullptr);
    CHECK(first.sampled);
    CHECK(errand::parse_traceparent(errand::traceparent_of(first)) == first);
    CHECK(first.trace_id != errand::span_under(nullptr).trace_id);
}

TEST_CASE("spans go where OpenTelemetry's variables say", "[tracing]") {
    CHECK_FALSE(target_of({}));
    const auto all = target_of({{"OTEL_EXPORTER_OTLP_ENDPOINT", "http://collector"}});
    REQUIRE(all);
    CHECK(all->host == "collector");
    CHECK(all->port == "4318");
    CHECK(all->path == "/v1/traces");
    CHECK(all->service == "errand");
    CHECK(target_of({{"OTEL_EXPORTER_OTLP_ENDPOINT", "http://[::1]:1/base/"}})->host == "::1");
    CHECK(target_of({{"OTEL_EXPORTER_OTLP_ENDPOINT", "http://[::1]:1/base/"}})->path == "/base/v1/traces");
    const auto own = target_of({{"OTEL_EXPORTER_OTLP_ENDPOINT", "http://collector"},
                                {"OTEL_EXPORTER_OTLP_TRACES_ENDPOINT", "http://other:99/spans"},
                                {"OTEL_EXPORTER_OTLP_HEADERS", "key=a=b,tenant=shop"},
                                {"OTEL_SERVICE_NAME", "shop"}});
    CHECK(own->host == "other");
    CHECK(own->port == "99");
    CHECK(own->path == "/spans");
    CHECK(own->headers == std::map<std::string, std::string>{{"key", "a=b"}, {"tenant", "shop"}});
    CHECK(own->service == "shop");
    CHECK_FALSE(target_of({{"OTEL_EXPORTER_OTLP_ENDPOINT", "http://c"}, {"OTEL_TRACES_EXPORTER", "none"}}));
    CHECK_FALSE(target_of({{"OTEL_EXPORTER_OTLP_ENDPOINT", "http://c"}, {"OTEL_SDK_DISABLED", "true"}}));
    CHECK_THROWS_WITH(
        target_of({{"OTEL_EXPORTER_OTLP_ENDPOINT", "https://c"}}),
        ContainsSubstring("OTEL_EXPORTER_OTLP_ENDPOINT: expected http://HOST:PORT, got \"https://c\""));
    CHECK_THROWS_AS(target_of({{"OTEL_EXPORTER_OTLP_ENDPOINT", "http://"}}), errand::usage_error);
    CHECK_THROWS_AS(target_of({{"OTEL_EXPORTER_OTLP_ENDPOINT", "http://c"},
                               {"OTEL_EXPORTER_OTLP_HEADERS", "a"}}),
                    errand::usage_error);
}

TEST_CASE("OTLP's JSON has ids in hex, long numbers as text and kinds as numbers", "[tracing]") {
    errand::span one{
        .name = "process q", .kind = errand::span_kind::consumer, .trace_id = trace, .span_id = parent};
    one.began = std::chrono::system_clock::time_point{std::chrono::seconds{1'700'000'000}};
    one.ended = one.began + std::chrono::milliseconds{5};
    one.attributes = {{"errand.attempt", std::int64_t{9007199254740993}}, {"text", "caf\xE9"}};
    one.links = {{trace, "00f067aa0ba902b8"}};
    one.error = "no";
    const auto document = boost::json::parse(errand::otlp_json({&one, 1}, "shop", "1.0"));
    const auto& resource = document.at("resourceSpans").at(0);
    CHECK(resource.at("resource").at("attributes").at(0).at("value").at("stringValue") == "shop");
    const auto& span = resource.at("scopeSpans").at(0).at("spans").at(0);
    CHECK(span.at("traceId") == boost::json::string_view{trace});
    CHECK(span.at("kind") == 5);
    CHECK(span.at("startTimeUnixNano") == "1700000000000000000");
    CHECK(span.at("endTimeUnixNano") == "1700000000005000000");
    CHECK(span.at("attributes").at(0).at("value").at("intValue") == "9007199254740993");
    CHECK(span.at("attributes").at(1).at("value").at("stringValue") == "caf\xEF\xBF\xBD");
    CHECK(span.at("links").at(0).at("spanId") == "00f067aa0ba902b8");
    CHECK(span.at("status").at("code") == 2);
    CHECK_FALSE(span.as_object().contains("parentSpanId"));
}
