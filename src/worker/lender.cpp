#include "worker/lender.hpp"

#include "core/pace.hpp"
#include "core/random.hpp"

namespace errand {
namespace {

constexpr duration between_looks{1'000};
// One shard has all there is.
constexpr duration for_ever = std::chrono::hours{24};
// What a shard was told to give up it has mostly given up by then.
constexpr duration between_steps{50};

}  // namespace

bool lender::may_be_shared() {
    if (app().overrides.any_limits()) return true;
    const auto quota = app().overrides.quota_rules();
    return quota && quota->max_running;
}

awaitable<std::size_t> lender::pass() {
    const bool any = may_be_shared();
    if (in_.shards() == 1 || (!any && settled_)) {
        found_ = limits_balance::even;
        co_return 0;
    }
    // Also when the last of them is cleared, all shards are to hear of it: whoever looks then does not wait for another to do it.
    const std::string_view who = any ? std::string_view{in_.name()} : std::string_view{};
    found_ = co_await in_.balance_limits(who);
    settled_ = !any && found_ == limits_balance::even;
    co_return found_ == limits_balance::changing ? 1 : 0;
}

duration lender::pause() {
    if (in_.shards() == 1) return for_ever;
    if (found_ == limits_balance::changing) return between_steps;
    if (found_ != limits_balance::elsewhere) return between_looks;
    return offer_interval(shared_.alive.load(), random_unit());
}

}  // namespace errand
