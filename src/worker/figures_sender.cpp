#include "worker/figures_sender.hpp"

#include <boost/asio/co_spawn.hpp>
#include <boost/asio/use_awaitable.hpp>

#include <exception>
#include <utility>

namespace errand {

namespace asio = boost::asio;

namespace {

awaitable<figures_by_handler> taken_from(station& there) { co_return there.runs().take_figures(); }

}  // namespace

// The first round comes while the threads are not there yet: nothing has ended, and nobody would answer if the start failed.
awaitable<std::size_t> figures_sender::pass() {
    if (std::exchange(first_, false)) co_return 0;
    co_return co_await send();
}

// What the store does not take is sent with the next round.
awaitable<std::size_t> figures_sender::send() {
    for (auto* one : stations_) {
        const auto some =
            co_await asio::co_spawn(one->home().executor(), taken_from(*one), asio::use_awaitable);
        for (const auto& [handler, figures] : some) unsent_[handler].merge(figures);
    }
    for (const auto& [handler, figures] : recovers_.take_figures()) unsent_[handler].merge(figures);
    // Another round may begin before this one has ended.
    const auto sending = std::exchange(unsent_, {});
    const auto counts = counts_of(sending);
    if (counts.empty()) co_return 0;
    std::exception_ptr failure;
    try {
        co_await in_.add_figures(counts);
    } catch (...) {
        failure = std::current_exception();
    }
    if (failure) {
        for (const auto& [handler, figures] : sending) unsent_[handler].merge(figures);
        std::rethrow_exception(failure);
    }
    co_return counts.size();
}

}  // namespace errand
