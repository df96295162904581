#include "core/hex.hpp"

#include <charconv>

namespace errand {

std::string to_hex(std::string_view bytes) {
    std::string text;
    text.reserve(2 * bytes.size());
    for (const char c : bytes) append_hex(text, static_cast<unsigned char>(c));
    return text;
}

std::optional<std::string> from_hex(std::string_view text) {
    if (text.size() % 2 != 0) return std::nullopt;
    std::string bytes;
    for (std::size_t at = 0; at < text.size(); at += 2) {
        unsigned byte = 0;
        const auto* from = text.data() + at;
        const auto [end, error] = std::from_chars(from, from + 2, byte, 16);
        if (error != std::errc{} || end != from + 2) return std::nullopt;
        bytes.push_back(static_cast<char>(byte));
    }
    return bytes;
}

}  // namespace errand
