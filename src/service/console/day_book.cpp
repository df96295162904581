#include "service/console/day_book.hpp"

namespace errand::console {

namespace {

constexpr int most_days = 400;  // as the store keeps
constexpr std::size_t most_pages = 20;
// Until then no day is over that was not looked at after its end.
constexpr std::chrono::hours looked_again_within{20};

void add(day_info& to, const day_info& more) {
    to.success += more.success;
    to.dead += more.dead;
    to.cancelled += more.cancelled;
    to.expired += more.expired;
    to.failed += more.failed;
}

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
    const auto all = co_await app_.inspect().history(lately ? 2 : most_days);
    auto read = sums_of(all, queue);
    days known;
    if (!lately) {
        // What is missing now would be missing for as long as somebody looks.
        const auto away = co_await app_.inspect().away();
        if (!away.empty()) co_return read;
    } else {
        const auto before = pages_.find(queue);
        // Others have needed the room meanwhile.
        if (before == pages_.end()) co_return co_await of(queue);
        known = before->second.known;
    }
    for (auto& [day, sum] : read) known[day] = std::move(sum);
    while (known.size() > most_days) known.erase(known.begin());
    if (pages_.size() >= most_pages && !pages_.contains(queue)) pages_.clear();
    pages_[queue] = {.known = known, .read_at = now};
    co_return known;
}

}  // namespace errand::console
