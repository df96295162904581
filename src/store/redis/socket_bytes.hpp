// How many bytes have moved on a socket, as its system counts them.
#pragma once

#include <cstdint>
#include <optional>

namespace errand::redis {

struct socket_bytes {
    std::uint64_t in = 0;       // received
    std::uint64_t out = 0;      // sent, and acknowledged by the other side
    std::uint64_t waiting = 0;  // to be sent, or to be acknowledged
};

// Nothing where the system does not tell, or for another kind of socket.
std::optional<socket_bytes> bytes_of(int tcp_socket);

}  // namespace errand::redis
