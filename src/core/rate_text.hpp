// A rate as people write it. Pure.
#pragma once

#include <errand/policy.hpp>

#include <array>
#include <chrono>
#include <optional>
#include <string_view>
#include <utility>

namespace errand {

// What may stand for a time; another one is a length of time ("30s").
inline constexpr std::array<std::pair<std::string_view, duration>, 5> rate_units{
    {{"s", std::chrono::seconds{1}},
     {"min", std::chrono::minutes{1}},
     {"m", std::chrono::minutes{1}},
     {"h", std::chrono::hours{1}},
     {"d", std::chrono::days{1}}}};

// "10/s", "50/30s"; nullopt: it is none.
std::optional<rate_limit> read_pace(std::string_view text);

}  // namespace errand
