#include "store/redis/socket_bytes.hpp"

#ifdef __linux__

// Not <netinet/tcp.h>, whose tcp_info ends before these counters: the two cannot be included together.
#include <cstddef>
#include <linux/sockios.h>
#include <linux/tcp.h>
#include <netinet/in.h>
#include <sys/ioctl.h>
#include <sys/socket.h>

namespace errand::redis {

std::optional<socket_bytes> bytes_of(int tcp_socket) {
    tcp_info info{};
    socklen_t size = sizeof info;
    if (getsockopt(tcp_socket, IPPROTO_TCP, TCP_INFO, &info, &size) != 0) return std::nullopt;
    if (size < offsetof(tcp_info, tcpi_bytes_received) + sizeof info.tcpi_bytes_received) return std::nullopt;
    int waiting = 0;
    if (ioctl(tcp_socket, SIOCOUTQ, &waiting) != 0) return std::nullopt;
    return socket_bytes{.in = info.tcpi_bytes_received,
                        .out = info.tcpi_bytes_acked,
                        .waiting = static_cast<std::uint64_t>(waiting)};
}

}  // namespace errand::redis

#else

namespace errand::redis {

std::optional<socket_bytes> bytes_of(int) { return std::nullopt; }

}  // namespace errand::redis

#endif
