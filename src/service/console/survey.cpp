#include "service/console/survey.hpp"

#include <errand/proxy.hpp>

#include "runtime/app_core.hpp"

#include <algorithm>

namespace errand::console {

namespace {

constexpr int rest_for_work = 250;
constexpr std::chrono::steady_clock::duration longest_rest = std::chrono::seconds{30};
constexpr std::chrono::steady_clock::duration moment = std::chrono::seconds{1};

look_cost cost_of(const whole_look& seen) {
    look_cost cost;
    cost.queues(seen.queues.size());
    cost.workers(seen.workers.size());
    for (const auto& one : seen.workers) cost.running(one.running.size());
    return cost;
}

}  // namespace

std::chrono::steady_clock::duration look_cost::rest() const noexcept {
    const std::chrono::steady_clock::duration rest = of_store_ * rest_for_work;
    return rest < moment ? std::chrono::steady_clock::duration::zero() : std::min(rest, longest_rest);
}

awaitable<std::shared_ptr<const whole_look>> survey::see(look_cost& cost) {
    auto& core = detail::core_of(app_);
    std::shared_ptr<const whole_look> seen;
    if (rests_) {
        seen = co_await looks_.see([&core] { return look_at_whole(core); });
    } else {
        const auto before = looks_.forgotten();
        auto now = co_await look_at_whole(core);
        seen = std::make_shared<const whole_look>(std::move(now));
        // The next ones have it, should it turn out to be much work.
        looks_.keep(seen, before);
    }
    cost = cost_of(*seen);
    queues_ = seen->queues.size();
    looks_.hold_for(cost.rest());
    rests_ = cost.rest() > std::chrono::steady_clock::duration::zero();
    co_return seen;
}

}  // namespace errand::console
