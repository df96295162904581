#include "names.hpp"

#include <charconv>
#include <stdexcept>

namespace {

bool is_control(unsigned char byte) { return byte < 0x20 || byte == 0x7F; }

void append_hex(std::string& to, unsigned char byte) {
    constexpr std::string_view digits = "0123456789ABCDEF";
    to += digits[byte >> 4U];
    to += digits[byte & 0xFU];
}

}  // namespace

std::string encode_name(std::string_view name) {
    std::string encoded;
    encoded.reserve(name.size());
    for (const char c : name) {
        const auto byte = static_cast<unsigned char>(c);
        if (c == '%' || byte >= 0x80 || is_control(byte)) {
            encoded += '%';
            append_hex(encoded, byte);
        } else {
            encoded += c;
        }
    }
    return encoded;
}

std::string decode_name(std::string_view encoded) {
    std::string name;
    name.reserve(encoded.size());
    for (std::size_t at = 0; at < encoded.size(); ++at) {
        if (encoded[at] != '%') {
            name += encoded[at];
            continue;
        }
        const std::string_view digits = encoded.substr(at + 1, 2);
        unsigned char byte = 0;
        const auto [end, failure] = std::from_chars(digits.data(), digits.data() + digits.size(), byte, 16);
        if (failure != std::errc{} || digits.size() != 2 || end != digits.data() + 2) {
            throw std::invalid_argument{"a name with '%' that no two hexadecimal digits follow"};
        }
        name += static_cast<char>(byte);
        at += 2;
    }
    return name;
}

checksum_name escape_for_checksum(std::string_view name) {
    checksum_name line{{}, false};
    for (const char c : name) {
        const char* instead = c == '\\' ? "\\\\" : c == '\n' ? "\\n" : c == '\r' ? "\\r" : nullptr;
        line.escaped = line.escaped || instead;
        if (instead) {
            line.text += instead;
        } else {
            line.text += c;
        }
    }
    return line;
}

std::string printable(std::string_view name) {
    std::string text;
    for (const char c : name) {
        if (is_control(static_cast<unsigned char>(c))) {
            text += "\\x";
            append_hex(text, static_cast<unsigned char>(c));
        } else {
            text += c;
        }
    }
    return text;
}
