#include "service/target.hpp"

#include "core/hex.hpp"
#include "core/utf8.hpp"

#include <algorithm>

namespace errand::web {
namespace {

bool is_control(char c) noexcept { return static_cast<unsigned char>(c) < 0x20 || c == 0x7f; }

bool is_plain(char c) noexcept {
    return (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') || (c >= '0' && c <= '9') || c == '-' ||
           c == '.' || c == '_' || c == '~';
}

}  // namespace

std::optional<std::string> percent_decoded(std::string_view text, bool form) {
    std::string out;
    out.reserve(text.size());
    for (std::size_t at = 0; at < text.size(); ++at) {
        if (text[at] == '+' && form) {
            out.push_back(' ');
        } else if (text[at] != '%') {
            out.push_back(text[at]);
        } else {
            const auto byte = from_hex(text.substr(at + 1, 2));
            if (!byte || byte->size() != 1) return std::nullopt;
            out += *byte;
            at += 2;
        }
    }
    if (std::ranges::any_of(out, is_control) || first_invalid_utf8(out) != out.size()) return std::nullopt;
    return out;
}

std::string percent_encoded(std::string_view text) {
    std::string out;
    for (const char c : text) {
        if (is_plain(c)) {
            out.push_back(c);
        } else {
            out.push_back('%');
            append_hex(out, static_cast<unsigned char>(c), capital_hex_digits);
        }
    }
    return out;
}

std::vector<std::string_view> parts_of(std::string_view path) {
    std::vector<std::string_view> parts;
    if (!path.starts_with('/')) return parts;
    path.remove_prefix(1);
    for (;;) {
        const auto slash = path.find('/');
        parts.push_back(path.substr(0, slash));
        if (slash == path.npos) return parts;
        path.remove_prefix(slash + 1);
    }
}

std::optional<std::vector<std::pair<std::string, std::string>>> query_values(std::string_view query) {
    std::vector<std::pair<std::string, std::string>> all;
    while (!query.empty()) {
        const auto end = std::min(query.find('&'), query.size());
        const auto one = query.substr(0, end);
        query.remove_prefix(std::min(end + 1, query.size()));
        if (one.empty()) continue;
        const auto equals = one.find('=');
        auto name = percent_decoded(one.substr(0, equals), true);
        auto value = percent_decoded(equals == one.npos ? std::string_view{} : one.substr(equals + 1), true);
        if (!name || !value) return std::nullopt;
        all.emplace_back(std::move(*name), std::move(*value));
    }
    return all;
}

std::optional<std::string> host_name_of(std::string_view header) {
    std::string_view name = header;
    std::string_view rest;
    if (header.starts_with('[')) {
        const auto end = header.find(']');
        if (end == header.npos) return std::nullopt;
        name = header.substr(1, end - 1);
        rest = header.substr(end + 1);
    } else if (const auto colon = header.find(':'); colon != header.npos) {
        name = header.substr(0, colon);
        rest = header.substr(colon);
    }
    const bool port = rest.empty() || (rest.size() > 1 && rest.front() == ':' &&
                                       rest.find_first_not_of("0123456789", 1) == rest.npos);
    const bool plain =
        std::ranges::all_of(name, [](char c) { return is_plain(c) || c == ':'; }) && !name.empty();
    if (!port || !plain) return std::nullopt;
    std::string lower{name};
    for (char& c : lower) c = c >= 'A' && c <= 'Z' ? static_cast<char>(c - 'A' + 'a') : c;
    return lower;
}

}  // namespace errand::web
