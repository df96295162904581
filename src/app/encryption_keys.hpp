// The keys that a configuration names.
#pragma once

#include <errand/config.hpp>

#include "core/sealing.hpp"

#include <memory>

namespace errand {

// Null: none are named. Throws usage_error that never has a secret in it: for a file that cannot be read, or has none, and for keys
// that are wrong.
std::shared_ptr<const sealing> keys_of_config(const config& settings);

}  // namespace errand
