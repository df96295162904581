// What the tests of `errand serve` ask it over TCP.
#pragma once

#include "cli/office.hpp"

#include <boost/json/parse.hpp>

#include <catch2/catch_test_macros.hpp>

#include <arpa/inet.h>
#include <netinet/in.h>
#include <string>
#include <sys/socket.h>
#include <unistd.h>

namespace cli_test {

using errand::test::cli_process;

// What the program's own port answers to these bytes; empty: nobody is there.
inline std::string answer_to(int port, const std::string& text) {
    const int one = ::socket(AF_INET, SOCK_STREAM, 0);
    sockaddr_in at{};
    at.sin_family = AF_INET;
    at.sin_port = htons(static_cast<std::uint16_t>(port));
    at.sin_addr.s_addr = htonl(INADDR_LOOPBACK);
    std::string got;
    if (::connect(one, reinterpret_cast<const sockaddr*>(&at), sizeof at) == 0) {
        ::send(one, text.data(), text.size(), MSG_NOSIGNAL);
        char part[4096];
        for (ssize_t n = 0; (n = ::recv(one, part, sizeof part, 0)) > 0;)
            got.append(part, static_cast<std::size_t>(n));
    }
    ::close(one);
    return got;
}

inline std::string ask(int port, const std::string& path, const std::string& headers = {}) {
    return answer_to(port, "GET " + path + " HTTP/1.1\r\nHost: localhost\r\nConnection: close\r\n" + headers +
                               "\r\n");
}

inline boost::json::value post(int port, const std::string& path, const std::string& body) {
    const auto got = answer_to(port, "POST " + path +
                                         " HTTP/1.1\r\nHost: localhost\r\nConnection: close\r\n"
                                         "Content-Type: application/json\r\nContent-Length: " +
                                         std::to_string(body.size()) + "\r\n\r\n" + body);
    INFO(got);
    const auto end = got.find("\r\n\r\n");
    REQUIRE(end != got.npos);
    return boost::json::parse(got.substr(end + 4));
}

// Once it says where it listens.
inline int port_of(const cli_process& server) {
    int port = 0;
    errand::test::eventually([&] {
        const auto said = server.said();
        const auto at = said.find("127.0.0.1:");
        if (said.find('\n') == said.npos || at == said.npos) return false;
        port = std::stoi(said.substr(at + 10));
        return true;
    });
    return port;
}

}  // namespace cli_test
