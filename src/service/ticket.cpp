#include "service/ticket.hpp"

#include <algorithm>
#include <charconv>
#include <cstdint>

namespace errand::web {
namespace {

constexpr std::string_view no_mark = "-";
constexpr std::size_t mark_length = 8;

// What stands before the next dot, which is taken away with it.
std::string_view take_part(std::string_view& text) {
    const auto dot = std::min(text.find('.'), text.size());
    const auto part = text.substr(0, dot);
    text.remove_prefix(std::min(dot + 1, text.size()));
    return part;
}

template <class Number>
bool read_number(std::string_view text, Number& into) {
    if (text.empty() || text.front() == '-') return false;
    const auto [stop, error] = std::from_chars(text.data(), text.data() + text.size(), into);
    return error == std::errc{} && stop == text.data() + text.size();
}

bool is_mark(std::string_view text) {
    return text.size() == mark_length && text.find_first_not_of("0123456789abcdef") == text.npos;
}

}  // namespace

bool is_worker_name(std::string_view name) noexcept {
    return !name.empty() && name.size() <= longest_worker_name && std::ranges::all_of(name, [](char c) {
        const auto byte = static_cast<unsigned char>(c);
        return byte >= 0x20 && byte != 0x7f;
    });
}

std::string ticket_text(const ticket& of) {
    std::string text = std::to_string(of.claim) + '.';
    text += of.mark.empty() ? no_mark : std::string_view{of.mark};
    text += '.' + std::to_string(of.at.time_since_epoch().count()) + '.' + of.worker;
    return text;
}

std::optional<ticket> read_ticket(std::string_view text) {
    ticket read;
    std::int64_t at = 0;
    if (!read_number(take_part(text), read.claim) || read.claim == 0) return std::nullopt;
    const auto mark = take_part(text);
    if (mark != no_mark && !is_mark(mark)) return std::nullopt;
    if (mark != no_mark) read.mark = mark;
    if (!read_number(take_part(text), at)) return std::nullopt;
    read.at = time_point{duration{at}};
    if (!is_worker_name(text)) return std::nullopt;
    read.worker = text;
    return read;
}

}  // namespace errand::web
