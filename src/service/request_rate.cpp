#include "service/request_rate.hpp"

#include <errand/error.hpp>
#include <errand/proxy.hpp>

#include "core/length_words.hpp"
#include "runtime/caller_loop.hpp"
#include "service/hub.hpp"
#include "service/refusal.hpp"

#include <spdlog/logger.h>

#include <utility>

namespace errand::web {

awaitable<request_answer> count_request(hub& of, request_count what) {
    auto& core = detail::core_of(of.app);
    auto& home = caller_loop(of.loop, core);
    request_answer got;
    try {
        co_await home.ready();
        got = co_await home.tasks().count_request(std::move(what));
    } catch (const store_error& why) {
        // Once until one is counted again: else whoever asks fills the log.
        if (std::exchange(of.counts_requests, false)) {
            core.log->warn("requests with a rate are refused as long as they cannot be counted: {}",
                           why.what());
        }
        // Nothing of what it asks for has begun.
        auto uncounted = refusal_of(std::current_exception(), false);
        uncounted.logged = true;
        throw uncounted;
    }
    of.counts_requests = true;
    co_return got;
}

awaitable<void> take_back_request(hub& of, request_count what, std::int64_t mark) {
    auto& home = caller_loop(of.loop, detail::core_of(of.app));
    try {
        co_await home.tasks().take_back_request(std::move(what), mark);
    } catch (const store_error&) {
        // It counts as one that brought something.
    }
}

awaitable<void> admit_request(hub& of, request_count what) {
    const auto got = co_await count_request(of, what);
    if (got.mark != 0) co_return;
    refusal over{429, "rate_limited",
                 "this token's rate of requests is reached: " + std::to_string(what.most) + " in " +
                     length_in_words(what.per)};
    over.ask_again_after(std::chrono::ceil<duration>(std::chrono::microseconds{got.opens_in}));
    throw over;
}

}  // namespace errand::web
