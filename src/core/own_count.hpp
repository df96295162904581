// Counts of one thread, which others may read while it goes on.
#pragma once

#include <errand/time.hpp>

#include "core/metric_text.hpp"

#include <algorithm>
#include <array>
#include <atomic>
#include <bit>
#include <cstddef>
#include <cstdint>

namespace errand {

// One thread adds to it, so that adding is no atomic step. Who reads it sees what that thread wrote before.
class own_count {
public:
    void add(std::uint64_t more) noexcept {
        value_.store(value_.load(std::memory_order_relaxed) + more, std::memory_order_release);
    }
    std::uint64_t get() const noexcept { return value_.load(std::memory_order_acquire); }

private:
    std::atomic<std::uint64_t> value_{0};
};

// Of lengths in whole milliseconds, in the buckets of `Bounds`.
template <const auto& Bounds>
class own_histogram {
public:
    void add(duration length) noexcept {
        const auto ms = static_cast<std::uint64_t>(std::max<duration::rep>(length.count(), 0));
        const std::size_t first = first_of[static_cast<std::size_t>(std::bit_width(ms))];
        counts_[first + (ms > ends[first] ? 1 : 0)].add(1);
        sum_ms_.add(ms);
    }
    histogram_cell read() const noexcept {
        auto all = read_counts();
        all.sum = static_cast<double>(sum_ms()) / 1000;
        return all;
    }
    // Without the sum, which who adds up several does better in whole milliseconds: those have no order in which they are added.
    histogram_cell read_counts() const noexcept {
        histogram_cell all;
        for (std::size_t at = 0; at < buckets; ++at) all.counts[at] = counts_[at].get();
        return all;
    }
    std::uint64_t sum_ms() const noexcept { return sum_ms_.get(); }

private:
    static constexpr std::size_t buckets = Bounds.size() + 1;
    // The longest that falls into each.
    static constexpr auto ends = [] {
        std::array<std::uint64_t, buckets> all{};
        for (std::size_t at = 0; at < Bounds.size(); ++at)
            all[at] = static_cast<std::uint64_t>(Bounds[at] * 1000 + 1e-6);
        all.back() = ~std::uint64_t{0};
        return all;
    }();
    // By how many bits a length has: where the shortest of those falls. The longest is in the same bucket or the next.
    static constexpr auto first_of = [] {
        std::array<unsigned char, 65> all{};
        for (std::size_t bits = 1; bits < all.size(); ++bits) {
            all[bits] = all[bits - 1];
            while ((std::uint64_t{1} << (bits - 1)) > ends[all[bits]]) ++all[bits];
        }
        return all;
    }();
    // Between a power of two and the next there is one of them at most.
    static constexpr bool bounds_are_apart = [] {
        for (std::size_t at = 1; at < Bounds.size(); ++at) {
            if (std::bit_width(ends[at - 1]) == std::bit_width(ends[at])) return false;
        }
        return true;
    }();
    static_assert(bounds_are_apart);

    std::array<own_count, buckets> counts_;
    own_count sum_ms_;
};

}  // namespace errand
