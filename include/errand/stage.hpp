#pragma once

#include <errand/backoff.hpp>
#include <errand/time.hpp>

namespace errand {

/// How one stage of a task is run: the third argument of `task_context::stage`. A bad value is a usage_error naming the
/// stage.
struct stage_options {
    /// Further tries inside the same attempt when the stage fails. They use no attempt of the task.
    int max_retry = 0;
    /// How long to wait before each of them, n = retries of this stage so far. The task keeps its slot meanwhile.
    errand::backoff backoff = errand::backoff::exponential(std::chrono::seconds{1}, std::chrono::minutes{1});
    /// How long one try may take; then it is cancelled by Asio's cancellation, which is a failure. 0 = no limit. The
    /// attempt's own timeout counts all the same.
    duration timeout{0};
};

}  // namespace errand
