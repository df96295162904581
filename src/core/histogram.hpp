// How often something took how long, in a fixed number of buckets: of each doubling of time there are four, so that a value is
// known to a quarter. Two are added bucket by bucket. Pure.
#pragma once

#include <algorithm>
#include <array>
#include <bit>
#include <chrono>
#include <cstddef>
#include <cstdint>

namespace errand {

class histogram {
public:
    using time = std::chrono::microseconds;

    // The last one is of all that takes longer than the others say, which is about 100 days.
    static constexpr std::size_t buckets = 168;

    static constexpr std::size_t bucket_of(time length) noexcept {
        const auto value = static_cast<std::uint64_t>(std::max<time::rep>(length.count(), 0));
        if (value < 4) return static_cast<std::size_t>(value);
        const auto doubling = static_cast<std::size_t>(std::bit_width(value)) - 1;
        const auto quarter = static_cast<std::size_t>(value >> (doubling - 2)) & 3U;
        return std::min((doubling - 1) * 4 + quarter, buckets - 1);
    }
    // The longest that falls into it.
    static constexpr time end_of(std::size_t bucket) noexcept {
        if (bucket < 4) return time{static_cast<time::rep>(bucket)};
        const auto doubling = bucket / 4 + 1;
        const auto quarter = bucket % 4;
        return time{static_cast<time::rep>(((4 + quarter + 1) << (doubling - 2)) - 1)};
    }

    void add(time length) noexcept { add(bucket_of(length), 1); }
    // A bucket beyond the last one counts as the last.
    void add(std::size_t bucket, std::int64_t times) noexcept {
        counts_[std::min(bucket, buckets - 1)] += times;
        count_ += times;
    }
    void merge(const histogram& other) noexcept {
        for (std::size_t at = 0; at < buckets; ++at) counts_[at] += other.counts_[at];
        count_ += other.count_;
    }

    std::int64_t count() const noexcept { return count_; }
    std::int64_t in(std::size_t bucket) const noexcept { return counts_[bucket]; }

    // So many of a thousand took no longer; of none: 0.
    time percentile(std::int64_t thousandths) const noexcept {
        // The one that stands there when all are in order, counted from 1.
        const auto rank = std::max<std::int64_t>((count_ * thousandths + 999) / 1000, 1);
        std::int64_t seen = 0;
        for (std::size_t at = 0; at < buckets; ++at) {
            seen += counts_[at];
            if (seen >= rank) return end_of(at);
        }
        return time{0};
    }

private:
    std::array<std::int64_t, buckets> counts_{};
    std::int64_t count_ = 0;
};

}  // namespace errand
