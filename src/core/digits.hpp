// Numbers that a store keeps as text.
#pragma once

#include <charconv>
#include <cstdint>
#include <string_view>

namespace errand {

// The number at the front of the text; 0 when there is none.
inline std::int64_t number_in(std::string_view text) noexcept {
    std::int64_t value = 0;
    std::from_chars(text.data(), text.data() + text.size(), value);
    return value;
}

}  // namespace errand
