#include "sql/postgres/socket_watch.hpp"

#include <errand/error.hpp>

#include <boost/asio/as_tuple.hpp>
#include <boost/asio/cancel_at.hpp>
#include <boost/asio/error.hpp>
#include <boost/asio/use_awaitable.hpp>
#include <boost/system/system_error.hpp>

#include <cerrno>
#include <cstring>
#include <fcntl.h>
#include <unistd.h>

namespace errand::postgres {
namespace {

namespace asio = boost::asio;
using asio::posix::descriptor_base;

constexpr auto token = asio::as_tuple(asio::use_awaitable);

}  // namespace

void socket_watch::watch(int socket) {
    boost::system::error_code ignored;
    descriptor_.close(ignored);
    const int own = fcntl(socket, F_DUPFD_CLOEXEC, 0);
    if (own < 0)
        throw store_error{std::string{"no descriptor for a database's socket: "} + std::strerror(errno)};
    descriptor_.assign(own);
}

void socket_watch::move_to(const asio::any_io_executor& on) {
    const int own = descriptor_.release();
    descriptor_ = asio::posix::stream_descriptor{on};
    boost::system::error_code failed;
    descriptor_.assign(own, failed);
    if (!failed) return;
    close(own);
    throw store_error{"a database's socket cannot be watched: " + failed.message()};
}

// Any other error of the socket is libpq's to find out, when it reads or writes.
awaitable<void> socket_watch::readable() {
    const auto [failed] = co_await descriptor_.async_wait(descriptor_base::wait_read, token);
    if (failed == asio::error::operation_aborted)
        throw boost::system::system_error{boost::asio::error::operation_aborted};
}

awaitable<void> socket_watch::writable() {
    const auto [failed] = co_await descriptor_.async_wait(descriptor_base::wait_write, token);
    if (failed == asio::error::operation_aborted)
        throw boost::system::system_error{boost::asio::error::operation_aborted};
}

awaitable<bool> socket_watch::ready(bool to_read, std::chrono::steady_clock::time_point until) {
    const auto what = to_read ? descriptor_base::wait_read : descriptor_base::wait_write;
    const auto [failed] = co_await descriptor_.async_wait(what, asio::cancel_at(until, token));
    if (failed != asio::error::operation_aborted) co_return true;
    if (std::chrono::steady_clock::now() < until)
        throw boost::system::system_error{boost::asio::error::operation_aborted};
    co_return false;
}

}  // namespace errand::postgres
