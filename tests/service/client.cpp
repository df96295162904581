#include "service/client.hpp"

#include "service/answers.hpp"

#include <boost/json/parse.hpp>

#include <catch2/catch_test_macros.hpp>
#include <openssl/ssl.h>

#include <algorithm>
#include <arpa/inet.h>
#include <cctype>
#include <cerrno>
#include <cstring>
#include <netinet/in.h>
#include <netinet/tcp.h>
#include <poll.h>
#include <sys/socket.h>
#include <sys/time.h>
#include <sys/un.h>
#include <unistd.h>

namespace service_test {
namespace {

int connect_unix(const std::string& path) {
    const int one = ::socket(AF_UNIX, SOCK_STREAM, 0);
    sockaddr_un at{};
    at.sun_family = AF_UNIX;
    std::strncpy(at.sun_path, path.c_str(), sizeof at.sun_path - 1);
    REQUIRE(::connect(one, reinterpret_cast<const sockaddr*>(&at), sizeof at) == 0);
    return one;
}

int connect_tcp(const std::string& address, int port) {
    const int one = ::socket(AF_INET, SOCK_STREAM, 0);
    sockaddr_in at{};
    at.sin_family = AF_INET;
    at.sin_port = htons(static_cast<std::uint16_t>(port));
    REQUIRE(::inet_pton(AF_INET, address.c_str(), &at.sin_addr) == 1);
    REQUIRE(::connect(one, reinterpret_cast<const sockaddr*>(&at), sizeof at) == 0);
    // Else what follows a request leaves once that is acknowledged: 40 ms later, when the service has nothing to say.
    const int at_once = 1;
    ::setsockopt(one, IPPROTO_TCP, TCP_NODELAY, &at_once, sizeof at_once);
    return one;
}

// "localhost" of "localhost:80".
std::string name_in(const std::string& host) { return host.substr(0, host.rfind(':')); }

// Null: it is not who it says it is.
std::shared_ptr<ssl_st> shake_hands(int socket, const std::string& name, const std::string& authority) {
    const std::unique_ptr<SSL_CTX, decltype(&::SSL_CTX_free)> context{::SSL_CTX_new(::TLS_client_method()),
                                                                      &::SSL_CTX_free};
    REQUIRE(::SSL_CTX_load_verify_file(context.get(), authority.c_str()) == 1);
    ::SSL_CTX_set_verify(context.get(), SSL_VERIFY_PEER, nullptr);
    std::shared_ptr<ssl_st> one{::SSL_new(context.get()), &::SSL_free};
    REQUIRE(::SSL_set_fd(one.get(), socket) == 1);
    auto* const expected = ::SSL_get0_param(one.get());
    // By its address, or by its name where it has none.
    REQUIRE((::X509_VERIFY_PARAM_set1_ip_asc(expected, name.c_str()) == 1 ||
             ::X509_VERIFY_PARAM_set1_host(expected, name.c_str(), name.size()) == 1));
    return ::SSL_connect(one.get()) == 1 ? one : nullptr;
}

}  // namespace

boost::json::value response::json() const {
    INFO(status << ' ' << body);
    boost::system::error_code ec;
    auto value = boost::json::parse(body, ec);
    REQUIRE_FALSE(ec);
    return value;
}

std::string response::error_code() const {
    const auto document = json();
    INFO(body);
    REQUIRE(document.is_object());
    REQUIRE(document.as_object().contains("error"));
    const auto& error = document.at("error").as_object();
    REQUIRE(error.contains("message"));
    return std::string{error.at("code").as_string()};
}

client::client(const std::string& address, const std::string& authority) {
    constexpr std::string_view unix_scheme = "unix:";
    constexpr std::string_view scheme_end = "://";
    const auto by_socket = address.find(unix_scheme);
    if (by_socket != address.npos) {
        socket_ = connect_unix(address.substr(by_socket + unix_scheme.size()));
        host_ = "localhost";
    } else {
        host_ = address.substr(address.find(scheme_end) + scheme_end.size());
        const auto colon = host_.rfind(':');
        socket_ = connect_tcp(host_.substr(0, colon), std::stoi(host_.substr(colon + 1)));
    }
    // A test that waits for what never comes fails, and does not hang.
    const timeval limit{.tv_sec = 60, .tv_usec = 0};
    ::setsockopt(socket_, SOL_SOCKET, SO_RCVTIMEO, &limit, sizeof limit);
    if (authority.empty()) return;
    tls_ = shake_hands(socket_, name_in(host_), authority);
    REQUIRE(tls_);
}

bool client::trusts(const std::string& address, const std::string& authority) {
    const client plain{address};
    return shake_hands(plain.socket_, name_in(plain.host_), authority) != nullptr;
}

client::~client() { close(); }

void client::close() {
    if (socket_ >= 0) ::close(socket_);
    socket_ = -1;
}

void client::send_below(std::string_view bytes) const {
    ::send(socket_, bytes.data(), bytes.size(), MSG_NOSIGNAL);
}

bool client::ended_anyhow() const {
    char part[16384];
    ssize_t n = 0;
    while ((n = ::recv(socket_, part, sizeof part, 0)) > 0) {
    }
    return n == 0 || errno == ECONNRESET;
}

void client::half_close() const { ::shutdown(socket_, SHUT_WR); }

void client::say_end() const { ::SSL_shutdown(tls_.get()); }

void client::send_and_end(std::string_view bytes) const {
    if (tls_) {
        const auto hold_back = [&](int whether) {
            ::setsockopt(socket_, IPPROTO_TCP, TCP_CORK, &whether, sizeof whether);
        };
        hold_back(1);
        send(bytes);
        say_end();
        return hold_back(0);
    }
    REQUIRE(::send(socket_, bytes.data(), bytes.size(), MSG_NOSIGNAL | MSG_MORE) ==
            static_cast<ssize_t>(bytes.size()));
    half_close();
}

void client::send(std::string_view bytes) const {
    while (!bytes.empty()) {
        const auto n = tls_ ? ::SSL_write(tls_.get(), bytes.data(), static_cast<int>(bytes.size()))
                            : ::send(socket_, bytes.data(), bytes.size(), MSG_NOSIGNAL);
        // A service that has said no need not hear the rest.
        if (n <= 0) return;
        bytes.remove_prefix(static_cast<std::size_t>(n));
    }
}

bool client::fill() {
    char part[16384];
    if (tls_) {
        const auto n = ::SSL_read(tls_.get(), part, sizeof part);
        // A service that ends a connection of TLS says so.
        REQUIRE((n > 0 || ::SSL_get_error(tls_.get(), n) == SSL_ERROR_ZERO_RETURN));
        if (n > 0) read_.append(part, static_cast<std::size_t>(n));
        return n > 0;
    }
    const auto n = ::recv(socket_, part, sizeof part, 0);
    REQUIRE((n >= 0 || errno == ECONNRESET));
    if (n > 0) read_.append(part, static_cast<std::size_t>(n));
    return n > 0;
}

bool client::ended() {
    while (read_.empty()) {
        if (!fill()) return true;
    }
    return false;
}

bool client::is_answered() const noexcept {
    pollfd one{.fd = socket_, .events = POLLIN, .revents = 0};
    constexpr int limit_ms = 60'000;
    return ::poll(&one, 1, limit_ms) > 0;
}

client& client::first_answered(const std::vector<client*>& all) {
    std::vector<pollfd> sockets;
    for (const auto* one : all) sockets.push_back({.fd = one->socket_, .events = POLLIN, .revents = 0});
    constexpr int limit_ms = 60'000;
    REQUIRE(::poll(sockets.data(), sockets.size(), limit_ms) > 0);
    const auto answered = std::ranges::find_if(sockets, [](const pollfd& one) { return one.revents != 0; });
    return *all.at(static_cast<std::size_t>(answered - sockets.begin()));
}

client& client::first_answered(client& a, client& b) { return first_answered({&a, &b}); }

response client::receive(bool head) {
    response got;
    std::size_t end = 0;
    while ((end = read_.find("\r\n\r\n")) == read_.npos) {
        if (!fill()) return got;
    }
    const auto text = read_.substr(0, end + 2);
    read_.erase(0, end + 4);
    REQUIRE(text.starts_with("HTTP/1.1 "));
    got.status = std::stoi(text.substr(9, 3));
    for (auto at = text.find("\r\n") + 2; at < text.size();) {
        const auto eol = text.find("\r\n", at);
        const auto colon = text.find(':', at);
        auto name = text.substr(at, colon - at);
        for (char& c : name) c = static_cast<char>(std::tolower(static_cast<unsigned char>(c)));
        const auto value = std::min(text.find_first_not_of(' ', colon + 1), eol);
        got.headers[name] = text.substr(value, eol - value);
        at = eol + 2;
    }
    const auto length = got.headers.find("content-length");
    const std::size_t size = length == got.headers.end() || head ? 0 : std::stoul(length->second);
    while (read_.size() < size) REQUIRE(fill());
    got.body = read_.substr(0, size);
    read_.erase(0, size);
    return got;
}

std::string client::receive_until(std::string_view text) {
    std::size_t at = 0;
    while ((at = read_.find(text)) == read_.npos) REQUIRE(fill());
    auto got = read_.substr(0, at + text.size());
    read_.erase(0, at + text.size());
    return got;
}

response client::ask(std::string_view method, std::string_view path, std::string_view body,
                     std::vector<std::string> headers) {
    std::string text = std::string{method} + ' ' + std::string{path} + " HTTP/1.1\r\nHost: " + host_ + "\r\n";
    for (const auto& one : headers) text += one + "\r\n";
    if (!body.empty()) {
        text += "Content-Type: application/json\r\nContent-Length: " + std::to_string(body.size()) + "\r\n";
    }
    send(text + "\r\n" + std::string{body});
    auto got = receive(method == "HEAD");
    check_described(method, path, got);
    return got;
}

}  // namespace service_test
