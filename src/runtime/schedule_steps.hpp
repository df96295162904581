// From what the rules say of a schedule to what a store takes. On any thread.
#pragma once

#include "core/schedule_rules.hpp"
#include "store/store.hpp"

namespace errand {

// `seen`: stamp of the record before; 0: there was none. The new record gets a stamp of its own.
schedule_step step_of(std::uint64_t seen, schedule_move move, time_point now);
// A run that is made without a change of its schedule, or with it.
submission_item item_of(planned_run made, time_point now);

}  // namespace errand
