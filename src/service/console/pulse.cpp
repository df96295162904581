#include "service/console/pulse.hpp"

#include <errand/error.hpp>

#include <boost/json/array.hpp>

#include <algorithm>
#include <map>
#include <optional>
#include <utility>

namespace errand::console {
namespace {

constexpr duration between_points = std::chrono::seconds{10};
constexpr std::size_t kept = 360;  // an hour
constexpr std::size_t points_per_minute = 6;
constexpr std::size_t most_queues = 300;
constexpr std::size_t minutes_kept = 30;

struct sums {
    std::int64_t ended = 0;
    std::int64_t failed = 0;
    std::int64_t ready = 0;
    std::map<std::string, std::int64_t> by_queue{};
};

awaitable<std::optional<sums>> sums_of(app& of) {
    sums all;
    try {
        for (const auto& one : co_await of.inspect().queues()) {
            all.ended += one.finished;
            all.failed += one.failed;
            const auto ready = static_cast<std::int64_t>(one.count(state::ready));
            all.ready += ready;
            if (all.by_queue.size() < most_queues) all.by_queue[one.name] = ready;
        }
    } catch (const error&) {
        co_return std::nullopt;
    }
    co_return all;
}

}  // namespace

void pulse::begin() {
    if (std::exchange(started_, true)) return;
    duties_.start(keep_counting());
}

boost::json::array pulse::ready_lately(const std::string& queue) {
    begin();
    const auto at = ready_.find(queue);
    if (at == ready_.end()) return {};
    return boost::json::array(at->second.begin(), at->second.end());
}

// A queue that is not there any more goes.
void pulse::add_minute(const std::map<std::string, std::int64_t>& ready) {
    std::erase_if(ready_, [&](const auto& one) { return !ready.contains(one.first); });
    for (const auto& [queue, count] : ready) {
        auto& points = ready_[queue];
        points.push_back(count);
        if (points.size() > minutes_kept) points.pop_front();
    }
}

boost::json::object pulse::document() {
    begin();
    boost::json::array points;
    for (const auto& one : points_) {
        if (one.known) {
            points.push_back(boost::json::array{one.ended, one.failed, one.ready});
        } else {
            points.emplace_back(nullptr);
        }
    }
    return {{"each_ms", between_points.count()}, {"points", std::move(points)}};
}

awaitable<void> pulse::keep_counting() {
    auto before = co_await sums_of(app_);
    if (before) add_minute(before->by_queue);
    std::size_t looks = 0;
    while (!duties_.stopping()) {
        co_await duties_.pause(between_points);
        if (duties_.stopping()) break;
        const auto now = co_await sums_of(app_);
        point one{.known = before && now};
        if (before && now) {
            one.ended = std::max<std::int64_t>(now->ended - before->ended, 0);
            one.failed = std::max<std::int64_t>(now->failed - before->failed, 0);
            one.ready = now->ready;
        }
        if (now && ++looks % points_per_minute == 0) add_minute(now->by_queue);
        points_.push_back(one);
        if (points_.size() > kept) points_.pop_front();
        before = now;
    }
}

}  // namespace errand::console
