// Numbers that people and other programs write.
#pragma once

#include <charconv>
#include <optional>
#include <string_view>

namespace errand {

// The number that the text is, and nothing else: no blank, no plus, no unit. nullopt for all else, and for what Number does not hold.
template <class Number>
std::optional<Number> whole_number(std::string_view text) noexcept {
    Number value{};
    const auto* last = text.data() + text.size();
    const auto [end, error] = std::from_chars(text.data(), last, value);
    if (error != std::errc{} || end != last) return std::nullopt;
    return value;
}

}  // namespace errand
