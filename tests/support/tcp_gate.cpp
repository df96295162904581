#include "support/tcp_gate.hpp"

#include <boost/asio/as_tuple.hpp>
#include <boost/asio/awaitable.hpp>
#include <boost/asio/co_spawn.hpp>
#include <boost/asio/detached.hpp>
#include <boost/asio/executor_work_guard.hpp>
#include <boost/asio/io_context.hpp>
#include <boost/asio/ip/tcp.hpp>
#include <boost/asio/post.hpp>
#include <boost/asio/steady_timer.hpp>
#include <boost/asio/use_awaitable.hpp>
#include <boost/asio/use_future.hpp>
#include <boost/asio/write.hpp>

#include <algorithm>
#include <array>
#include <atomic>
#include <deque>
#include <list>
#include <thread>
#include <vector>

namespace errand::test {

namespace asio = boost::asio;
using asio::ip::tcp;

namespace {
constexpr auto token = asio::as_tuple(asio::use_awaitable);

// What has passed the line and is on its way.
struct parcel {
    std::vector<char> bytes;
    std::chrono::steady_clock::time_point arrives;
};

struct link {
    tcp::socket client;
    tcp::socket server;
    std::deque<parcel> to_server{};
    std::deque<parcel> to_client{};
    void close() {
        boost::system::error_code ignored;
        client.close(ignored);
        server.close(ignored);
    }
};

// What waits here for its turn on a slow line would otherwise lie in the buffers of the system.
constexpr int small_buffer = 64 * 1024;

using clock = std::chrono::steady_clock;

// One direction of the line.
struct line {
    std::atomic<std::size_t> passed = 0;
    clock::time_point free_at{};
};
}  // namespace

struct tcp_gate::state {
    explicit state(int to) : server_port{static_cast<unsigned short>(to)} {}

    asio::io_context io{1};
    // It goes on running while it refuses and nothing is connected.
    asio::executor_work_guard<asio::io_context::executor_type> staying{io.get_executor()};
    unsigned short server_port;
    tcp::endpoint here{asio::ip::make_address("127.0.0.1"), 0};
    tcp::acceptor acceptor{io};
    std::list<std::weak_ptr<link>> links;
    bool armed = false;
    std::size_t pass = 0;
    std::atomic<bool> stalled = false;
    std::atomic<bool> was_cut = false;
    std::atomic<std::size_t> accepted = 0;
    std::atomic<std::size_t> rate = 0;  // bytes a second
    std::atomic<std::chrono::milliseconds> one_way{};
    line up, down;
    std::thread thread;

    void listen() {
        acceptor = tcp::acceptor{io, here};
        if (rate > 0) acceptor.set_option(asio::socket_base::receive_buffer_size{small_buffer});
        here = acceptor.local_endpoint();
        asio::co_spawn(io, accept(), asio::detached);
    }

    asio::awaitable<void> accept() {
        for (;;) {
            auto [failed, client] = co_await acceptor.async_accept(token);
            if (failed) co_return;
            ++accepted;
            auto one = std::make_shared<link>(std::move(client), tcp::socket{io, tcp::v4()});
            if (rate > 0) {
                one->client.set_option(asio::socket_base::receive_buffer_size{small_buffer});
                one->server.set_option(asio::socket_base::receive_buffer_size{small_buffer});
            }
            links.push_back(one);
            asio::co_spawn(io, to_server(one), asio::detached);
        }
    }

    asio::awaitable<void> to_server(std::shared_ptr<link> one) {
        const auto [failed] =
            co_await one->server.async_connect({asio::ip::make_address("127.0.0.1"), server_port}, token);
        if (failed) co_return one->close();
        asio::co_spawn(io, to_client(one), asio::detached);
        std::array<char, 16384> bytes{};
        for (;;) {
            const auto [ended, n] = co_await one->client.async_read_some(asio::buffer(bytes), token);
            if (ended) co_return one->close();
            up.passed += n;
            if (rate > 0 || !one->to_server.empty()) {
                co_await send_slowly(up, one, one->server, one->to_server, bytes.data(), n);
            } else {
                co_await asio::async_write(one->server, asio::buffer(bytes.data(), n), token);
            }
        }
    }

