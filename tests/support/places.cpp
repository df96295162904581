#include "support/places.hpp"

#include <cstdint>
#include <cstdlib>
#include <netinet/in.h>
#include <random>
#include <stdexcept>
#include <sys/socket.h>
#include <unistd.h>

namespace errand::test {

std::filesystem::path temporary_folder(const std::string& name) {
    auto pattern = (std::filesystem::temp_directory_path() / ("errand-" + name + "-XXXXXX")).string();
    if (!mkdtemp(pattern.data())) throw std::runtime_error{"no temporary folder"};
    return pattern;
}

// Below those that the system gives to connections: one of them could take the port before its server does, or while that is down.
int free_port() {
    constexpr unsigned lowest = 16'000, count = 16'000;
    std::random_device random;
    for (;;) {
        const int fd = socket(AF_INET, SOCK_STREAM, 0);
        sockaddr_in at{};
        at.sin_family = AF_INET;
        at.sin_addr.s_addr = htonl(INADDR_LOOPBACK);
        at.sin_port = htons(static_cast<std::uint16_t>(lowest + random() % count));
        const bool free = bind(fd, reinterpret_cast<sockaddr*>(&at), sizeof at) == 0;
        close(fd);
        if (free) return ntohs(at.sin_port);
    }
}

}  // namespace errand::test
