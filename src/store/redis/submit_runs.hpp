// How scripts are told what is submitted: runs of items alike, so that the usual item costs two arguments.
#pragma once

#include "store/redis/script_call.hpp"
#include "store/submission.hpp"

#include <span>

namespace errand::redis {

// New, ready now, without priority, expiry and dependencies: what scripts/submit_new.lua is for.
bool is_plain(const submission_item& item);

// As scripts/submit_read.lua takes them apart. The items must live until the call has been made.
void add_runs(script_call& call, std::span<const submission_item* const> items);

}  // namespace errand::redis
