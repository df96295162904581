// Tells schedules that runs of theirs have ended: what a run asked for takes effect, and a schedule that waited goes on.
#pragma once

#include "store/store.hpp"
#include "worker/worker_shared.hpp"

#include <span>

namespace errand {

// Of these news those of tidings::ran; what could not be told comes again by itself. Returns how many ends were told.
awaitable<std::size_t> tell_schedules(worker_shared& shared, store& in, std::span<const news> entries);

}  // namespace errand
