#pragma once

namespace errand {

/// How many arrays and objects may be nested in arguments and results, the array of the arguments included.
inline constexpr int max_json_depth = 64;

}  // namespace errand
