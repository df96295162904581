// Backoffs as text, and what may be set of a handler at run time. Pure.
#pragma once

#include <errand/settings.hpp>

#include <optional>
#include <string_view>

namespace errand {

// "polynomial", "exponential:10s:1h", "uniform:30s", as backoff::text() writes them. Nullopt for anything else.
std::optional<backoff> find_backoff(std::string_view text);

// Throws usage_error naming handler, member and value.
void check_settings(std::string_view handler, const handler_settings& values);

}  // namespace errand
