// Things that a person should know of: a line in the app's log as well as an event. From any thread.
#pragma once

#include "core/event.hpp"

#include <exception>
#include <string>
#include <string_view>

namespace errand {

namespace detail {
class app_core;
}

void announce(detail::app_core& app, event what);
// Something went wrong in errand itself: `doing` says where, the exception why.
void announce_failure(detail::app_core& app, std::string_view doing, const std::exception_ptr& why);

}  // namespace errand
