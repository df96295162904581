// Tasks that wait for each other, submitted together: what plans of a program and of the service share. Each stands behind those
// that it waits for.
#pragma once

#include "client/prepared_submission.hpp"
#include "runtime/loop.hpp"

#include <exception>
#include <optional>
#include <span>
#include <vector>

namespace errand {

// A node that is no task: it has succeeded once all that it waits for have. `others`: how many of these are no members.
detail::draft group_call(detail::app_core& app, std::size_t others);

// The last that it is told to wait for is the one whose result may be its first argument.
void wait_for(prepared_submission& one, const task_id& parent);

// What it waits for is kept until it has ended, by a rule of its own.
void keep_for_others(prepared_submission& one);

// Whether they are accepted all or none; else they go in steps, those first that wait.
bool is_one_step(std::span<const prepared_submission> all);

struct plan_answer {
    std::vector<detail::task_ref> tasks{};  // in order; when nothing was refused
    std::exception_ptr refused{};
    std::optional<std::size_t> at{};  // the one because of which
};

awaitable<plan_answer> send_plan(loop& there, detail::app_core& app, std::vector<prepared_submission> all);

}  // namespace errand
