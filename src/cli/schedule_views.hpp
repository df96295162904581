// How schedules are shown to people. Pure.
#pragma once

#include <errand/schedule.hpp>

#include "cli/table.hpp"

#include <string>
#include <vector>

namespace errand::cli {

table schedule_table(const std::vector<schedule_info>& schedules, time_point now);
// One in full, with its next ticks.
std::string schedule_text(const schedule_info& one, const std::vector<time_point>& upcoming, time_point now);

}  // namespace errand::cli
