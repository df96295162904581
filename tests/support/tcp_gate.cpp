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

#include <array>
#include <atomic>
#include <list>
#include <thread>

namespace errand::test {

namespace asio = boost::asio;
using asio::ip::tcp;

namespace {
constexpr auto token = asio::as_tuple(asio::use_awaitable);

struct link {
    tcp::socket client;
    tcp::socket server;
    void close() {
        boost::system::error_code ignored;
        client.close(ignored);
        server.close(ignored);
    }
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
    std::thread thread;

    void listen() {
        acceptor = tcp::acceptor{io, here};
        here = acceptor.local_endpoint();
        asio::co_spawn(io, accept(), asio::detached);
    }

    asio::awaitable<void> accept() {
        for (;;) {
            auto [failed, client] = co_await acceptor.async_accept(token);
            if (failed) co_return;
            auto one = std::make_shared<link>(std::move(client), tcp::socket{io});
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
            co_await asio::async_write(one->server, asio::buffer(bytes.data(), n), token);
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
            const bool cut_here = std::exchange(armed, false);
            if (cut_here) n = std::min(n, pass);
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
