// What becomes of calls, and of a connection, when a slot goes to another server of a cluster.
#include "store/redis/address.hpp"
#include "store/redis/connection.hpp"
#include "support/await.hpp"
#include "support/fake_redis.hpp"

#include <boost/asio/bind_cancellation_slot.hpp>
#include <boost/asio/cancellation_signal.hpp>
#include <boost/asio/co_spawn.hpp>
#include <boost/asio/detached.hpp>
#include <boost/asio/ip/tcp.hpp>
#include <boost/redis/request.hpp>

#include <functional>
#include <memory>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

using namespace errand;
using namespace errand::test;

namespace {

struct line final : redis::connection_listener {
    line(boost::asio::io_context& on, const std::string& seeds) : io{on} {
        boost::redis::request check;
        check.push("EXISTS", "key");
        of = std::make_shared<redis::connection>(io, redis::parse_address("redis+cluster://" + seeds), "mine",
                                                 "all", check, *this);
    }
    ~line() {
        of->stop();
        run_until(io, [this] { return of.use_count() == 1; });
    }
    line(const line&) = delete;
    line& operator=(const line&) = delete;

    void up() override {
        ++ups;
        if (when_up) when_up();
    }
    void down(std::string_view) override {}
    void message(std::string_view) override {}

    boost::asio::io_context& io;
    std::shared_ptr<redis::connection> of;
    int ups = 0;
    std::function<void()> when_up;
};

// Nobody listens there, and nobody else can meanwhile.
class refusing_port {
public:
    explicit refusing_port(boost::asio::io_context& on) : held_{on, tcp::v4()} {
        held_.bind({boost::asio::ip::address_v4::loopback(), 0});
    }
    std::string port() const { return std::to_string(held_.local_endpoint().port()); }

private:
    using tcp = boost::asio::ip::tcp;
    tcp::socket held_;
};

std::string seed(const fake_redis& server) { return "127.0.0.1:" + server.port(); }
std::string moved_to(const fake_redis& server) { return "-MOVED 7 127.0.0.1:" + server.port() + "\r\n"; }

}  // namespace

TEST_CASE(
    "of calls in flight when a shard has moved each hears itself that it was refused, and none may have been done") {
    boost::asio::io_context io{1};
    int held = 0;
    fake_redis there{io, fake_redis::usual};
    fake_redis here{io, [&](const auto& words) {
                        if (words[0] == "INCR") ++held;
                        return words[0] == "INCR" ? std::string{} : fake_redis::usual(words);
                    }};
    line to{io, seed(here)};
    to.of->start();
    REQUIRE(run_until(io, [&] { return to.of->is_up(); }));

    auto ask = redis::connection::request();
    ask.push("INCR", "key");
    struct call {
        redis::reply answer;
        std::optional<redis::connection::attempt> ended;
    };
    std::vector<call> calls(3);
    for (auto& one : calls) {
        boost::asio::co_spawn(
            io,
            [](redis::connection& over, const boost::redis::request& what, call& of) -> awaitable<void> {
                of.ended = co_await over.exec(what, of.answer, std::nullopt);
                if (of.answer.is_error()) over.follow(of.answer.first());
            }(*to.of, ask, one),
            boost::asio::detached);
    }
    REQUIRE(run_until(io, [&] { return held == 3; }));
    const auto refusal = moved_to(there);
    here.send(refusal);
    REQUIRE(run_until(io, [&] { return !to.of->is_up(); }));
    here.send(refusal + refusal);
    REQUIRE(run_until(io, [&] { return to.of->is_up(); }));
    for (const auto& one : calls) {
        CHECK(one.ended == redis::connection::attempt::answered);
        CHECK(one.answer.first().starts_with("MOVED"));
    }
    CHECK(to.of->server()->port == there.port());
    CHECK(here.connections() == 1);
}

TEST_CASE("a call that is cancelled as its connection comes up is in flight no more") {
    boost::asio::io_context io{1};
    fake_redis here{io, fake_redis::usual};
    line to{io, seed(here)};
    auto ask = redis::connection::request();
    ask.push("INCR", "key");
    redis::reply answer;
    boost::asio::cancellation_signal cancel;
    bool over = false, cancelled = false;
    boost::asio::co_spawn(io, to.of->exec(ask, answer, std::nullopt),
                          boost::asio::bind_cancellation_slot(cancel.slot(),
                                                              [&](std::exception_ptr failed, auto) {
                                                                  over = true;
                                                                  cancelled = failed != nullptr;
                                                              }));
    to.when_up = [&] { cancel.emit(boost::asio::cancellation_type::terminal); };
    to.of->start();
    REQUIRE(run_until(io, [&] { return over; }));
    CHECK(cancelled);
    CHECK(to.of->in_flight() == 0);
}

TEST_CASE(
    "while the server that had a shard hangs the others are asked who has it now, and it is gone to at once") {
    boost::asio::io_context io{1};
    int asked = 0;
    fake_redis hanging{io, [](const auto&) { return std::string{}; }};
    fake_redis successor{io, fake_redis::usual};
    // It hears of the successor late.
    fake_redis other{io, [&](const auto& words) {
                         if (words[0] != "EXISTS" && words[0] != "HGET") return fake_redis::usual(words);
                         return moved_to(++asked > 4 ? successor : hanging);
                     }};
    line to{io, seed(other)};
    to.of->start();
    REQUIRE(run_until(io, [&] { return to.of->is_up(); }));
    CHECK(to.of->server()->port == successor.port());
    CHECK(to.ups == 1);
    // Each try of it would last for seconds.
    CHECK(hanging.connections() <= 2);
    CHECK(successor.connections() == 1);
}

TEST_CASE(
    "a server of a cluster that is away is tried ever more rarely, and its successor is found all the same") {
    boost::asio::io_context io{1};
    int asked = 0;
    bool is_known = false;
    fake_redis successor{io, fake_redis::usual};
    const refusing_port gone{io};
    const auto refusal = "-MOVED 7 127.0.0.1:" + gone.port() + "\r\n";
    fake_redis other{io, [&](const auto& words) {
                         if (words[0] != "EXISTS" && words[0] != "HGET") return fake_redis::usual(words);
                         if (words[0] == "HGET") ++asked;
                         return is_known ? moved_to(successor) : refusal;
                     }};
    line to{io, seed(other)};
    to.of->start();
    REQUIRE(run_until(io, [&] { return asked == 12; }));
    // Those questions go over few connections, and each try of the one that is away begins with one here.
    const auto before = other.connections();
    CHECK(before < 16);
    is_known = true;
    REQUIRE(run_until(io, [&] { return to.of->is_up(); }));
    CHECK(to.of->server()->port == successor.port());
}
