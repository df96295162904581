// The schedules that the policies of this program's handlers declare.
#pragma once

#include <errand/awaitable.hpp>

namespace errand {

namespace detail {
class app_core;
}

// For each handler whose code is here: its policy's .cron is declared, and cancelled where it has none any more. One look,
// and steps only for what changes. False: some are where a server is away, and were left out. From any executor.
awaitable<bool> declare_policy_schedules(detail::app_core& app);

}  // namespace errand
