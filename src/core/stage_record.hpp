// What a store keeps of the stages of a task: the incarnation they belong to, then a record for each that has finished,
// in the order in which they did. Scripts look at the fixed front of each record and append to the text; what stands
// behind that front is opaque to them.
#pragma once

#include <errand/time.hpp>

#include "core/record.hpp"

#include <string>
#include <string_view>
#include <vector>

namespace errand {

struct stage_record {
    std::string name;  // at most max_name_length bytes
    int attempt = 0;   // that ran it
    time_point started_at{};
    duration length{0};
    std::string result;  // JSON text; empty for void
};

// Front, fixed: [0..3] length of what follows (big endian), [4] format, [5] length of the name, then the name.
std::string encode(const stage_record& stage);

// All stages of this life in what a store keeps; none when it is empty or of another life. Throws bad_data when the
// bytes are no such records.
std::vector<stage_record> decode_stages(std::string_view bytes, incarnation life);

}  // namespace errand
