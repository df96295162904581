// How many requests that go by one name are let through: never more than so many in any time that is so long, wherever it begins.
// Pure; the script requests.lua says the same.
#pragma once

#include <errand/time.hpp>

#include <cstdint>
#include <span>
#include <string>

namespace errand {

// Those that go by this name, by whomever.
struct request_count {
    std::string name;
    std::int64_t most = 1;  // at least 1
    duration per{1000};     // in any such time
};

// Requests of a short time count until the last of it is over, so that what is kept stays small.
struct request_entry {
    std::int64_t till = 0;  // the last us of that time
    std::int64_t times = 0;
};

struct request_answer {
    std::int64_t mark = 0;      // by which it is taken back; 0: it is one too many, and not counted
    std::int64_t opens_in = 0;  // us: not before is there room for another one, unless some are taken back
};

// How long the times of its entries are, us. As many as fit into this many entries have one each, to the us.
inline constexpr std::int64_t most_request_entries = 128;
std::int64_t entry_width(const request_count& of) noexcept;

// Whether an entry says nothing any more; with `now`, us, also one of a clock that was set back by more than that time.
bool is_over(const request_entry& one, const request_count& of, std::int64_t now) noexcept;

// Whether one more may be let through now. `kept`: by their times, none of which is over; the caller adds one to the entry that
// ends with the mark.
request_answer count_request(std::span<const request_entry> kept, const request_count& of,
                             std::int64_t now) noexcept;

}  // namespace errand
