#include "worker/lender.hpp"

namespace errand {
namespace {

constexpr duration between_looks{1'000};
// What a shard was told to give up it has mostly given up by then.
constexpr duration between_steps{50};

}  // namespace

awaitable<std::size_t> lender::pass() {
    const bool any = app().overrides.any_limits();
    changing_ = false;
    if (in_.shards() == 1 || (!any && settled_)) co_return 0;
    // Also when the last of them is cleared, all shards are to hear of it: whoever looks then does not wait for another to do it.
    const std::string_view who = any ? std::string_view{in_.name()} : std::string_view{};
    const auto now = co_await in_.balance_limits(who);
    settled_ = !any && now == limits_balance::even;
    changing_ = now == limits_balance::changing;
    co_return changing_ ? 1 : 0;
}

duration lender::pause() { return changing_ ? between_steps : between_looks; }

}  // namespace errand
