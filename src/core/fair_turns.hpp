// Whose turn it is among the groups of a queue that are of equal priority: start-time fair queueing. A start moves its group one
// on in virtual time, the group that is the least far goes next. The tasks without gates are one group. Pure.
//
// Invariant: of those that always have something to start, none has started more than one more than another since both were
// there; who had nothing for a while, or was held up by a gate, has saved up nothing.
#pragma once

#include <algorithm>
#include <cstdint>
#include <optional>

namespace errand {

// Of the groups of one priority in a queue.
struct virtual_time {
    std::int64_t present = 0;  // where the last one started
    std::int64_t plain = 0;    // where the tasks without gates start next
};

// Where a group stands that comes to those that take turns, of which the first stands there. Whoever has gone farther stays
// ahead.
constexpr std::int64_t turn_on_entry(std::int64_t own, std::optional<std::int64_t> first,
                                     const virtual_time& time) {
    return std::max(own, first.value_or(time.present));
}

// Whether a task without gates is next, where the first group stands there.
constexpr bool is_turn_of_plain(const virtual_time& time, std::int64_t first) { return time.plain <= first; }

constexpr void plain_started(virtual_time& time, std::int64_t first) {
    time.present = std::max(time.present, first);
    time.plain = first + 1;
}

// Where the group stands then.
constexpr std::int64_t group_started(virtual_time& time, std::int64_t turn) {
    time.present = std::max(time.present, turn);
    return turn + 1;
}

}  // namespace errand
