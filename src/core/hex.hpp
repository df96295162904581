// Bytes as text that any shell and URL takes. Pure.
#pragma once

#include <optional>
#include <string>
#include <string_view>

namespace errand {

inline constexpr std::string_view hex_digits = "0123456789abcdef";
inline constexpr std::string_view capital_hex_digits = "0123456789ABCDEF";

inline void append_hex(std::string& to, unsigned char byte, std::string_view digits = hex_digits) {
    to.push_back(digits[byte >> 4U]);
    to.push_back(digits[byte & 0xFU]);
}

std::string to_hex(std::string_view bytes);
// Nullopt when the text is not what to_hex wrote.
std::optional<std::string> from_hex(std::string_view text);

}  // namespace errand
