// A client of HTTP that costs little: requests that are written beforehand, connections that stay, one thread that waits for all
// of them. Of an answer it reads what tells where that ends.
#pragma once

#include <array>
#include <cerrno>
#include <cstddef>
#include <cstdint>
#include <deque>
#include <optional>
#include <string>
#include <string_view>
#include <sys/epoll.h>

namespace http_load {

struct answer {
    int status = 0;
    std::string_view body;
};

class connection {
public:
    // To a port of this machine; `place`: which of the connections it is.
    explicit connection(std::uint16_t port, std::size_t place = 0);
    ~connection();
    connection(const connection&) = delete;
    connection& operator=(const connection&) = delete;

    std::size_t place() const noexcept { return place_; }
    int socket() const noexcept { return socket_; }

    void send(std::string_view request);
    // Reads what has arrived, or waits for something to arrive; then next() gives one answer after the other, valid until the
    // next call of either.
    void receive();
    std::optional<answer> next();
    // One request alone.
    answer ask(std::string_view request);

private:
    int socket_ = -1;
    std::size_t place_;
    std::string input_;
    std::size_t parsed_ = 0;
};

class connections {
public:
    explicit connections(std::uint16_t port, std::size_t count = 0);
    ~connections();
    connections(const connections&) = delete;
    connections& operator=(const connections&) = delete;

    connection& add(std::uint16_t port);
    auto begin() { return all_.begin(); }
    auto end() { return all_.end(); }

    // on_answer(connection, answer) for each answer, until it returns false.
    template <typename OnAnswer>
    void serve(OnAnswer on_answer) {
        while (serve_once(silent_too_long, on_answer)) {
        }
    }

    // The same for what comes within so many ms; false: it has returned false. Fails when nothing comes for silent_too_long.
    template <typename OnAnswer>
    bool serve_once(int ms, OnAnswer&& on_answer) {
        for (const auto& event : wait(ms)) {
            auto& one = *static_cast<connection*>(event.data.ptr);
            one.receive();
            while (const auto got = one.next())
                if (!on_answer(one, *got)) return false;
        }
        return true;
    }

    static constexpr int silent_too_long = 30'000;

private:
    struct events {
        const epoll_event* first;
        const epoll_event* last;
        const epoll_event* begin() const { return first; }
        const epoll_event* end() const { return last; }
    };
    events wait(int ms);

    int epoll_;
    std::deque<connection> all_;
    std::array<epoll_event, 256> ready_{};
};

}  // namespace http_load
