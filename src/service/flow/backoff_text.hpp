// A backoff as flows write it: {"kind": "progressive", "first_ms", "cap_ms"}, {"kind": "uniform", "first_ms"}, {"kind":
// "polynomial"}. Pure.
#pragma once

#include <errand/backoff.hpp>

#include "service/values.hpp"

#include <boost/json/object.hpp>

#include <optional>

namespace errand::flow {

// Nullopt: the member is not there. Throws refusal (400).
std::optional<backoff> read_backoff(const web::members& given, std::string_view name);

}  // namespace errand::flow
