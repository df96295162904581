#include "service/console/pulse.hpp"

#include <errand/error.hpp>

#include <boost/json/array.hpp>

#include <algorithm>
#include <map>
#include <memory>
#include <utility>

namespace errand::console {
namespace {

constexpr duration between_points = std::chrono::seconds{10};
constexpr std::size_t points_kept = 360;  // an hour
constexpr std::size_t points_per_minute = 6;
constexpr std::size_t most_queues = 300;
constexpr std::size_t minutes_kept = 30;

struct sums {
    std::int64_t ended = 0;
    std::int64_t failed = 0;
    std::int64_t ready = 0;
};

sums sums_of(const whole_look& seen) {
    sums all;
    for (const auto& one : seen.queues) {
        all.ended += one.finished;
        all.failed += one.failed;
        all.ready += static_cast<std::int64_t>(one.count(state::ready));
    }
    return all;
}

// Null: the store is away.
awaitable<std::shared_ptr<const whole_look>> seen_by(survey& of) {
    look_cost cost;
    try {
        co_return co_await of.see(cost);
    } catch (const error&) {
        co_return nullptr;
    }
}

// What one of so many points has of what happened in all of them.
std::int64_t share_of(std::int64_t whole, std::size_t at, std::size_t points) {
    const auto until = [&](std::size_t point) {
        return whole * static_cast<std::int64_t>(point) / static_cast<std::int64_t>(points);
    };
    return std::max<std::int64_t>(until(at + 1) - until(at), 0);
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
void pulse::add_minute(const whole_look& seen) {
    std::map<std::string, std::int64_t> now;
    for (const auto& one : seen.queues) {
        if (now.size() < most_queues) now[one.name] = static_cast<std::int64_t>(one.count(state::ready));
    }
    std::erase_if(ready_, [&](const auto& one) { return !now.contains(one.first); });
    for (const auto& [queue, count] : now) {
        auto& points = ready_[queue];
        points.push_back(count);
        if (points.size() > minutes_kept) points.pop_front();
    }
}

void pulse::add_points(std::size_t count, const whole_look* before, const whole_look* now) {
    const auto then = before ? sums_of(*before) : sums{};
    const auto since = now ? sums_of(*now) : sums{};
    for (std::size_t i = 0; i < count; ++i) {
        point one{.known = before && now};
        if (one.known) {
            one.ended = share_of(since.ended - then.ended, i, count);
            one.failed = share_of(since.failed - then.failed, i, count);
            one.ready = since.ready;
        }
        points_.push_back(one);
        if (points_.size() > points_kept) points_.pop_front();
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
    auto before = co_await seen_by(whole_);
    if (before) add_minute(*before);
    std::size_t looks = 0;
    std::size_t waiting = 0;  // points of which nothing is known yet
    while (!duties_.stopping()) {
        co_await duties_.pause(between_points);
        if (duties_.stopping()) break;
        auto now = co_await seen_by(whole_);
        ++waiting;
        // The store rests for longer than a point takes: what happened meanwhile is shared out when it is seen.
        if (now && now == before) continue;
        add_points(waiting, before.get(), now.get());
        const auto minutes = looks / points_per_minute;
        looks += waiting;
        if (now && looks / points_per_minute > minutes) add_minute(*now);
        waiting = 0;
        before = std::move(now);
    }
}

}  // namespace errand::console
