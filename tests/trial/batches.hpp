// Whether what is collected is run as docs/collect.md says.
#pragma once

#include "fault/journal.hpp"
#include "trial/chronicle.hpp"
#include "trial/judgement.hpp"

#include <vector>

namespace trial {

class lateness;

// Pure. Each item has its result from a run that was given it, and is in no other run that was accepted; a run has items of one key, no more
// than it may, and when it is made again the same; and it begins within the longest time that it may gather, and as long as a
// start may take.
void check_batches(const std::vector<fault_test::entry>& lines, const endings& ended,
                   const chronicle& happened, const lateness& late, judgement& found);

}  // namespace trial
