// Which trace something belongs to, as W3C's `traceparent` and `tracestate` say it. Pure but for the chance of new ids.
#pragma once

#include <map>
#include <optional>
#include <string>
#include <string_view>

namespace errand {

inline constexpr const char* traceparent_header = "traceparent";
inline constexpr const char* tracestate_header = "tracestate";

struct trace_context {
    std::string trace_id;  // 32 hex digits in lower case
    std::string span_id;   // 16
    bool sampled = true;   // whether who began it records it
    std::string state{};

    bool operator==(const trace_context&) const = default;
};

// Nullopt for what the standard says is to be ignored.
std::optional<trace_context> parse_traceparent(std::string_view text, std::string_view state = {});
std::string traceparent_of(const trace_context& one);

// As the headers of a task say; nullopt: they do not.
std::optional<trace_context> trace_in(const std::map<std::string, std::string>& headers);
void put_trace(const trace_context& one, std::map<std::string, std::string>& headers);

// A new span, in that trace or in one of its own.
trace_context span_under(const trace_context* parent);

}  // namespace errand
