// What keeps a token that is for some queues to those: what is in others is for its holder not there. For one that is for all
// queues each of these does nothing.
#pragma once

#include <errand/app.hpp>
#include <errand/detail/engine.hpp>

#include "core/task_id.hpp"
#include "service/message.hpp"
#include "service/ticket.hpp"
#include "service/values.hpp"

#include <string>

namespace errand::web {

class exchange;

// Of a submission: it goes to one of those, which it says from here on, and changes nothing of a task that may be in another one.
// Throws refusal (403).
void keep_to_queues(const request& in, const members& given, const std::string& handler, options& extra);
// What it waits for is in those. Throws refusal (404).
awaitable<void> check_waited_for(app& of, const request& in, const detail::draft& one, std::string path);
// The task that was there already is in one of those. Throws refusal (409), which does not name it.
awaitable<void> check_there(app& of, const request& in, const std::string& id);
// What is said of a task that is claimed is of one of those. Throws refusal (409), as of a task that is not there.
// @param by the claim that it is said by: what was claimed here before under the same id may have been in another queue
awaitable<void> check_claimed(exchange& work, const request& in, task_id id, const ticket& by);

}  // namespace errand::web
