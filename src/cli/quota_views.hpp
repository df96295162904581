// How a quota is shown to people, and how people say what it is to be. Pure.
#pragma once

#include <errand/quota.hpp>

#include <string>
#include <vector>

namespace errand::cli {

// "max_queued=1000 submit_rate=10/s burst=20", as quota_over reads it; "nothing is limited".
std::string quota_text(const quota& rules);
// These words over what is there; "max_queued=" takes a member back. Throws usage_error that says what was expected.
quota quota_over(quota seen, const std::vector<std::string>& words);

}  // namespace errand::cli
