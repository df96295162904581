// What many rows of the route table may answer.
#pragma once

#include "service/route.hpp"

namespace errand::web {

inline constexpr outcome unfit{400, "The request does not fit; `path` names the member, parameter or header"};
inline constexpr outcome no_task{404, "The task is not there"};
inline constexpr outcome all_wait{429, "As many requests wait as may (`max_waiting`)"};
inline constexpr outcome no_store{503, "The store does not answer"};

}  // namespace errand::web
