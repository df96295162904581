// What rules how much runs, as requests say it: for handlers, limits, types of flow tasks and quotas.
#pragma once

#include <errand/policy.hpp>

#include "service/values.hpp"

#include <optional>
#include <string_view>

namespace errand::web {

// {"count", "per_ms", "burst"}; nullopt: it is not there. Throws refusal.
std::optional<rate_limit> read_rate(const members& given, std::string_view name);
// 0 to the largest int. Throws refusal.
std::optional<int> small_number(const members& given, std::string_view name);

}  // namespace errand::web
