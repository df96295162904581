// How many lines of a log that are alike are written. Pure: the time is told.
//
// A worker whose thousand tasks fail for one reason says so some times a minute, and then how often it was: what is left
// out is counted and never lost.
#pragma once

#include <chrono>
#include <cstdint>
#include <string>
#include <string_view>
#include <unordered_map>
#include <vector>

namespace errand {

// For one thread.
class line_budget {
public:
    using instant = std::chrono::steady_clock::time_point;

    static constexpr std::uint64_t most_a_minute = 20;
    // Of different kinds; beyond them all others count as one.
    static constexpr std::size_t most_kinds = 500;

    struct left_out {
        std::string example;  // the last line written of its kind
        std::uint64_t lines = 0;
    };

    // True when this line is to be written. Lines are alike that differ in words with digits only: ids, numbers, times.
    bool allows(std::string_view line, instant now);

    // What was left out in minutes that are over; each is told once.
    std::vector<left_out> over(instant now);
    // Likewise, also of minutes that are not over.
    std::vector<left_out> all();

private:
    struct minute {
        instant began{};
        std::uint64_t lines = 0;
        std::string example;
    };

    std::unordered_map<std::string, minute> kinds_;
};

// A line without what makes it differ from others of its kind: each word in which there is a digit is one '#'.
std::string kind_of_line(std::string_view line);

}  // namespace errand
