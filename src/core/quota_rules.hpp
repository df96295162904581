// What a quota lets through of what is submitted: how many tasks, given how many are queued and what its bucket holds. Pure; the
// script quota_take.lua says the same.
#pragma once

#include <errand/quota.hpp>

#include <cstddef>
#include <cstdint>
#include <optional>

namespace errand {

// Throws usage_error, which names the member and its value.
void check_quota(const quota& rules);
// A length that is lowered (from `seen`) below what is queued. Throws usage_error.
void check_below_queued(const quota& rules, const quota& seen, std::int64_t queued);
bool is_nothing(const quota& rules) noexcept;

// The most that can ever be taken at once: the size of the bucket.
std::int64_t bucket_of(const rate_limit& rate) noexcept;

// A count of what is queued is good for so long.
inline constexpr std::int64_t quota_count_lasts = 100'000;  // us

struct quota_state {
    std::int64_t tokens = 0;   // millionths of a task
    std::int64_t filled = 0;   // when the bucket held them, us; 0: it was never used, and is full
    std::int64_t queued = 0;   // as counted, and taken since
    std::int64_t counted = 0;  // when, us; 0: never
};

struct quota_ask {
    std::int64_t count = 0;  // tasks
    bool whole = false;      // all of them or none
    std::optional<std::int64_t> max_queued{};
    std::optional<rate_limit> rate{};
    std::optional<std::int64_t> counted{};  // so many are queued, as was counted just now
};

struct quota_answer {
    enum class kept_by : std::uint8_t { nothing, count, queued, rate };
    std::int64_t admitted = 0;
    kept_by why = kept_by::nothing;  // count: nothing was taken; count what is queued and ask again
    std::int64_t queued = 0;
    std::int64_t opens_in = 0;  // us: not before can there be another answer
};

quota_answer take_quota(quota_state& state, const quota_ask& ask, std::int64_t now);

}  // namespace errand
