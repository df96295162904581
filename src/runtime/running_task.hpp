// An attempt as the rest of errand sees it: the context shown to the handler, and the worker's slot that it occupies.
#pragma once

#include <errand/task_context.hpp>

namespace errand {

class running_task : public task_context {
public:
    // The handler waits for another task: its slot, and its places in limits, go to others until they are regained. Calls are
    // counted, so parallel branches may wait at once. Throws usage_error when more than `max_awaiting` handlers would wait.
    virtual void yield_slot() = 0;
    // Waits for its places in limits and for a free slot, ahead of new claims. On the worker's own thread, like yield_slot. Throws
    // when it must not go on: it was told to stop, or is not its worker's any more.
    virtual awaitable<void> regain_slot() = 0;
};

}  // namespace errand
