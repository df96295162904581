// Which tasks a page or a run is about, as its address and its order say it.
#pragma once

#include <errand/inspect.hpp>

#include "service/values.hpp"

namespace errand::console {

// Of a query. Throws refusal.
task_filter filter_of(const web::parameters& given);
// Of the members of a body. Throws refusal.
task_filter filter_of(const web::members& given);

}  // namespace errand::console
