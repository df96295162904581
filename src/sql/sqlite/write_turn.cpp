#include "sql/sqlite/write_turn.hpp"

#include <boost/asio/as_tuple.hpp>
#include <boost/asio/error.hpp>
#include <boost/asio/use_awaitable.hpp>
#include <boost/system/system_error.hpp>

namespace errand::sqlite {

namespace asio = boost::asio;

awaitable<bool> write_turn::take(std::chrono::steady_clock::time_point until) {
    if (!taken_) {
        taken_ = true;
        co_return true;
    }
    waiting self{asio::steady_timer{on_, until}};
    line_.push_back(&self);
    struct in_line {
        write_turn& of;
        waiting& self;
        ~in_line() { of.line_.remove(&self); }
    } place{*this, self};
    const auto [failed] = co_await self.timer.async_wait(asio::as_tuple(asio::use_awaitable));
    // A turn that was given is taken, whatever else happened: who is cancelled leaves it again.
    if (self.granted) co_return true;
    if (failed) throw boost::system::system_error{asio::error::operation_aborted};
    co_return false;
}

void write_turn::leave() {
    if (line_.empty()) {
        taken_ = false;
        return;
    }
    auto& next = *line_.front();
    line_.pop_front();
    next.granted = true;
    next.timer.cancel();
}

}  // namespace errand::sqlite