    // Returns when the line is free for what comes next; until then it reads no more.
    asio::awaitable<void> send_slowly(line& on, std::shared_ptr<link> one, tcp::socket& to,
                                      std::deque<parcel>& parcels, const char* from, std::size_t n) {
        const auto now = clock::now();
        const std::size_t per_second = rate;
        on.free_at = std::max(on.free_at, now);
        if (per_second > 0) on.free_at += std::chrono::microseconds{n * 1'000'000 / per_second};
        const auto free = on.free_at;
        const bool first = parcels.empty();
        parcels.push_back({{from, from + n}, free + one_way.load()});
        if (first) asio::co_spawn(io, bring(one, to, parcels), asio::detached);
        asio::steady_timer turn{io, free};
        co_await turn.async_wait(token);
    }

    asio::awaitable<void> bring(std::shared_ptr<link> one, tcp::socket& to, std::deque<parcel>& parcels) {
        for (; !parcels.empty(); parcels.pop_front()) {
            asio::steady_timer flight{io, parcels.front().arrives};
            co_await flight.async_wait(token);
            if (!to.is_open()) co_return;
            const auto [failed, n] =
                co_await asio::async_write(to, asio::buffer(parcels.front().bytes), token);
            if (failed) co_return one->close();
        }
    }

    asio::awaitable<void> to_client(std::shared_ptr<link> one) {
        std::array<char, 16384> bytes{};
        for (;;) {
            auto [ended, n] = co_await one->server.async_read_some(asio::buffer(bytes), token);
            if (ended) co_return one->close();
            while (stalled && one->client.is_open()) {
                asio::steady_timer pause{io, std::chrono::milliseconds{2}};
                co_await pause.async_wait(token);
            }
            down.passed += n;
            const bool cut_here = std::exchange(armed, false);
            if (cut_here) n = std::min(n, pass);
            if (cut_here && !one->to_client.empty()) n = 0;  // not before what is on its way
            if (!cut_here && (rate > 0 || !one->to_client.empty())) {
                co_await send_slowly(down, one, one->client, one->to_client, bytes.data(), n);
                continue;
            }
            co_await asio::async_write(one->client, asio::buffer(bytes.data(), n), token);
            if (cut_here) {
                was_cut = true;
                co_return one->close();
            }
        }
    }

    void close_all() {
        for (auto& weak : links) {
            if (const auto one = weak.lock()) one->close();
        }
        links.clear();
    }

    template <class F>
    void on_thread(F f) {
        asio::post(io, asio::use_future(std::move(f))).get();
    }
};

tcp_gate::tcp_gate(int server_port) : state_{std::make_unique<state>(server_port)} {
    state_->listen();
    state_->thread = std::thread{[this] { state_->io.run(); }};
}

tcp_gate::~tcp_gate() {
    state_->on_thread([this] {
        state_->acceptor.close();
        state_->stalled = false;
        state_->close_all();
        state_->staying.reset();
    });
    state_->thread.join();
}

int tcp_gate::port() const { return state_->here.port(); }

void tcp_gate::cut() {
    state_->on_thread([this] { state_->close_all(); });
}

void tcp_gate::lead_to(int server_port) {
    state_->on_thread([this, server_port] {
        state_->server_port = static_cast<unsigned short>(server_port);
        state_->close_all();
    });
}

void tcp_gate::lead_new_to(int server_port) {
    state_->on_thread([this, server_port] {
        state_->server_port = static_cast<unsigned short>(server_port);
    });
}

void tcp_gate::slow(std::size_t bytes_per_second, std::chrono::milliseconds round_trip) {
    state_->on_thread([this, bytes_per_second, round_trip] {
        state_->rate = bytes_per_second;
        state_->one_way = round_trip / 2;
        if (bytes_per_second > 0)
            state_->acceptor.set_option(asio::socket_base::receive_buffer_size{small_buffer});
    });
}

std::size_t tcp_gate::connections() const { return state_->accepted; }
std::size_t tcp_gate::bytes_to_server() const { return state_->up.passed; }
std::size_t tcp_gate::bytes_to_client() const { return state_->down.passed; }

void tcp_gate::refuse(bool on) {
    state_->on_thread([this, on] {
        if (on) {
            state_->close_all();
            state_->acceptor.close();
        } else {
            state_->listen();
        }
    });
}

void tcp_gate::stall(bool on) { state_->stalled = on; }

void tcp_gate::cut_reply(std::size_t pass) {
    state_->on_thread([this, pass] {
        state_->armed = true;
        state_->pass = pass;
        state_->was_cut = false;
    });
}

bool tcp_gate::reply_was_cut() const { return state_->was_cut; }

}  // namespace errand::test
