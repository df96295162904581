#include "client/inspect_rules.hpp"

#include "core/iso_time.hpp"

#include <algorithm>
#include <iterator>

namespace errand {
namespace {

queue_totals of(const totals& all, const std::string& queue) {
    const auto at = all.find(queue);
    return at == all.end() ? queue_totals{} : at->second;
}

std::int64_t ends(const queue_totals& one) { return one.success + one.dead + one.cancelled + one.expired; }

// Counters begin anew when a store lost its data.
std::int64_t grown(std::int64_t from, std::int64_t to) { return std::max<std::int64_t>(to - from, 0); }

void add_day(std::vector<day_info>& to, std::int64_t day, const totals& before, const totals& after) {
    for (const auto& [queue, now] : after) {
        const auto then = of(before, queue);
        day_info one{.day = iso_date_text(std::chrono::sys_days{std::chrono::days{day}}), .queue = queue};
        one.success = grown(then.success, now.success);
        one.dead = grown(then.dead, now.dead);
        one.cancelled = grown(then.cancelled, now.cancelled);
        one.expired = grown(then.expired, now.expired);
        one.failed = grown(then.failed, now.failed);
        if (one.success + one.dead + one.cancelled + one.expired + one.failed > 0)
            to.push_back(std::move(one));
    }
}

}  // namespace

queue_rates rates_of(const totals_answer& happened, const std::string& queue) {
    const auto now_ms = happened.now.time_since_epoch().count();
    const auto first = happened.at_minute.lower_bound(now_ms / 60'000 - minutes_back);
    if (first == happened.at_minute.end()) return {};
    // A tally is made at the first sign of life in its minute, so about at its beginning.
    const auto seconds =
        static_cast<double>(std::max<std::int64_t>(now_ms - first->first * 60'000, 1000)) / 1000;
    const auto then = of(first->second, queue);
    const auto now = of(happened.so_far, queue);
    return {static_cast<double>(grown(ends(then), ends(now))) / seconds,
            static_cast<double>(grown(then.failed, now.failed)) / seconds};
}

queue_sums sums_of(const totals_answer& happened, const std::string& queue) {
    const auto so_far = of(happened.so_far, queue);
    return {ends(so_far), so_far.failed, so_far};
}

std::vector<day_info> days_of(const totals_answer& happened, int days) {
    const auto today = happened.now.time_since_epoch().count() / 86'400'000;
    std::vector<day_info> all;
    for (auto day = today; day > today - days; --day) {
        const auto next = happened.at_day.lower_bound(day);
        const totals before = next == happened.at_day.begin() ? totals{} : std::prev(next)->second;
        if (day == today) {
            add_day(all, day, before, happened.so_far);
        } else if (const auto at = happened.at_day.find(day); at != happened.at_day.end()) {
            add_day(all, day, before, at->second);
        }
    }
    return all;
}

}  // namespace errand
