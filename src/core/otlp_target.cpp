#include "core/otlp_target.hpp"

#include <errand/error.hpp>

#include "core/whole_number.hpp"

#include <cstdint>
#include <string_view>

namespace errand {
namespace {

constexpr std::string_view for_all = "OTEL_EXPORTER_OTLP_ENDPOINT";
constexpr std::string_view for_traces = "OTEL_EXPORTER_OTLP_TRACES_ENDPOINT";

otlp_target parse_endpoint(const std::string& variable, const std::string& url) {
    constexpr std::string_view scheme = "http://";
    if (!url.starts_with(scheme)) {
        throw usage_error{variable + ": expected http://HOST:PORT, got \"" + url +
                          "\": spans are sent without TLS, to a collector nearby that sends them on"};
    }
    const auto rest = url.substr(scheme.size());
    const auto slash = rest.find('/');
    auto place = rest.substr(0, slash);
    otlp_target to;
    to.path = slash == rest.npos ? "" : rest.substr(slash);
    const auto colon = place.rfind(':');
    const bool has_port = colon != place.npos && place.find(']', colon) == place.npos;
    to.port = has_port ? place.substr(colon + 1) : "4318";
    if (has_port) place.resize(colon);
    if (place.starts_with('[') && place.ends_with(']')) place = place.substr(1, place.size() - 2);
    to.host = place;
    const bool fits = !to.host.empty() && !to.port.empty() && url.find_first_of(" \r\n@") == url.npos;
    if (!fits) throw usage_error{variable + ": expected http://HOST:PORT, got \"" + url + "\""};
    return to;
}

// "name=value,name=value"
std::map<std::string, std::string> parse_headers(const std::string& variable, std::string_view text) {
    std::map<std::string, std::string> all;
    while (!text.empty()) {
        const auto comma = text.find(',');
        const auto one = text.substr(0, comma);
        text.remove_prefix(comma == text.npos ? text.size() : comma + 1);
        const auto equals = one.find('=');
        if (equals == 0 || equals == one.npos || one.find_first_of("\r\n:") < equals ||
            one.find_first_of("\r\n") != one.npos)
            throw usage_error{variable + ": expected name=value,name=value"};
        all.emplace(one.substr(0, equals), one.substr(equals + 1));
    }
    return all;
}

}  // namespace

std::optional<otlp_target> otlp_target_of(
    const std::function<std::optional<std::string>(const std::string&)>& look) {
    if (look("OTEL_SDK_DISABLED") == "true" || look("OTEL_TRACES_EXPORTER") == "none") return std::nullopt;
    std::optional<otlp_target> to;
    if (const auto own = look(std::string{for_traces})) {
        to = parse_endpoint(std::string{for_traces}, *own);
        if (to->path.empty()) to->path = "/";
    } else if (const auto all = look(std::string{for_all})) {
        to = parse_endpoint(std::string{for_all}, *all);
        if (to->path.ends_with('/')) to->path.pop_back();
        to->path += "/v1/traces";
    }
    if (!to) return std::nullopt;
    constexpr auto headers = "OTEL_EXPORTER_OTLP_HEADERS";
    if (const auto given = look(headers)) to->headers = parse_headers(headers, *given);
    if (const auto name = look("OTEL_SERVICE_NAME")) to->service = *name;
    constexpr auto delay = "OTEL_BSP_SCHEDULE_DELAY";
    if (const auto given = look(delay)) {
        const auto ms = whole_number<std::int64_t>(*given);
        if (!ms || *ms < 1 || *ms > 60'000)
            throw usage_error{std::string{delay} + ": expected 1 to 60000 milliseconds, got \"" + *given +
                              "\""};
        to->gathered_for = duration{*ms};
    }
    return to;
}

}  // namespace errand
