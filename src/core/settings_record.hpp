// What is set of one handler at run time, as the store keeps it. A change is a new record with the next version; what is set no
// longer is an empty one, so that versions are never given twice.
#pragma once

#include <errand/settings.hpp>

#include "core/task_id.hpp"

#include <cstdint>
#include <string>
#include <string_view>

namespace errand {

struct settings_record {
    std::uint64_t stamp = 0;  // tells it from any other; stands first
    std::int64_t version = 0;
    std::string by;
    time_point at{};
    handler_settings values;
};

std::string encode(const settings_record& record);
// Passes over what a newer errand has set. Throws bad_data when the bytes are not such a record.
settings_record decode_settings(std::string_view bytes);

bool is_nothing(const handler_settings& values) noexcept;

// Of several shards they are kept in the one that this falls to.
task_id place_of_settings(std::string_view handler);

}  // namespace errand
