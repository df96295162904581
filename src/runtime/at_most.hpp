// Awaiting for at most so long: in real time, and where the clock is moved by hand until it is moved past that.
#pragma once

#include <errand/awaitable.hpp>
#include <errand/time.hpp>

#include "runtime/manual_time.hpp"

#include <boost/asio/bind_cancellation_slot.hpp>
#include <boost/asio/cancel_after.hpp>
#include <boost/asio/cancellation_signal.hpp>
#include <boost/asio/co_spawn.hpp>
#include <boost/asio/this_coro.hpp>
#include <boost/asio/use_awaitable.hpp>

#include <memory>

namespace errand {

namespace detail {

// Cancelled by the caller, by the timer, or by the clock, which is noted.
template <class T>
awaitable<T> at_most_manual(boost::asio::any_io_executor executor, awaitable<T> work, duration length,
                            bool* moved_past) {
    namespace asio = boost::asio;
    const auto stop = std::make_shared<asio::cancellation_signal>();
    const auto state = co_await asio::this_coro::cancellation_state;
    auto slot = state.slot();
    if (slot.is_connected()) slot.assign([stop](asio::cancellation_type how) { stop->emit(how); });
    const manual_wait moved{length, [stop, moved_past] {
                                if (moved_past) *moved_past = true;
                                stop->emit(asio::cancellation_type::terminal);
                            }};
    co_return co_await asio::co_spawn(
        executor, std::move(work),
        asio::cancel_after(length, asio::bind_cancellation_slot(stop->slot(), asio::use_awaitable)));
}

}  // namespace detail

// Cancels `work` when its time is over; how that ends is how it ends. `moved_past` is set when the clock was moved so far.
template <class T>
awaitable<T> at_most(boost::asio::any_io_executor executor, awaitable<T> work, duration length,
                     bool* moved_past = nullptr) {
    namespace asio = boost::asio;
    if (time_is_manual())
        return detail::at_most_manual(std::move(executor), std::move(work), length, moved_past);
    return asio::co_spawn(executor, std::move(work), asio::cancel_after(length, asio::use_awaitable));
}

}  // namespace errand
