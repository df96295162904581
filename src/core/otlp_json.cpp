#include "core/otlp_json.hpp"

#include "core/utf8.hpp"

#include <boost/json/array.hpp>
#include <boost/json/object.hpp>
#include <boost/json/serialize.hpp>

namespace errand {
namespace {

namespace json = boost::json;

json::object text_value(std::string_view text) { return {{"stringValue", repaired_utf8(text)}}; }

json::object attribute(std::string_view name, json::object value) {
    return {{"key", name}, {"value", std::move(value)}};
}

std::string nanoseconds(std::chrono::system_clock::time_point at) {
    return std::to_string(
        std::chrono::duration_cast<std::chrono::nanoseconds>(at.time_since_epoch()).count());
}

int number_of(span_kind kind) {
    switch (kind) {
    case span_kind::internal: return 1;
    case span_kind::producer: return 4;
    case span_kind::consumer: return 5;
    }
    return 0;
}

json::object json_of(const span& one) {
    json::array attributes;
    for (const auto& [name, value] : one.attributes) {
        const auto* text = std::get_if<std::string>(&value);
        attributes.push_back(attribute(
            name, text ? text_value(*text)
                       : json::object{{"intValue", std::to_string(std::get<std::int64_t>(value))}}));
    }
    json::array links;
    for (const auto& to : one.links)
        links.push_back(json::object{{"traceId", to.trace_id}, {"spanId", to.span_id}});
    json::object out{{"traceId", one.trace_id},
                     {"spanId", one.span_id},
                     {"name", repaired_utf8(one.name)},
                     {"kind", number_of(one.kind)},
                     {"startTimeUnixNano", nanoseconds(one.began)},
                     {"endTimeUnixNano", nanoseconds(one.ended)},
                     {"attributes", std::move(attributes)}};
    if (!one.parent_id.empty()) out["parentSpanId"] = one.parent_id;
    if (!one.trace_state.empty()) out["traceState"] = repaired_utf8(one.trace_state);
    if (!links.empty()) out["links"] = std::move(links);
    if (!one.error.empty()) out["status"] = {{"code", 2}, {"message", repaired_utf8(one.error)}};
    return out;
}

}  // namespace

std::string otlp_json(std::span<const errand::span> all, std::string_view service, std::string_view version) {
    json::array spans;
    for (const auto& one : all) spans.push_back(json_of(one));
    const json::object scope{{"name", "errand"}, {"version", version}};
    const json::object resource{{"attributes", json::array{attribute("service.name", text_value(service))}}};
    const json::object whole{
        {"resourceSpans",
         json::array{json::object{
             {"resource", resource},
             {"scopeSpans", json::array{json::object{{"scope", scope}, {"spans", std::move(spans)}}}}}}}};
    return json::serialize(whole);
}

}  // namespace errand
