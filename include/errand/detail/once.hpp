// What `self.once(tx)` calls.
#pragma once

#include <errand/awaitable.hpp>
#include <errand/time.hpp>

#include <cstdint>
#include <memory>
#include <string>

namespace errand::detail {

class transaction_level;

// Whose effect it is, and how long that is kept.
struct effect_key {
    std::string task{};
    std::uint64_t life = 0;
    duration retention{0};
};

// True when it was not recorded before.
awaitable<bool> record_effect(std::shared_ptr<transaction_level> in, effect_key of);

}  // namespace errand::detail
