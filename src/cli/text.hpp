// Times, lengths of time and words of people as text for a terminal, and back. Pure.
#pragma once

#include <errand/time.hpp>

#include "service/instant.hpp"
#include "service/words.hpp"

#include <cstddef>
#include <optional>
#include <string>
#include <string_view>

namespace errand::cli {

using errand::from_now;
using errand::instant_text;
using errand::length_text;
using errand::parse_instant;
using errand::tasks_text;

// "a, b, c"
template <class Words>
std::string joined(const Words& words, std::string_view between) {
    std::string all;
    for (const auto& one : words) {
        if (!all.empty()) all += between;
        all += one;
    }
    return all;
}

// One line that a terminal shows as it is: control characters, which texts of handlers may bring along, are spaces.
std::string plain(std::string_view text);

// How many characters (code points) it has.
std::size_t width_of(std::string_view text) noexcept;

// At most so many characters; what was cut off is "…".
std::string cut(std::string_view text, std::size_t width);

}  // namespace errand::cli
