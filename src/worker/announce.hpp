// Things that a person should know of: a line in the app's log as well as an event. From any thread.
#pragma once

#include "core/event.hpp"

#include <exception>
#include <string>
#include <string_view>
#include <vector>

namespace errand {

namespace detail {
class app_core;
}

void announce(detail::app_core& app, event what);
// Whether log and spans say nothing of what a handler has thrown but its type, since all else of it is encrypted.
bool hides_messages(const detail::app_core& app);
// What log and span say of what a handler has thrown.
std::string text_in_log(const detail::app_core& app, const std::exception_ptr& why);
std::string text_in_span(const detail::app_core& app, const std::exception_ptr& why);
// What declare_handler_limits() has found.
void announce_limits(detail::app_core& app, const std::vector<std::string>& differences);
// Something went wrong in errand itself: `doing` says where, the exception why.
void announce_failure(detail::app_core& app, std::string_view doing, const std::exception_ptr& why);
// The same of what a program's own code has thrown there.
void announce_thrown(detail::app_core& app, std::string_view doing, const std::exception_ptr& why);

}  // namespace errand
