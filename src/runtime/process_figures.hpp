// What the system says of this process.
#pragma once

#include "core/metric_text.hpp"

namespace errand {

// Those of the figures that this system tells.
void write_process_figures(metric_text& to);

}  // namespace errand
