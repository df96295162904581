// Whether two names are the same, without a call for those of usual length: it is asked for every task.
#pragma once

#include <array>
#include <cstdint>
#include <cstring>
#include <string_view>

namespace errand {

// Of names that are at most twice as long as a Part, and no shorter than one: their ends are all of them.
template <class Part>
bool same_ends(std::string_view one, std::string_view other) noexcept {
    std::array<Part, 4> ends;
    const auto last = one.size() - sizeof(Part);
    std::memcpy(&ends[0], one.data(), sizeof(Part));
    std::memcpy(&ends[1], other.data(), sizeof(Part));
    std::memcpy(&ends[2], one.data() + last, sizeof(Part));
    std::memcpy(&ends[3], other.data() + last, sizeof(Part));
    return ((ends[0] ^ ends[1]) | (ends[2] ^ ends[3])) == 0;
}

inline bool same_name(std::string_view one, std::string_view other) noexcept {
    if (one.size() != other.size()) return false;
    if (one.size() < 4 || one.size() > 16) return one == other;
    return one.size() < 8 ? same_ends<std::uint32_t>(one, other) : same_ends<std::uint64_t>(one, other);
}

}  // namespace errand
