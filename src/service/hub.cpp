#include "service/hub.hpp"

#include <errand/proxy.hpp>

#include "core/attempt_rules.hpp"
#include "runtime/caller_loop.hpp"
#include "service/connection.hpp"

#include <boost/asio/as_tuple.hpp>
#include <boost/asio/co_spawn.hpp>
#include <boost/asio/detached.hpp>
#include <boost/asio/steady_timer.hpp>
#include <boost/asio/this_coro.hpp>
#include <boost/asio/use_awaitable.hpp>

#include <spdlog/logger.h>

#include <chrono>
#include <utility>

namespace errand::web {

namespace asio = boost::asio;

namespace {

constexpr std::chrono::milliseconds between_looks{250};

// Whatever says who is let in, as it stood at one time.
struct let_in_state {
    std::uint64_t tokens = 0;
    std::shared_ptr<const settings_book::records> records{};  // lmstfy's tokens are among them
    friend bool operator==(const let_in_state&, const let_in_state&) = default;
};

let_in_state state_of(hub& of) {
    return {.tokens = of.tokens ? of.tokens->version() : 0,
            .records = detail::core_of(of.app).overrides.others()};
}

// As long as somebody waits. While nothing changes nobody is looked at, however many they are.
awaitable<void> look_who_waits(std::weak_ptr<hub> of) {
    asio::steady_timer pause{co_await asio::this_coro::executor};
    let_in_state seen;
    bool failing = false;
    for (;;) {
        if (const auto there = of.lock(); there && there->waiting > 0 && !there->stopping) {
            try {
                auto now = state_of(*there);
                if (now != seen) {
                    for (auto* one : there->connections) one->check_leave();
                }
                seen = std::move(now);
                failing = false;
            } catch (...) {
                // Nobody looks after those who wait but this: it looks at all of them again.
                seen = {};
                if (!std::exchange(failing, true)) {
                    detail::core_of(there->app)
                        .log->warn("nobody knows whether those who wait may still do so: {}",
                                   describe(std::current_exception()).message);
                }
            }
        } else {
            if (there) there->looks_who_waits = false;
            co_return;
        }
        pause.expires_after(between_looks);
        co_await pause.async_wait(asio::as_tuple(asio::use_awaitable));
    }
}

}  // namespace

hub::hub(errand::app& of, const service_options& how, const asio::any_io_executor& executor)
    : app{of}, options{how}, loop{executor}, log{how.access_log}, changed{executor} {
    if (how.tokens_file.empty() && !how.stored_tokens) return;
    auto& core = detail::core_of(of);
    tokens.emplace(how.tokens_file, core, caller_loop(executor, core));
}

void hub::somebody_waits() {
    const bool asks = tokens || jobs;
    if (!asks || std::exchange(looks_who_waits, true)) return;
    asio::co_spawn(loop, look_who_waits(weak_from_this()), asio::detached);
}

}  // namespace errand::web
