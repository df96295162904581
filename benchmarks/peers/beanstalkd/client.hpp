// A beanstalkd of one's own, and connections to it.
#pragma once

#include <arpa/inet.h>
#include <array>
#include <cerrno>
#include <charconv>
#include <csignal>
#include <cstdint>
#include <cstring>
#include <deque>
#include <filesystem>
#include <fstream>
#include <netinet/tcp.h>
#include <optional>
#include <stdexcept>
#include <string>
#include <string_view>
#include <sys/epoll.h>
#include <sys/prctl.h>
#include <sys/socket.h>
#include <sys/wait.h>
#include <time.h>
#include <unistd.h>
#include <utility>

namespace beanstalk {

[[noreturn]] inline void fail(const std::string& sentence) { throw std::runtime_error{sentence}; }

inline void require(bool holds, const char* what) {
    if (!holds) fail(std::string{what} + ": " + std::strerror(errno));
}

inline std::int64_t clock_ns(clockid_t which) {
    timespec at{};
    clock_gettime(which, &at);
    return at.tv_sec * std::int64_t{1'000'000'000} + at.tv_nsec;
}

// The same in all processes of a machine.
inline std::int64_t now_ns() { return clock_ns(CLOCK_MONOTONIC); }

inline std::int64_t number_after(std::string_view text, std::string_view key) {
    const auto at = text.find(key);
    if (at == text.npos) fail("no " + std::string{key} + " in '" + std::string{text} + "'");
    std::int64_t value = 0;
    const auto* from = text.data() + at + key.size();
    if (std::from_chars(from, text.data() + text.size(), value).ec != std::errc{})
        fail("no number after " + std::string{key});
    return value;
}

inline sockaddr_in loopback(std::uint16_t port) {
    sockaddr_in address{};
    address.sin_family = AF_INET;
    address.sin_port = htons(port);
    address.sin_addr.s_addr = htonl(INADDR_LOOPBACK);
    return address;
}

inline std::uint16_t free_port() {
    const int fd = socket(AF_INET, SOCK_STREAM | SOCK_CLOEXEC, 0);
    auto address = loopback(0);
    socklen_t size = sizeof address;
    require(bind(fd, reinterpret_cast<const sockaddr*>(&address), size) == 0, "bind");
    require(getsockname(fd, reinterpret_cast<sockaddr*>(&address), &size) == 0, "getsockname");
    close(fd);
    return ntohs(address.sin_port);
}

// A child that does not outlive this program, however it ends.
template <typename Work>
pid_t start_child(Work work) {
    const pid_t parent = getpid();
    const pid_t child = fork();
    require(child >= 0, "fork");
    if (child != 0) return child;
    prctl(PR_SET_PDEATHSIG, SIGKILL);
    if (getppid() == parent) work();
    _exit(127);
}

class server {
public:
    server() : port_{free_port()} {
        pid_ = start_child([port = std::to_string(port_)] {
            execlp("beanstalkd", "beanstalkd", "-l", "127.0.0.1", "-p", port.c_str(), nullptr);
        });
    }
    ~server() {
        kill(pid_, SIGTERM);
        waitpid(pid_, nullptr, 0);
    }
    server(const server&) = delete;

    std::uint16_t port() const { return port_; }

    double cpu() const {
        double nanoseconds = 0;
        for (const auto& thread :
             std::filesystem::directory_iterator{"/proc/" + std::to_string(pid_) + "/task"}) {
            double of_thread = 0;
            std::ifstream{thread.path() / "schedstat"} >> of_thread;
            nanoseconds += of_thread;
        }
        return nanoseconds / 1e9;
    }

private:
    std::uint16_t port_;
    pid_t pid_ = -1;
};

struct reply {
    std::string line;
    std::string body;
};

class connection {
public:
    explicit connection(std::uint16_t port) {
        const auto address = loopback(port);
        for (int tries = 0;; ++tries) {
            fd_ = socket(AF_INET, SOCK_STREAM | SOCK_CLOEXEC, 0);
            if (connect(fd_, reinterpret_cast<const sockaddr*>(&address), sizeof address) == 0) break;
            close(fd_);
            if (tries == 200) fail("no beanstalkd answers; is it installed?");
            usleep(10'000);  // it has just been started
        }
        const int yes = 1;
        setsockopt(fd_, IPPROTO_TCP, TCP_NODELAY, &yes, sizeof yes);
    }
    ~connection() { close(fd_); }
    connection(const connection&) = delete;

    int fd() const { return fd_; }

    void send(std::string_view bytes) {
        while (!bytes.empty()) {
            const auto sent = ::send(fd_, bytes.data(), bytes.size(), MSG_NOSIGNAL);
            require(sent > 0, "send");
            bytes.remove_prefix(static_cast<std::size_t>(sent));
        }
    }

    // Waits when nothing has arrived.
    void receive() {
        std::array<char, 65536> chunk;
        const auto size = recv(fd_, chunk.data(), chunk.size(), 0);
        require(size > 0, "recv");
        input_.erase(0, std::exchange(parsed_, 0)).append(chunk.data(), static_cast<std::size_t>(size));
    }

    std::optional<reply> next() {
        const auto end = input_.find("\r\n", parsed_);
        if (end == input_.npos) return {};
        reply one{input_.substr(parsed_, end - parsed_), {}};
        auto after = end + 2;
        if (one.line.starts_with("RESERVED ") || one.line.starts_with("OK ")) {
            const auto size = std::stoul(one.line.substr(one.line.rfind(' ')));
            if (input_.size() < after + size + 2) return {};
            one.body = input_.substr(after, size);
            after += size + 2;
        }
        parsed_ = after;
        return one;
    }

    reply wait() {
        for (;;) {
            if (auto one = next()) return *std::move(one);
            receive();
        }
    }

private:
    int fd_ = -1;
    std::string input_;
    std::size_t parsed_ = 0;
};

class connections {
public:
    connections(std::uint16_t port, std::int64_t count) : epoll_{epoll_create1(EPOLL_CLOEXEC)} {
        for (std::int64_t at = 0; at < count; ++at) {
            auto& one = all_.emplace_back(port);
            epoll_event event{.events = EPOLLIN, .data = {.ptr = &one}};
            require(epoll_ctl(epoll_, EPOLL_CTL_ADD, one.fd(), &event) == 0, "epoll_ctl");
        }
    }
    ~connections() { close(epoll_); }
    connections(const connections&) = delete;

    // on_reply(connection, reply) for each reply of each connection, until it returns false.
    template <typename OnReply>
    void serve(OnReply on_reply) {
        std::array<epoll_event, 64> ready;
        for (;;) {
            const int count = epoll_wait(epoll_, ready.data(), ready.size(), 30'000);
            if (count == 0) fail("beanstalkd is silent");
            require(count > 0 || errno == EINTR, "epoll_wait");
            for (int at = 0; at < count; ++at) {
                auto& one = *static_cast<connection*>(ready[static_cast<std::size_t>(at)].data.ptr);
                one.receive();
                while (auto answer = one.next())
                    if (!on_reply(one, *answer)) return;
            }
        }
    }

    auto begin() { return all_.begin(); }
    auto end() { return all_.end(); }

private:
    int epoll_;
    std::deque<connection> all_;
};

}  // namespace beanstalk
