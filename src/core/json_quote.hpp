// Text as a JSON string, without a check of its bytes, for error messages.
#pragma once

#include <string>
#include <string_view>

namespace errand::detail {

// Appends the escaped text, without quotes.
void append_escaped(std::string& out, std::string_view text);

// Quoted, cut after some 60 bytes, with U+FFFD for what is not UTF-8: errors are stored and shown as JSON
// themselves.
std::string quoted_extract(std::string_view text);

}  // namespace errand::detail
