// Two keys of encryption, and a program's settings with some of them.
#pragma once

#include <errand/config.hpp>

#include <string>
#include <utility>

namespace errand::test {

inline const std::string old_key = "old:" + std::string(64, '1');
inline const std::string new_key = "new:" + std::string(64, '2');

inline config with_keys(config settings, std::string keys) {
    settings.encryption_keys = std::move(keys);
    return settings;
}

}  // namespace errand::test
