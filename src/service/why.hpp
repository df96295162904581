// Why a task does not run, or how it ended, in one sentence that an operator can act on.
#pragma once

#include <errand/app.hpp>
#include <errand/task_info.hpp>

#include "client/whole_look.hpp"

#include <cstddef>
#include <functional>
#include <memory>
#include <string>

namespace errand {

// What is known besides the task: of ready ones; of delayed ones only what is about their handler.
struct surroundings {
    time_point now{};
    bool queue_is_paused = false;
    std::size_t workers = 0;  // that serve its queue
    bool handler_is_paused = false;
    bool handler_is_known = true;      // of one that stands aside: a worker has it
    std::string nearest_handler = {};  // of those that workers have
    bool blocks = false;               // of a working one: it keeps a thread of its worker to itself
};

using seen_around = std::shared_ptr<const whole_look>;

// Asks for what its state raises: nothing, what is set of its handler, and the namespace at one look, which `look` gives.
awaitable<surroundings> surroundings_of(app& tasks, const task_info& task,
                                        std::function<awaitable<seen_around>()> look);
// By a look of its own.
awaitable<surroundings> surroundings_of(app& tasks, const task_info& task);

// In one sentence: what it waits for, or how it ended. Pure.
std::string why_text(const task_info& task, const surroundings& around);

}  // namespace errand
