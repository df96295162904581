// Whether the trial's schedules kept their rules, by the journal and by how they stood at the end. By the store's clock, which jumps:
// what may be said then is told in ticks.cpp.
#pragma once

#include "trial/judgement.hpp"

#include <vector>

namespace trial {

void check_schedules(const std::vector<fault_test::entry>& lines, const endings& ended,
                     const chronicle& happened, judgement& found);

}  // namespace trial
