// From what the rules say of a schedule to what a store takes. On any thread.
#pragma once

#include "core/schedule_rules.hpp"
#include "runtime/settings_book.hpp"
#include "store/store.hpp"

namespace errand {

// Its runs count for what runs in the namespace, where that has a quota of it.
void count_what_runs(const settings_book& book, schedule_move& move);

// `seen`: stamp of the record before; 0: there was none. The new record gets a stamp of its own.
schedule_step step_of(std::uint64_t seen, schedule_move move, time_point now);
// A run that is made without a change of its schedule, or with it.
submission_item item_of(planned_run made, time_point now);

}  // namespace errand
