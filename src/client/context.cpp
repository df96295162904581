// Which task an executor belongs to.
#include <errand/error.hpp>
#include <errand/task_context.hpp>

#include "runtime/ambient.hpp"
#include "runtime/running_task.hpp"

namespace errand::detail {

task_context* task_of(const boost::asio::any_io_executor& executor) noexcept {
    const ambient* around = ambient_of(executor);
    return around ? around->task : nullptr;
}

void throw_no_task() {
    throw usage_error{
        "this_task() was awaited where no task runs: it works in a handler and in whatever is awaited or "
        "spawned on the handler's executor"};
}

}  // namespace errand::detail
