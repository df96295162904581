#include "core/utf8.hpp"

#include <cstdint>
#include <cstring>

namespace errand {
namespace {

bool is_tail(unsigned char byte) noexcept { return (byte & 0xC0U) == 0x80U; }

// The length of the character that begins here, 0 when none does.
std::size_t character(const unsigned char* at, std::size_t left) noexcept {
    const unsigned char first = at[0];
    if (first < 0x80) return 1;
    if (first < 0xC2 || first > 0xF4) return 0;
    if (left < 2 || !is_tail(at[1])) return 0;
    if (first < 0xE0) return 2;
    // The second byte is what tells overlong forms (E0, F0), surrogates (ED) and too large values (F4).
    if (first < 0xF0) {
        const bool narrow = (first == 0xE0 && at[1] < 0xA0) || (first == 0xED && at[1] > 0x9F);
        return !narrow && left >= 3 && is_tail(at[2]) ? 3 : 0;
    }
    const bool narrow = (first == 0xF0 && at[1] < 0x90) || (first == 0xF4 && at[1] > 0x8F);
    return !narrow && left >= 4 && is_tail(at[2]) && is_tail(at[3]) ? 4 : 0;
}

bool is_ascii_word(const unsigned char* at) noexcept {
    std::uint64_t eight;
    std::memcpy(&eight, at, sizeof eight);
    return (eight & 0x8080808080808080U) == 0;
}

}  // namespace

std::size_t first_invalid_utf8(std::string_view text) noexcept {
    const auto* bytes = reinterpret_cast<const unsigned char*>(text.data());
    std::size_t at = 0;
    while (at < text.size()) {
        if (text.size() - at >= 8 && is_ascii_word(bytes + at)) {
            at += 8;
            continue;
        }
        const std::size_t length = character(bytes + at, text.size() - at);
        if (length == 0) return at;
        at += length;
    }
    return at;
}

std::string repaired_utf8(std::string_view text) {
    std::string whole;
    whole.reserve(text.size());
    for (;;) {
        const std::size_t valid = first_invalid_utf8(text);
        whole.append(text.substr(0, valid));
        if (valid == text.size()) return whole;
        whole += "\xEF\xBF\xBD";
        text.remove_prefix(valid + 1);
    }
}

std::string_view utf8_prefix(std::string_view text, std::size_t bytes) noexcept {
    if (text.size() <= bytes) return text;
    while (bytes > 0 && is_tail(static_cast<unsigned char>(text[bytes]))) --bytes;
    return text.substr(0, bytes);
}

}  // namespace errand
