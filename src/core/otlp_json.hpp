// Spans as OTLP has them in JSON: ids in hex, 64-bit numbers as text, kinds as numbers. Pure.
#pragma once

#include <errand/tracer.hpp>

#include <span>
#include <string>
#include <string_view>

namespace errand {

// The body of a POST to /v1/traces.
std::string otlp_json(std::span<const errand::span> all, std::string_view service, std::string_view version);

}  // namespace errand
