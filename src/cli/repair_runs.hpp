// The two ways in which a repair runs, once its options are known to fit.
#pragma once

#include "cli/repair.hpp"

namespace errand::cli {

bool fits(const repair_kind& what, errand::state in);
std::string names_of(const std::vector<errand::state>& states);

// Those whose ids were given.
exit_code repair_named(session& on, const repair_kind& what, const repair_choice& which);

// All in this state that the filter lets through.
exit_code repair_matching(session& on, const repair_kind& what, const repair_choice& which,
                          errand::state where);

}  // namespace errand::cli
