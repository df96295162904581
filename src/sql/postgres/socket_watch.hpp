// Waiting for a socket that libpq reads, writes and closes itself: a descriptor of its own for the same socket, so that
// neither closes what the other uses.
#pragma once

#include <errand/awaitable.hpp>

#include <boost/asio/any_io_executor.hpp>
#include <boost/asio/posix/stream_descriptor.hpp>

#include <chrono>

namespace errand::postgres {

class socket_watch {
public:
    explicit socket_watch(const boost::asio::any_io_executor& on) : descriptor_{on} {}

    // From here on it watches this socket. Throws store_error when the process has no descriptor left.
    void watch(int socket);

    // Waits on this executor from now on; nobody waits meanwhile. Throws store_error when it cannot, and watches nothing then.
    void move_to(const boost::asio::any_io_executor& on);

    // Each throws system_error, operation_aborted, when the coroutine was cancelled.
    awaitable<void> readable();
    awaitable<void> writable();
    // False when the time came first.
    awaitable<bool> ready(bool to_read, std::chrono::steady_clock::time_point until);

private:
    boost::asio::posix::stream_descriptor descriptor_;
};

}  // namespace errand::postgres
