// Limits of errand's own names: "handler:<identity>", "queue:<name>", "namespace". Those that no policy asks for are known to
// programs as settings are (core/run_time_limits.hpp), so that tasks get their gates.
#pragma once

#include <errand/awaitable.hpp>
#include <errand/limit.hpp>
#include <errand/settings.hpp>

#include <optional>
#include <string>
#include <string_view>

namespace errand {

class loop;
class store;

bool is_own_limit(std::string_view name) noexcept;
// A handler's goes by its oldest name, whichever is given; others stay.
std::string own_name_of_limit(std::string name);
// Throws usage_error for a queue that cannot be one.
void check_own_limit(std::string_view name);

// nullopt: what is declared is in force again, and nothing where nothing is. Whoever was told first wins last.
awaitable<void> set_own_limit(loop& there, const std::string& name, std::optional<limit_rule> rule);

// Somebody has set it so, and not taken it back.
awaitable<bool> is_limited_at_run_time(store& in, const std::string& name);

// What of a handler's settings is a limit; what they leave open is as it was declared. nothing: they limit nothing.
awaitable<std::optional<limit_rule>> rule_of_settings(store& in, const std::string& name,
                                                      const handler_settings& set);

}  // namespace errand
