// Whether whatever was ready was started in time, in whichever way it had become so.
#pragma once

#include "fault/journal.hpp"
#include "trial/chronicle.hpp"
#include "trial/judgement.hpp"

#include <vector>

namespace trial {

class lateness;

// Pure. Adds a late start for each task that was ready for longer than a start may take although a worker had room: accepted, and
// due; all that it depends on has ended; to be tried again, or later; given back; lost with the lease of its worker; taken
// over; revived.
void check_waits(const std::vector<fault_test::entry>& lines, const endings& ended, const chronicle& happened,
                 const lateness& late, judgement& found);

}  // namespace trial
