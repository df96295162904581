// Answers as a server of Redis would, word by word as a test says, on the test's own io_context.
#pragma once

#include <boost/asio/as_tuple.hpp>
#include <boost/asio/awaitable.hpp>
#include <boost/asio/co_spawn.hpp>
#include <boost/asio/detached.hpp>
#include <boost/asio/io_context.hpp>
#include <boost/asio/ip/tcp.hpp>
#include <boost/asio/use_awaitable.hpp>
#include <boost/asio/write.hpp>

#include <array>
#include <functional>
#include <memory>
#include <string>
#include <utility>
#include <vector>

namespace errand::test {

class fake_redis {
public:
    using words = std::vector<std::string>;
    // What it answers to a command, as it is on the wire; empty: nothing.
    using answers = std::function<std::string(const words&)>;

    fake_redis(boost::asio::io_context& on, answers answer) : now_{std::make_shared<state>(on)} {
        now_->answer = std::move(answer);
        boost::asio::co_spawn(on, listen(now_), boost::asio::detached);
    }
    ~fake_redis() {
        now_->acceptor.close();
        for (const auto& one : now_->clients) one->close();
    }
    fake_redis(const fake_redis&) = delete;
    fake_redis& operator=(const fake_redis&) = delete;

    std::string port() const { return std::to_string(now_->acceptor.local_endpoint().port()); }
    // Since it was made.
    std::size_t connections() const { return now_->clients.size(); }
    // To who connected last.
    void send(const std::string& text) {
        boost::asio::write(*now_->clients.back(), boost::asio::buffer(text));
    }

    // As a server of a cluster that has the slot answers to how a connection is set up.
    static std::string usual(const words& of) {
        if (of[0] == "HELLO") return "%1\r\n$6\r\nserver\r\n$5\r\nredis\r\n";
        if (of[0] == "CLUSTER") return "$0\r\n\r\n";
        if (of[0] == "PING") return "+PONG\r\n";
        if (of[0] != "SSUBSCRIBE") return ":1\r\n";
        std::string all;
        for (std::size_t at = 1; at < of.size(); ++at) {
            all += ">3\r\n$10\r\nssubscribe\r\n$" + std::to_string(of[at].size()) + "\r\n" + of[at] +
                   "\r\n:" + std::to_string(at) + "\r\n";
        }
        return all;
    }

private:
    using tcp = boost::asio::ip::tcp;
    struct state {
        explicit state(boost::asio::io_context& on)
            : acceptor{on, tcp::endpoint{boost::asio::ip::address_v4::loopback(), 0}} {}
        tcp::acceptor acceptor;
        answers answer;
        std::vector<std::shared_ptr<tcp::socket>> clients;
    };
    static constexpr auto token = boost::asio::as_tuple(boost::asio::use_awaitable);

    static boost::asio::awaitable<void> listen(std::shared_ptr<state> now) {
        for (;;) {
            auto [failed, socket] = co_await now->acceptor.async_accept(token);
            if (failed) co_return;
            now->clients.push_back(std::make_shared<tcp::socket>(std::move(socket)));
            boost::asio::co_spawn(now->acceptor.get_executor(), serve(now, now->clients.back()),
                                  boost::asio::detached);
        }
    }
    static boost::asio::awaitable<void> serve(std::shared_ptr<state> now,
                                              std::shared_ptr<tcp::socket> client) {
        std::string text;
        std::array<char, 4096> part{};
        for (;;) {
            const auto [failed, size] = co_await client->async_read_some(boost::asio::buffer(part), token);
            if (failed) co_return;
            text.append(part.data(), size);
            std::string all;
            for (words of; take(text, of); of.clear()) all += now->answer(of);
            if (all.empty()) continue;
            const auto [broken, written] =
                co_await boost::asio::async_write(*client, boost::asio::buffer(all), token);
            if (broken) co_return;
        }
    }
    // One whole command off the front: *N, and N times $size and a text.
    static bool take(std::string& from, words& into) {
        std::size_t at = 0;
        const auto number = [&]() -> std::size_t {
            const auto end = from.find("\r\n", at);
            if (end == from.npos) return from.npos;
            const auto value = std::stoul(from.substr(at + 1, end - at - 1));
            at = end + 2;
            return value;
        };
        const auto count = number();
        if (count == from.npos) return false;
        for (std::size_t left = count; left > 0; --left) {
            const auto size = at < from.size() ? number() : from.npos;
            if (size == from.npos || at + size + 2 > from.size()) return false;
            into.push_back(from.substr(at, size));
            at += size + 2;
        }
        from.erase(0, at);
        return true;
    }

    std::shared_ptr<state> now_;
};

}  // namespace errand::test
