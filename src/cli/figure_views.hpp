// How figures are shown to people and programs. Pure.
#pragma once

#include <errand/figures.hpp>

#include "cli/table.hpp"
#include "service/info_json.hpp"

#include <boost/json/object.hpp>

#include <chrono>
#include <cstddef>
#include <string>

namespace errand::cli {

// "820us", "3.2ms", "1.4s"; longer ones as length_text.
std::string fine_length_text(std::chrono::microseconds length);
// The handlers with most runs, so many at most.
table figure_table(const figures_info& seen, std::size_t most);
// "1,204 runs in 64m, 3 failed …"
std::string figure_summary(const figures_info& seen);
using errand::json_of;

}  // namespace errand::cli
