// The quota of a namespace as the store keeps it: among what is set of handlers, under a name that no handler can have. A change
// is a new record with the next version.
#pragma once

#include <errand/quota.hpp>

#include <cstdint>
#include <string>
#include <string_view>

namespace errand {

inline constexpr std::string_view quota_record_name = "\x01quota";
// Whether what is kept under that name is set of something else than a handler.
inline bool is_no_handler(std::string_view name) noexcept { return name.starts_with('\x01'); }

struct quota_record {
    std::uint64_t stamp = 0;  // tells it from any other; stands first
    std::int64_t version = 0;
    std::string by;
    time_point at{};
    quota rules;
};

std::string encode(const quota_record& record);
// Passes over what a newer errand has set. Throws bad_data when the bytes are not such a record.
quota_record decode_quota(std::string_view bytes);

}  // namespace errand
