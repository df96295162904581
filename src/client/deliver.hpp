// Submissions that were accepted before, by a database: they come again when nobody knows whether they came.
// On the loop that is given.
#pragma once

#include "runtime/loop.hpp"

#include <chrono>
#include <exception>
#include <vector>

namespace errand {

struct delivered_item {
    submit_answer answer;
    std::exception_ptr refused{};  // what a submitter would have been thrown
    std::exception_ptr failed{};   // the store did not take it, or not for sure: it is to be delivered again
};

// In order, an answer for each. Delays and expiries count from the acceptance that is in the body. Throws
// store_error when the store took none of them. What depends on others is not tried when something before it failed: what it
// waits for may be among that. After `most` nothing more is sent, so that it is known when the last of it can arrive: that fails.
awaitable<std::vector<delivered_item>> deliver(loop& there, std::vector<submission_item> items,
                                               std::chrono::milliseconds most);

}  // namespace errand
