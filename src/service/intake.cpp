#include "service/intake.hpp"

#include "core/attempt_rules.hpp"
#include "runtime/app_core.hpp"

#include <boost/asio/as_tuple.hpp>
#include <boost/asio/steady_timer.hpp>
#include <boost/asio/use_awaitable.hpp>

#include <spdlog/logger.h>

#include <chrono>
#include <exception>

namespace errand::web {
namespace {

void tell_unserved(const listener& from, const hub& of, const std::exception_ptr& why) noexcept {
    try {
        detail::core_of(of.app).log->warn("a connection to {} is not served: {}", to_text(from.at()),
                                          describe(why).message);
    } catch (const std::exception&) {  // nor is there the memory to say so
    }
}

// False: it was not begun, and its connection is closed.
bool begins(const listener& from, hub& of, const begin_serving& begin, stream_socket socket) {
    try {
        begin(std::move(socket));
        return true;
    } catch (...) {
        tell_unserved(from, of, std::current_exception());
    }
    return false;
}

}  // namespace

awaitable<void> take_in(listener& from, hub& of, begin_serving begin) {
    constexpr std::chrono::milliseconds until_it_is_over{100};
    auto& acceptor = from.acceptor();
    boost::asio::steady_timer pause{acceptor.get_executor()};
    while (!of.stopping) {
        if (of.connections.size() >= of.options.max_connections) {
            co_await of.changed.wait();
            continue;
        }
        auto [ec, socket] = co_await acceptor.async_accept(boost::asio::as_tuple(boost::asio::use_awaitable));
        if (!ec && begins(from, of, begin, std::move(socket))) continue;
        if (of.stopping) break;
        // Out of files, most likely: they come back when connections end.
        pause.expires_after(until_it_is_over);
        co_await pause.async_wait(boost::asio::as_tuple(boost::asio::use_awaitable));
    }
}

}  // namespace errand::web
