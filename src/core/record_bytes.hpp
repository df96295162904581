// What the bytes of the records of a task have in common.
#pragma once

#include <errand/time.hpp>

#include "core/bytes.hpp"

#include <algorithm>
#include <cstdint>

namespace errand {

inline constexpr std::uint8_t record_format = 1;

// The fixed fields hold 48 bits of milliseconds: 8900 years. What is beyond either end is cut to it.
inline std::uint64_t six_bytes(std::int64_t ms) {
    return static_cast<std::uint64_t>(std::clamp<std::int64_t>(ms, 0, (std::int64_t{1} << 48) - 1));
}

inline duration duration_of_ms(std::int64_t ms) { return duration{ms}; }

inline time_point time_of_ms(std::int64_t ms) { return time_point{duration{ms}}; }

inline void check_format(byte_reader& in) {
    if (in.u8() != record_format) in.fail("has a format that this version of errand does not know");
}

}  // namespace errand
