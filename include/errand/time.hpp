#pragma once

#include <chrono>

namespace errand {

/// A point in time, in milliseconds since 1970 (UTC): the resolution of the stores and of the wire.
using time_point = std::chrono::sys_time<std::chrono::milliseconds>;

/// A length of time in milliseconds. Seconds, minutes and hours convert to it by themselves.
using duration = std::chrono::milliseconds;

}  // namespace errand
