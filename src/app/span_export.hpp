// Where the environment says that spans go.
#pragma once

#include <errand/tracer.hpp>

#include <memory>

namespace errand {

namespace detail {
class app_core;
}

// Null: nowhere. Throws usage_error naming the variable.
std::shared_ptr<tracer> tracer_from_environment(detail::app_core& app);

}  // namespace errand
