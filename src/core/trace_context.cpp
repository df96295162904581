#include "core/trace_context.hpp"

#include "core/hex.hpp"
#include "core/random.hpp"

#include <algorithm>
#include <cstdint>

namespace errand {
namespace {

bool is_hex(std::string_view text) {
    return std::ranges::all_of(text, [](char c) { return (c >= '0' && c <= '9') || (c >= 'a' && c <= 'f'); });
}

bool is_zero(std::string_view text) {
    return std::ranges::all_of(text, [](char c) { return c == '0'; });
}

std::string fresh_id(std::size_t bytes) {
    std::string id;
    do {
        id.clear();
        for (std::size_t at = 0; at < bytes; at += 8) {
            auto bits = random_bits();
            for (int i = 0; i < 8; ++i, bits >>= 8U) append_hex(id, static_cast<unsigned char>(bits & 0xFFU));
        }
    } while (is_zero(id));
    return id;
}

// What a system of another make may have put there goes along, but not without end.
constexpr std::size_t longest_state = 512;

}  // namespace

std::optional<trace_context> parse_traceparent(std::string_view text, std::string_view state) {
    // 00-4bf92f3577b34da6a3ce929d0e0e4736-00f067aa0ba902b7-01
    constexpr std::size_t length = 55;
    if (text.size() < length || text[2] != '-' || text[35] != '-' || text[52] != '-') return std::nullopt;
    const auto version = text.substr(0, 2);
    const auto trace = text.substr(3, 32);
    const auto span = text.substr(36, 16);
    const auto flags = text.substr(53, 2);
    // Of later versions what is known of this one counts, if more follows behind a dash.
    const bool whole = text.size() == length || (version != "00" && text[length] == '-');
    if (!whole || !is_hex(version) || version == "ff" || !is_hex(trace) || is_zero(trace) || !is_hex(span) ||
        is_zero(span) || !is_hex(flags))
        return std::nullopt;
    const bool odd = std::string_view{"13579bdf"}.find(flags[1]) != std::string_view::npos;
    if (state.size() > longest_state) state = {};
    return trace_context{std::string{trace}, std::string{span}, odd, std::string{state}};
}

std::string traceparent_of(const trace_context& one) {
    return "00-" + one.trace_id + '-' + one.span_id + (one.sampled ? "-01" : "-00");
}

std::optional<trace_context> trace_in(const std::map<std::string, std::string>& headers) {
    if (headers.empty()) return std::nullopt;
    const auto parent = headers.find(traceparent_header);
    if (parent == headers.end()) return std::nullopt;
    const auto state = headers.find(tracestate_header);
    return parse_traceparent(parent->second,
                             state == headers.end() ? std::string_view{} : std::string_view{state->second});
}

void put_trace(const trace_context& one, std::map<std::string, std::string>& headers) {
    headers[traceparent_header] = traceparent_of(one);
    if (one.state.empty()) {
        headers.erase(tracestate_header);
    } else {
        headers[tracestate_header] = one.state;
    }
}

trace_context span_under(const trace_context* parent) {
    if (!parent) return {fresh_id(16), fresh_id(8), true, {}};
    return {parent->trace_id, fresh_id(8), parent->sampled, parent->state};
}

}  // namespace errand
