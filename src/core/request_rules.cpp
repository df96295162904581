#include "core/request_rules.hpp"

namespace errand {
namespace {

std::int64_t window_of(const request_count& of) noexcept { return of.per.count() * 1000; }

}  // namespace

std::int64_t entry_width(const request_count& of) noexcept {
    if (of.most <= most_request_entries) return 1;
    return (window_of(of) + most_request_entries - 1) / most_request_entries;
}

bool is_over(const request_entry& one, const request_count& of, std::int64_t now) noexcept {
    return one.till <= now - window_of(of) || one.till - now > window_of(of);
}

request_answer count_request(std::span<const request_entry> kept, const request_count& of,
                             std::int64_t now) noexcept {
    std::int64_t counted = 0;
    for (const auto& one : kept) counted += one.times;
    if (counted < of.most) {
        const auto width = entry_width(of);
        return {.mark = (now / width + 1) * width - 1};
    }
    for (const auto& one : kept) {
        counted -= one.times;
        if (counted < of.most) return {.opens_in = one.till + window_of(of) - now};
    }
    return {.opens_in = window_of(of)};
}

}  // namespace errand
