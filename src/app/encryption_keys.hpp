// The keys that a configuration names.
#pragma once

#include <errand/config.hpp>
#include <errand/encryption.hpp>

#include "core/sealing.hpp"

#include <memory>

namespace errand {

// For an app of this configuration. Throws usage_error that never has a secret in it: for keys that are wrong, and for payloads that
// become too large.
std::shared_ptr<const sealing> sealing_for(const config& settings, const encryption& with);

// Null: none are named. Throws also for a file that cannot be read, or has none.
std::shared_ptr<const sealing> keys_of_config(const config& settings);

}  // namespace errand
