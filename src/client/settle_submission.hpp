// Submissions that one call of the store does not settle: tasks with very many parents, or far into a graph of others,
// and ids that another such submission holds. On the loop that is given.
#pragma once

#include "runtime/dependency_completion.hpp"
#include "runtime/loop.hpp"

#include <chrono>
#include <map>
#include <span>
#include <string>

namespace errand {

// Names of tasks that the store may not know (yet), for texts.
using task_names = std::map<task_id, std::string>;

// "report 0198… (biz_id \"7\")"
std::string name_of(const task_id& id, const std::string& handler, const std::optional<std::string>& biz_id);

// Longer than a registration may be without a sign of its submitter.
inline constexpr std::chrono::seconds busy_for{40};

// Whether an answer is not the last word.
bool is_unsettled(const submit_answer& answer);
// What a submission was answered, brought to a final answer. `item` is what was submitted; it may be submitted again.
// The answer is accepted, duplicate, replaced, rejected, cycle or gone; throws store_error when its id is held by another
// submission for so long.
awaitable<submit_answer> settle_submission(loop& there, submission_item item, submit_answer first,
                                           std::chrono::milliseconds most_busy = busy_for);

// One batch, all or nothing, in one step; what the store cannot settle in it is settled afterwards.
awaitable<submitter::group_answer> submit_whole(loop& there, std::vector<submission_item> items);

// What submit_whole() would be answered; nothing is written.
awaitable<submitter::group_answer> ask_whole(loop& there, std::vector<submission_item> items);

// What `cycle` and `gone` mean for the submitter.
awaitable<std::exception_ptr> dependency_refusal(store& in, submit_answer answer, task_names known);

}  // namespace errand
