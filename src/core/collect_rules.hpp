// What may be said of collecting. Each bad value is a usage_error that names the handler, the member and the value. Pure.
#pragma once

#include <errand/policy.hpp>

#include <cstddef>
#include <string_view>

namespace errand {

// What a handler's class says of it.
struct collect_facts {
    bool takes_items = false;  // perform takes one std::vector, and returns nothing or a std::vector
    bool has_limit_keys = false;
};

inline constexpr std::size_t max_collect_key_length = 1024;

void check_collect(std::string_view handler, const policy& rules, const collect_facts& facts);
void check_collect_key(std::string_view handler, std::string_view key);

}  // namespace errand
