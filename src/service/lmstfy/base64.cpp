#include "service/lmstfy/base64.hpp"

namespace errand::lmstfy {

namespace {
constexpr std::string_view base64_digits = "ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789+/";
}

std::string to_base64(std::string_view bytes) {
    std::string text;
    text.reserve((bytes.size() + 2) / 3 * 4);
    const auto byte = [&](std::size_t at) {
        return at < bytes.size() ? static_cast<unsigned>(static_cast<unsigned char>(bytes[at])) : 0U;
    };
    for (std::size_t at = 0; at < bytes.size(); at += 3) {
        const auto three = byte(at) << 16U | byte(at + 1) << 8U | byte(at + 2);
        text += base64_digits[three >> 18U];
        text += base64_digits[three >> 12U & 63U];
        text += at + 1 < bytes.size() ? base64_digits[three >> 6U & 63U] : '=';
        text += at + 2 < bytes.size() ? base64_digits[three & 63U] : '=';
    }
    return text;
}

std::optional<std::string> from_base64(std::string_view text) {
    while (text.ends_with('=')) text.remove_suffix(1);
    std::string bytes;
    unsigned left = 0;
    unsigned bits = 0;
    for (const char c : text) {
        const auto digit = base64_digits.find(c);
        if (digit == base64_digits.npos) return std::nullopt;
        left = (left << 6U | static_cast<unsigned>(digit)) & 0xFFFFU;
        bits += 6;
        if (bits < 8) continue;
        bits -= 8;
        bytes.push_back(static_cast<char>(left >> bits & 0xFFU));
    }
    return bytes;
}

}  // namespace errand::lmstfy
