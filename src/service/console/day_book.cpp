#include "service/console/day_book.hpp"

#include <algorithm>
#include <utility>

namespace errand::console {

namespace {

constexpr int most_days = 400;  // as the store keeps
// Until then no day is over that was not looked at after its end.
constexpr std::chrono::hours looked_again_within{20};

void add(day_info& to, const day_info& more) {
    to.success += more.success;
    to.dead += more.dead;
    to.cancelled += more.cancelled;
    to.expired += more.expired;
    to.failed += more.failed;
}

std::int64_t ends_in(const day_info& of) { return of.success + of.dead + of.cancelled + of.expired; }

day_book::days sums_of(const std::vector<day_info>& all, const std::string& queue) {
    day_book::days sums;
    for (const auto& one : all) {
        if (queue.empty() || one.queue == queue) add(sums[one.day], one);
    }
    return sums;
}

}  // namespace

awaitable<day_book::days> day_book::of(std::string queue) {
    const auto now = std::chrono::steady_clock::now();
    const auto at = pages_.find(queue);
    const bool lately = at != pages_.end() && now - at->second.read_at < looked_again_within;
    // Before and after: what comes back between may have told nothing.
    const auto away_before = co_await app_.inspect().away();
    const auto all = co_await app_.inspect().history(lately ? 2 : most_days);
    const auto away_after = co_await app_.inspect().away();
    const auto read = sums_of(all, queue);
    const bool complete = away_before.empty() && away_after.empty();
    const auto before = pages_.find(queue);
    // Others have needed the room meanwhile.
    if (lately && before == pages_.end()) co_return co_await of(queue);
    days known;
    if (before != pages_.end() && (lately || !complete)) known = before->second.known;
    for (const auto& [day, sum] : read) {
        const auto [kept, fresh] = known.try_emplace(day, sum);
        if (!fresh && (complete || ends_in(sum) > ends_in(kept->second))) kept->second = sum;
    }
    while (known.size() > most_days) known.erase(known.begin());
    // What is missing now would be missing for as long as somebody looks.
    if (complete) keep(queue, {.known = known, .read_at = now});
    co_return known;
}

void day_book::keep(const std::string& queue, page read) {
    if (pages_.size() >= most_pages && !pages_.contains(queue)) {
        pages_.erase(std::ranges::min_element(pages_, {},
                                              [](const auto& one) { return one.second.read_at; }));
    }
    pages_[queue] = std::move(read);
}

}  // namespace errand::console
