#include "client.hpp"

#include "common/measure.hpp"

#include <arpa/inet.h>
#include <charconv>
#include <cstring>
#include <netinet/in.h>
#include <netinet/tcp.h>
#include <sys/socket.h>
#include <unistd.h>

namespace http_load {

namespace {

void require(bool holds, const char* what) {
    if (!holds) bench::fail(std::string{what} + ": " + std::strerror(errno));
}

std::size_t number_at(std::string_view text) {
    std::size_t value = 0;
    if (std::from_chars(text.data(), text.data() + text.size(), value).ec != std::errc{})
        bench::fail("no number at " + std::string{text.substr(0, 40)});
    return value;
}

}  // namespace

connection::connection(std::uint16_t port, std::size_t place)
    : socket_{::socket(AF_INET, SOCK_STREAM | SOCK_CLOEXEC, 0)}, place_{place} {
    require(socket_ >= 0, "socket");
    sockaddr_in at{};
    at.sin_family = AF_INET;
    at.sin_port = htons(port);
    at.sin_addr.s_addr = htonl(INADDR_LOOPBACK);
    const int yes = 1;
    if (::connect(socket_, reinterpret_cast<const sockaddr*>(&at), sizeof at) != 0 ||
        ::setsockopt(socket_, IPPROTO_TCP, TCP_NODELAY, &yes, sizeof yes) != 0) {
        const int why = errno;
        ::close(socket_);
        bench::fail("connect to port " + std::to_string(port) + ": " + std::strerror(why));
    }
}

connection::~connection() { ::close(socket_); }

void connection::send(std::string_view request) {
    while (!request.empty()) {
        const auto sent = ::send(socket_, request.data(), request.size(), MSG_NOSIGNAL);
        require(sent > 0, "send");
        request.remove_prefix(static_cast<std::size_t>(sent));
    }
}

void connection::receive() {
    static std::array<char, std::size_t{256} * 1024> chunk;
    const auto size = ::recv(socket_, chunk.data(), chunk.size(), 0);
    if (size == 0) bench::fail("the service has closed a connection");
    require(size > 0, "recv");
    input_.erase(0, parsed_);
    parsed_ = 0;
    input_.append(chunk.data(), static_cast<std::size_t>(size));
}

std::optional<answer> connection::next() {
    constexpr std::string_view status_line = "HTTP/1.1 ";
    constexpr std::string_view length_header = "\r\nContent-Length: ";
    constexpr std::string_view end_of_head = "\r\n\r\n";
    const auto text = std::string_view{input_}.substr(parsed_);
    const auto end = text.find(end_of_head);
    if (end == text.npos) return std::nullopt;
    if (!text.starts_with(status_line))
        bench::fail("no answer of HTTP/1.1: " + std::string{text.substr(0, 40)});
    const auto head = text.substr(0, end);
    answer got{.status = static_cast<int>(number_at(head.substr(status_line.size()))), .body = {}};
    const auto length = head.find(length_header);
    const auto size = length == head.npos ? 0 : number_at(head.substr(length + length_header.size()));
    const auto from = end + end_of_head.size();
    if (text.size() - from < size) return std::nullopt;
    got.body = text.substr(from, size);
    parsed_ += from + size;
    return got;
}

answer connection::ask(std::string_view request) {
    send(request);
    for (;;) {
        receive();
        if (const auto got = next()) return *got;
    }
}

connections::connections(std::uint16_t port, std::size_t count) : epoll_{::epoll_create1(EPOLL_CLOEXEC)} {
    require(epoll_ >= 0, "epoll_create1");
    for (std::size_t at = 0; at < count; ++at) add(port);
}

connections::~connections() { ::close(epoll_); }

connection& connections::add(std::uint16_t port) {
    auto& one = all_.emplace_back(port, all_.size());
    epoll_event event{};
    event.events = EPOLLIN;
    event.data.ptr = &one;
    require(::epoll_ctl(epoll_, EPOLL_CTL_ADD, one.socket(), &event) == 0, "epoll_ctl");
    return one;
}

connections::events connections::wait(int ms) {
    const int count = ::epoll_wait(epoll_, ready_.data(), static_cast<int>(ready_.size()), ms);
    require(count >= 0 || errno == EINTR, "epoll_wait");
    if (count == 0 && ms >= silent_too_long) bench::fail("the service is silent");
    return {ready_.data(), ready_.data() + (count > 0 ? count : 0)};
}

}  // namespace http_load
