// How limits are shown to people, and how people say what one is to be. Pure.
#pragma once

#include <errand/limit.hpp>

#include "cli/table.hpp"

#include <boost/json/value.hpp>

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

namespace errand::cli {

table limit_table(const std::vector<limit_info>& limits, time_point now);
// "25 at once, 10/s", "nothing"; what rule_of reads in other words.
std::string rule_text(const limit_rule& rule);
// "10/s", "50/30s", which core/rate_text.hpp reads; its burst apart from it.
std::string pace_text(const rate_limit& rate);
// "max_running=5", "rate=10/s", "rate=100/10s", "burst=3". Throws usage_error that says what was expected.
limit_rule rule_of(const std::vector<std::string>& words);

}  // namespace errand::cli
