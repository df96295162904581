#pragma once

#include <errand/policy.hpp>
#include <errand/time.hpp>

#include <cstdint>
#include <optional>
#include <string>

namespace errand {

/// What a limit allows. Of a member that is not set nothing is limited.
struct limit_rule {
    /// How many run at once over all workers, >= 0; 0: none, it is closed.
    std::optional<int> max_running{};
    /// Starts over all workers: never more than `count` in any time of `per`.
    std::optional<rate_limit> rate{};
};

}  // namespace errand
