#include "worker/outbox_relay.hpp"

#include "core/pace.hpp"
#include "core/random.hpp"
#include "worker/announce.hpp"

#include <algorithm>

namespace errand {

namespace {
constexpr duration longest_pause = std::chrono::seconds{60};
constexpr std::chrono::minutes cleans_every{5};
}  // namespace

awaitable<std::size_t> outbox_relay::pass() {
    std::size_t done = 0;
    std::exception_ptr failure;
    std::string of;
    const bool cleans = std::chrono::steady_clock::now() >= clean_at_;
    if (cleans) clean_at_ = std::chrono::steady_clock::now() + cleans_every;
    for (const auto& one : app().outboxes()) {
        try {
            done += co_await one->deliver_left_behind();
            if (cleans) co_await clean(*one);
        } catch (...) {
            failure = std::current_exception();
            of = one->shown_url();
        }
    }
    // Said once for all passes that fail alike.
    if (failure && failures_ == 0) announce_failure(app(), "delivering from the outbox of " + of, failure);
    failures_ = failure ? failures_ + 1 : 0;
    co_return done;
}

awaitable<void> outbox_relay::clean(outbox_port& in) {
    while (co_await in.clean_effects() > 0) {
    }
}

duration outbox_relay::pause() {
    const auto look = look_interval(shared_.alive.load(), random_unit());
    if (failures_ == 0) return look;
    return std::min(look * (1 << std::min(failures_, 5)), longest_pause);
}

}  // namespace errand
