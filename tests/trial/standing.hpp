// Tasks that stood aside for workers that know their handler, while older workers ran beside them.
#pragma once

#include "trial/judgement.hpp"

namespace trial {

// The journal's lines: `older -`: this worker does not know all handlers; `strange ID`: it has claimed what it does not know;
// `aside ID`: the store has heard so. No worker takes a task twice so, and who knows its handler starts it in time.
void check_standing(const std::vector<fault_test::entry>& lines, const endings& ended,
                    const chronicle& happened, judgement& found);

}  // namespace trial
