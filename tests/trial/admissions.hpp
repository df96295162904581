// Whether the trial's limits let through what they allow and no more, by the journal. What a journal can prove of that is told in
// admissions.cpp.
#pragma once

#include "trial/judgement.hpp"
#include "trial/lateness.hpp"

#include <vector>

namespace trial {

void check_limits(const std::vector<fault_test::entry>& lines, const endings& ended,
                  const chronicle& happened, const lateness& late, judgement& found);

}  // namespace trial
