// What a process shows of itself to monitoring.
#pragma once

#include "core/metric_text.hpp"

#include <string>

namespace errand {

namespace detail {
class app_core;
}

// From any thread.
std::string metrics_page(detail::app_core& app, metric_form form);

}  // namespace errand
