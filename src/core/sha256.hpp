// SHA-256 of a text, and how several parts become one text.
#pragma once

#include <array>
#include <cstdint>
#include <string>
#include <string_view>

namespace errand {

std::array<unsigned char, 32> sha256(std::string_view text);

// Big endian.
std::string eight_bytes(std::uint64_t value);
// The length goes before each part, so that ("ab", "c") and ("a", "bc") differ.
std::string with_length(std::string_view part);
// The first eight bytes of the SHA-256: a number that everybody draws alike.
std::uint64_t drawn_number(std::string_view text);

}  // namespace errand
