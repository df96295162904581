#include "core/base64.hpp"

#include <algorithm>
#include <array>
#include <cstdint>

namespace errand {
namespace {

constexpr std::string_view url_digits = "ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789-_";
constexpr std::uint8_t no_digit = 255;

constexpr std::array<std::uint8_t, 256> digit_values() {
    std::array<std::uint8_t, 256> values{};
    for (auto& one : values) one = no_digit;
    for (std::size_t at = 0; at < url_digits.size(); ++at)
        values[static_cast<unsigned char>(url_digits[at])] = static_cast<std::uint8_t>(at);
    values['+'] = 62;
    values['/'] = 63;
    return values;
}
constexpr auto value_of_digit = digit_values();

}  // namespace

void append_base64(std::string& to, std::string_view bytes) {
    const auto begin = to.size();
    to.resize(begin + base64_size(bytes.size()));
    auto* out = to.data() + begin;
    const auto byte = [&](std::size_t at) -> std::uint32_t { return static_cast<unsigned char>(bytes[at]); };
    std::size_t at = 0;
    for (; at + 3 <= bytes.size(); at += 3) {
        const auto three = byte(at) << 16U | byte(at + 1) << 8U | byte(at + 2);
        *out++ = url_digits[three >> 18U];
        *out++ = url_digits[three >> 12U & 63U];
        *out++ = url_digits[three >> 6U & 63U];
        *out++ = url_digits[three & 63U];
    }
    const auto left = bytes.size() - at;
    if (left == 0) return;
    const auto last = byte(at) << 16U | (left == 2 ? byte(at + 1) << 8U : 0U);
    *out++ = url_digits[last >> 18U];
    *out++ = url_digits[last >> 12U & 63U];
    if (left == 2) *out++ = url_digits[last >> 6U & 63U];
}

std::string padded_base64(std::string_view bytes) {
    std::string text;
    append_base64(text, bytes);
    std::ranges::replace(text, '-', '+');
    std::ranges::replace(text, '_', '/');
    text.append((4 - text.size() % 4) % 4, '=');
    return text;
}

std::optional<std::string> read_base64(std::string_view text) {
    for (int padding = 0; padding < 2 && text.ends_with('='); ++padding) text.remove_suffix(1);
    if (text.size() % 4 == 1) return std::nullopt;
    std::string bytes(text.size() * 3 / 4, '\0');
    auto* out = bytes.data();
    std::uint32_t left = 0;
    unsigned bits = 0;
    for (const char c : text) {
        const auto value = value_of_digit[static_cast<unsigned char>(c)];
        if (value == no_digit) return std::nullopt;
        left = (left << 6U | value) & 0xFFFFU;
        bits += 6;
        if (bits < 8) continue;
        bits -= 8;
        *out++ = static_cast<char>(left >> bits & 0xFFU);
    }
    if ((left & ((1U << bits) - 1U)) != 0) return std::nullopt;
    return bytes;
}

}  // namespace errand
