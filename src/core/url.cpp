#include "core/url.hpp"

#include <charconv>

namespace errand::url {

std::string decoded(std::string_view text) {
    std::string plain;
    for (std::size_t at = 0; at < text.size(); ++at) {
        unsigned value = 0;
        const auto* code = text.data() + at + 1;
        if (text[at] == '%' && at + 2 < text.size() &&
            std::from_chars(code, code + 2, value, 16).ptr == code + 2) {
            plain.push_back(static_cast<char>(value));
            at += 2;
        } else {
            plain.push_back(text[at]);
        }
    }
    return plain;
}

std::string_view cut(std::string_view& from, char mark) {
    const auto at = from.find(mark);
    const auto rest = at == from.npos ? std::string_view{} : from.substr(at + 1);
    from = from.substr(0, at);
    return rest;
}

std::optional<int> number(std::string_view text, int most) {
    int value = 0;
    const auto [end, failed] = std::from_chars(text.data(), text.data() + text.size(), value);
    if (failed != std::errc{} || end != text.data() + text.size() || value < 0 || value > most)
        return std::nullopt;
    return value;
}

host_port host_port_of(std::string_view text) {
    host_port to{};
    if (text.starts_with('[')) {
        const auto end = text.find(']');
        if (end == text.npos) return {.host = {}, .port = {}, .closed = false};
        to.host = text.substr(1, end - 1);
        text.remove_prefix(end + 1);
    } else {
        to.host = text.substr(0, text.find(':'));
        text.remove_prefix(to.host.size());
    }
    to.port = text;
    return to;
}

std::optional<login> take_login(std::string_view& rest) {
    const auto at = rest.substr(0, rest.find('/')).rfind('@');
    if (at == rest.npos) return std::nullopt;
    auto user = rest.substr(0, at);
    login found;
    found.password = decoded(cut(user, ':'));
    found.user = decoded(user);
    rest.remove_prefix(at + 1);
    return found;
}

}  // namespace errand::url
