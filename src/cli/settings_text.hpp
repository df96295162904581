// What is set of handlers at run time, as it is written on a command line and shown. Pure.
#pragma once

#include <errand/inspect.hpp>
#include <errand/settings.hpp>

#include "cli/table.hpp"

#include <string>
#include <vector>

namespace errand::cli {

// One change: "max_retry=3"; "max_retry=" takes back what was set.
struct settings_change {
    std::string key;
    std::string value;
};

// Throws usage_error: no "=", or a key that is none, with the nearest that is.
settings_change need_settings_change(const std::string& text);
// Throws usage_error naming key and value.
void apply(handler_settings& to, const settings_change& change);

// "max_retry=3 paused=true", as apply() reads it; empty for nothing.
std::string settings_line(const handler_settings& set);

table handler_table(const std::vector<handler_info>& all, time_point now);

}  // namespace errand::cli
