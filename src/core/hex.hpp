// Bytes as text that any shell and URL takes.
#pragma once

#include <optional>
#include <string>
#include <string_view>

namespace errand {

std::string to_hex(std::string_view bytes);
// Nullopt when the text is not what to_hex wrote.
std::optional<std::string> from_hex(std::string_view text);

}  // namespace errand
