// What may be said of limits. Each bad value is a usage_error that names the limit or the handler, the member and the value. Pure.
#pragma once

#include <errand/limit.hpp>
#include <errand/policy.hpp>

#include <cstddef>
#include <span>
#include <string>
#include <string_view>

namespace errand {

inline constexpr std::size_t most_shared_limits = 4;  // of one handler
// What concurrency_key and rate_key give: bytes.
inline constexpr std::size_t max_limit_key_length = 1024;

// Of all tasks of a namespace that has a quota of what runs.
inline constexpr std::string_view limit_of_namespace = "namespace";
// Of what a handler's own policy limits; `identity`: the oldest name of the handler.
std::string limit_of_handler(std::string_view identity);

// Of a limit that several handlers share.
void check_limit_name(std::string_view name);
void check_limit_rule(std::string_view name, const limit_rule& rule);
// The same, and it limits something.
void check_declared_limit(std::string_view name, const limit_rule& rule);
// .max_running, .rate and .limits.
void check_limits_of(std::string_view handler, const policy& rules);
// Of .limits; `declared`: all that the program declares.
void check_limits_are_declared(std::string_view handler, const policy& rules,
                               std::span<const std::string> declared);
// `of`: "concurrency_key" or "rate_key".
void check_limit_key(std::string_view handler, std::string_view of, std::string_view key);

// "25 at once, 10 starts in 1 s"; "nothing" when it limits nothing.
std::string limit_in_words(const limit_rule& rule);

// The name among these that is most like the one given; empty when there are none.
std::string_view nearest_name(std::string_view given, std::span<const std::string> names);

}  // namespace errand
