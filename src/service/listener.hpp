// Sockets that listen: TCP and unix ones alike.
#pragma once

#include "service/endpoint.hpp"

#include <boost/asio/any_io_executor.hpp>
#include <boost/asio/basic_socket_acceptor.hpp>
#include <boost/asio/generic/stream_protocol.hpp>

#include <string>

namespace errand::web {

using stream_socket = boost::asio::generic::stream_protocol::socket;

class listener {
public:
    // Listens from now on. Throws usage_error saying why it cannot. A unix socket that nobody listens on any more is replaced,
    // and only its owner and group may use the new one.
    listener(const boost::asio::any_io_executor& executor, endpoint at);
    ~listener();
    listener(const listener&) = delete;
    listener& operator=(const listener&) = delete;

    // With the port that it has.
    const endpoint& at() const noexcept { return at_; }
    boost::asio::basic_socket_acceptor<boost::asio::generic::stream_protocol>& acceptor() noexcept {
        return acceptor_;
    }
    // Accepts no more; what waits in async_accept is aborted. A unix socket that was made here leaves the file system.
    void close() noexcept;

private:
    void open();

    endpoint at_;
    boost::asio::basic_socket_acceptor<boost::asio::generic::stream_protocol> acceptor_;
};

// An endpoint as it was read; of a socket that is inherited with what it says of itself. Throws usage_error when it is none that listens.
endpoint known_endpoint(endpoint read);

// The addresses of the two ends; empty for a unix socket, and when it is closed.
std::string peer_address(const stream_socket& of);
std::string own_address(const stream_socket& of);

}  // namespace errand::web
