// Lengths of time and numbers of tasks in words. Pure.
#pragma once

#include <errand/time.hpp>

#include <cstddef>
#include <string>

namespace errand {

// "850ms", "12s", "3m 20s", "2h 5m", "4d 3h": the two largest units. Negative counts as none.
std::string length_text(duration length);

// "3m ago", "in 5m".
std::string from_now(time_point at, time_point now);

// "1 task", "2 tasks".
std::string tasks_text(std::size_t n);

}  // namespace errand
