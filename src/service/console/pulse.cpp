#include "service/console/pulse.hpp"

#include <errand/error.hpp>

#include <boost/json/array.hpp>

#include <algorithm>
#include <optional>

namespace errand::console {
namespace {

constexpr duration between_points = std::chrono::seconds{10};
constexpr std::size_t kept = 360;  // an hour

struct sums {
    std::int64_t ended = 0;
    std::int64_t failed = 0;
    std::int64_t ready = 0;
};

awaitable<std::optional<sums>> sums_of(app& of) {
    sums all;
    try {
        for (const auto& one : co_await of.inspect().queues()) {
            all.ended += one.finished;
            all.failed += one.failed;
            all.ready += static_cast<std::int64_t>(one.count(state::ready));
        }
    } catch (const error&) {
        co_return std::nullopt;
    }
    co_return all;
}

}  // namespace

boost::json::object pulse::document() {
    if (!started_) {
        started_ = true;
        duties_.start(keep_counting());
    }
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
        points_.push_back(one);
        if (points_.size() > kept) points_.pop_front();
        before = now;
    }
}

}  // namespace errand::console
