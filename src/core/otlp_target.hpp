// Where spans are sent, as OpenTelemetry's variables say it. Pure.
#pragma once

#include <errand/time.hpp>

#include <functional>
#include <map>
#include <optional>
#include <string>

namespace errand {

struct otlp_target {
    std::string host;
    std::string port;
    std::string path;
    std::map<std::string, std::string> headers{};
    std::string service = "errand";
    duration gathered_for{1000};  // before they are sent
};

// `look` knows the values of variables. Nullopt: spans are sent nowhere. Throws usage_error naming the variable.
std::optional<otlp_target> otlp_target_of(
    const std::function<std::optional<std::string>(const std::string&)>& look);

}  // namespace errand
