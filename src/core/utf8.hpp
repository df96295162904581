// UTF-8 as RFC 3629 has it: no overlong forms, no surrogates, nothing above U+10FFFF.
#pragma once

#include <cstddef>
#include <string>
#include <string_view>

namespace errand {

// Where the first byte stands that cannot be part of well-formed UTF-8; text.size() when there is none.
std::size_t first_invalid_utf8(std::string_view text) noexcept;

// The text with U+FFFD in place of each byte that is not UTF-8: for texts that errand did not write (what()
// of a handler's exception) and that must travel as JSON.
std::string repaired_utf8(std::string_view text);

// The longest part from the beginning that is at most `bytes` long and does not cut a character.
std::string_view utf8_prefix(std::string_view text, std::size_t bytes) noexcept;

}  // namespace errand
