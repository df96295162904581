#include "core/server_url.hpp"

#include <errand/error.hpp>

#include <algorithm>
#include <charconv>

namespace errand {
namespace {

// Splits at the first `mark`; what is after it is empty when there is none.
std::string_view cut(std::string_view& from, char mark) {
    const auto at = from.find(mark);
    const auto rest = at == from.npos ? std::string_view{} : from.substr(at + 1);
    from = from.substr(0, at);
    return rest;
}

bool is_number(std::string_view text) {
    return std::ranges::all_of(text, [](char c) { return c >= '0' && c <= '9'; });
}

}  // namespace

void url_form::refuse(std::string_view why, std::string_view part) const {
    std::string said{subject};
    said.append(" ").append(why);
    if (!part.empty()) said.append(": \"").append(part) += '"';
    throw usage_error{said.append("; ").append(advice)};
}

void url_form::check_at(std::string_view after_scheme) const {
    const auto slash = after_scheme.find('/');
    if (slash == after_scheme.npos || after_scheme.find('@') < slash) return;
    if (after_scheme.find('@') != after_scheme.npos)
        refuse("has an @ after its first slash: write / as %2F in a password, and @ as %40 elsewhere");
}

std::string_view server_url::scheme_of(std::string_view text) noexcept {
    const auto end = text.find("://");
    return end == text.npos ? std::string_view{} : text.substr(0, end);
}

std::string server_url::decoded(std::string_view text) {
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

std::optional<int> server_url::number(std::string_view text, int most) noexcept {
    int value = 0;
    const auto [end, failed] = std::from_chars(text.data(), text.data() + text.size(), value);
    if (failed != std::errc{} || end != text.data() + text.size() || value < 0 || value > most)
        return std::nullopt;
    return value;
}

server_url::server_url(std::string_view text, const url_form& form) : scheme{scheme_of(text)}, form_{form} {
    if (scheme.empty()) form.refuse("has no scheme", text.find('@') == text.npos ? text : std::string_view{});
    auto rest = text.substr(scheme.size() + 3);
    if (!form.at_in_paths) form.check_at(rest);
    if (const auto at = rest.substr(0, rest.find('/')).rfind('@'); at != rest.npos) {
        auto name = rest.substr(0, at);
        password = decoded(cut(name, ':'));
        user = decoded(name);
        rest.remove_prefix(at + 1);
    }
    for (auto list = cut(rest, '?'); !list.empty();) {
        auto option = list;
        list = cut(option, '&');
        options_.push_back(option);
    }
    shown_ = rest;
    const auto slash = std::min(rest.find('/'), rest.size());
    path = rest.substr(slash);
    read_place(rest.substr(0, slash));
}

void server_url::read_place(std::string_view text) {
    constexpr std::size_t most_of_port = 6;  // with its colon
    if (text.starts_with('[')) {
        const auto end = text.find(']');
        if (end == text.npos) form_.refuse("has a host without its closing bracket");
        host = text.substr(1, end - 1);
        text.remove_prefix(end + 1);
    } else {
        host = text.substr(0, text.find(':'));
        text.remove_prefix(host.size());
    }
    if (text.empty()) return;
    const auto given = text.starts_with(':') ? number(text.substr(1), 65535) : std::nullopt;
    // What is no number, or a long one, may be a password whose host was forgotten.
    if (given.value_or(0) == 0) {
        form_.refuse("has a port that is no number from 1 to 65535",
                     is_number(text.substr(1)) && text.size() <= most_of_port ? text.substr(1)
                                                                              : std::string_view{});
    }
    port = static_cast<std::uint16_t>(*given);
}

std::string server_url::shown() const { return std::string{scheme} + "://" + std::string{shown_}; }

}  // namespace errand
