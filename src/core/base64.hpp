// Bytes as text that stands in JSON and in a URL as it is. Pure.
#pragma once

#include <cstddef>
#include <optional>
#include <string>
#include <string_view>

namespace errand {

// In the alphabet for URLs, without padding.
void append_base64(std::string& to, std::string_view bytes);
constexpr std::size_t base64_size(std::size_t bytes) noexcept { return (bytes * 4 + 2) / 3; }
// In the standard alphabet, padded: what other programs expect.
std::string padded_base64(std::string_view bytes);
// In either alphabet, padded or not. Nullopt: it is none, or not the one text that stands for its bytes.
std::optional<std::string> read_base64(std::string_view text);

}  // namespace errand
