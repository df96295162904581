// Which task is meant by what somebody has typed: its id, its biz_id, or its handler and biz_id as "handler:biz_id".
#pragma once

#include <errand/task_info.hpp>

#include <cstddef>
#include <optional>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

namespace errand::cli {

class session;

// All ways to read the text as handler and biz_id, the longest name of a handler first; colons may stand in both.
std::vector<std::pair<std::string_view, std::string_view>> handler_and_biz_id(std::string_view text);

// Nullopt when there is none. By a biz_id alone: of the handlers that workers have now, and of those whose tasks are among the
// newest thousand of a state. Throws usage_error when tasks of several handlers have it, naming them.
// A round trip by an id; one for each colon, then one for each handler and state.
std::optional<task_info> find_task(session& on, const std::string& text);

// The id of what is meant. No task need have one that is written as an id; else throws usage_error when there is none.
// No round trip for an id; else as above.
std::string id_of_task(session& on, const std::string& text);

}  // namespace errand::cli
