// The wrappers around an attempt, the first added outermost, and the handler in the middle. On the executor of the attempt.
#pragma once

#include <errand/awaitable.hpp>
#include <errand/middleware.hpp>

#include <string>
#include <vector>

namespace errand {

using perform_call = std::function<awaitable<std::string>()>;

// What the handler returned. Throws usage_error when a wrapper did not call on. Wrappers and task must outlive the call.
awaitable<std::string> perform_wrapped(const std::vector<perform_wrapper>& wrappers, task_context& task,
                                       perform_call handler);

}  // namespace errand
