// Which limits of errand's own names (of a handler, a queue, the namespace) are set at run time although no policy asks for them:
// tasks get their gates when they are submitted, or when a worker would start them. What they allow stands with all other limits.
#pragma once

#include <cstdint>
#include <map>
#include <string>
#include <string_view>

namespace errand {

// Kept among what is set of handlers, as the quota is (core/quota_record.hpp).
inline constexpr std::string_view run_time_limits_record_name = "\x01limits";

struct run_time_limits {
    std::uint64_t stamp = 0;  // tells it from any other; stands first
    // Name, as "handler:<identity>", "queue:<name>" or "namespace", to its number in gates.
    std::map<std::string, std::string, std::less<>> names;

    void add(std::string name);
    // Empty: there is none of that name.
    std::string_view number_of(std::string_view name) const noexcept;
};

std::string encode(const run_time_limits& record);
// Throws bad_data when the bytes are not such a record.
run_time_limits decode_run_time_limits(std::string_view bytes);

// "queue:<name>".
std::string limit_of_queue(std::string_view queue);

}  // namespace errand
