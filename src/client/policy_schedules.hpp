// The schedules that the policies of this program's handlers declare.
#pragma once

#include <errand/awaitable.hpp>

#include <functional>

namespace errand {

namespace detail {
class app_core;
}

// For each handler whose code is here: its policy's .cron is declared, and cancelled where it has none any more. One look,
// and steps only for what changes. False: some are where a server is away, and were left out. From any executor.
awaitable<bool> declare_policy_schedules(detail::app_core& app);
// The same, for a namespace again and again: each call declares what none before has, so that what was done to the others meanwhile
// stands. One call at a time.
std::function<awaitable<bool>(detail::app_core&)> policy_declarations();

}  // namespace errand
