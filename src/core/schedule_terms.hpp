// How a schedule goes on: the words of its declaration.
#pragma once

#include <cstdint>

namespace errand {

enum class schedule_mode : std::uint8_t {
    blocking_interval,  // the interval begins when a run has ended
    fixed_rate,         // on a grid, whatever the last run does
    once
};

// What becomes of ticks that nobody fired in time.
enum class missed_rule : std::uint8_t {
    run_once,  // the newest is fired
    run_all,   // the newest missed_cap are fired
    skip       // none is fired
};

}  // namespace errand
