// Where the service listens, and where it does not.
#include <errand/error.hpp>

#include "runtime/async_gate.hpp"
#include "service/counter.hpp"
#include "service/intake.hpp"
#include "support/places.hpp"

#include <boost/asio/co_spawn.hpp>
#include <boost/asio/this_coro.hpp>

#include <catch2/catch_test_macros.hpp>
#include <catch2/matchers/catch_matchers_exception.hpp>
#include <catch2/matchers/catch_matchers_string.hpp>

#include <cstring>
#include <deque>
#include <filesystem>
#include <sys/socket.h>
#include <sys/stat.h>
#include <sys/un.h>
#include <unistd.h>

using Catch::Matchers::ContainsSubstring;
using Catch::Matchers::MessageMatches;
using service_test::client;
using service_test::counter;

namespace {

errand::service_options at(std::vector<std::string> listen) {
    errand::service_options how;
    how.listen = std::move(listen);
    return how;
}

// Takes in who comes until it was begun to serve three, of whom the first and the second are in vain.
errand::awaitable<void> take_in_three(errand::app& of, const errand::service_options& how,
                                      std::deque<client>& clients,
                                      std::vector<errand::web::stream_socket>& served) {
    const auto executor = co_await boost::asio::this_coro::executor;
    errand::web::hub hub{of, how, executor};
    errand::web::listener door{executor, errand::web::read_endpoint(how.listen.front())};
    errand::async_gate changed{executor};
    int begun = 0;
    bool ended = false;
    auto begin = [&](errand::web::stream_socket socket) {
        changed.open();
        if (++begun < 3) throw std::runtime_error{"no memory"};
        served.push_back(std::move(socket));
    };
    boost::asio::co_spawn(executor, errand::web::take_in(door, hub, std::move(begin)),
                          [&](const std::exception_ptr&) {
                              ended = true;
                              changed.open();
                          });
    for (int i = 0; i < 3; ++i) clients.emplace_back(errand::web::to_text(door.at()));
    while (begun < 3 && !ended) co_await changed.wait();
    hub.stopping = true;
    door.close();
    while (!ended) co_await changed.wait();
}

}  // namespace

TEST_CASE("an address that others reach is refused, unless it is allowed to anybody", "[service]") {
    errand::test::test_app t;
    for (const auto* address : {"0.0.0.0:0", ":0", "[::]:0", "192.0.2.1:0"}) {
        CHECK_THROWS_MATCHES((errand::service{t.app, at({"127.0.0.1:0", address})}), errand::usage_error,
                             MessageMatches(ContainsSubstring("allow_anyone") &&
                                            ContainsSubstring("127.0.0.1")));
    }
    auto how = at({"0.0.0.0:0"});
    how.allow_anyone = true;
    counter open{how};
    client one{"http://127.0.0.1" + open.address().substr(open.address().rfind(':'))};
    CHECK(one.ask("GET", "/healthz").status == 200);
}

TEST_CASE("options that do not fit are refused by name", "[service]") {
    errand::test::test_app t;
    const auto refuses = [&](errand::service_options how, const std::string& words) {
        CHECK_THROWS_MATCHES((errand::service{t.app, std::move(how)}), errand::usage_error,
                             MessageMatches(ContainsSubstring(words)));
    };
    for (const auto* text : {"", "nonsense", "127.0.0.1", "127.0.0.1:", "127.0.0.1:x", "127.0.0.1:65536",
                             "example.com:80", "unix:relative", "unix:"}) {
        refuses(at({text}), "listen");
    }
    refuses(at({}), "listen");
    errand::service_options how;
    how.max_body = 0;
    refuses(how, "max_body");
    how = {};
    how.idle_timeout = errand::duration{0};
    refuses(how, "idle_timeout");
    how = {};
    how.hosts = {"no host"};
    refuses(how, "hosts");
    for (const auto* bad :
         {"*", "null", "shop.example.com", "https://", "https://shop.example.com/", "https://*.example.com",
          "ftp://shop.example.com", "https://a@shop.example.com"}) {
        how = {};
        how.origins = {bad};
        refuses(how, "origins");
    }
    how = {};
    how.max_connections = how.max_waiting;
    refuses(how, "max_waiting");
    how.max_waiting = 0;
    how.max_connections = 1;
    CHECK_NOTHROW(errand::service{t.app, how});
}

TEST_CASE("a port that somebody has is said to be so", "[service]") {
    counter t;
    const auto taken = t.address().substr(std::string_view{"http://"}.size());
    errand::test::test_app other;
    errand::service second{other.app, at({taken})};
    CHECK_THROWS_MATCHES(other.run(second.run()), errand::usage_error,
                         MessageMatches(ContainsSubstring("cannot listen on http://" + taken)));
}

TEST_CASE("a client that cannot be served is turned away, and those after him are served", "[service]") {
    errand::test::test_app t;
    std::deque<client> clients;
    std::vector<errand::web::stream_socket> served;
    t.run(take_in_three(t.app, at({"127.0.0.1:0"}), clients, served));
    REQUIRE(served.size() == 1);
    CHECK(clients.at(0).ended());
    CHECK(clients.at(1).ended());
    const char word = 'x';
    REQUIRE(::send(served.front().native_handle(), &word, 1, 0) == 1);
    CHECK_FALSE(clients.at(2).ended());
}

TEST_CASE("a further name of the host is known when it was said", "[service]") {
    errand::service_options how;
    how.hosts = {"Tasks.Example"};
    counter t{how};
    auto one = t.connect();
    one.send("GET /healthz HTTP/1.1\r\nHost: tasks.example\r\n\r\n");
    CHECK(one.receive().status == 200);
    one.send("GET /healthz HTTP/1.1\r\nHost: other.example\r\n\r\n");
    CHECK(one.receive().status == 403);
}

TEST_CASE(
    "a unix socket is for its owner and group, is taken over from one that was killed, and goes with the service",
    "[service]") {
    const auto folder = errand::test::temporary_folder("service");
    const auto path = (folder / "errand.sock").string();
    // What a process that was killed leaves there.
    const int dead = ::socket(AF_UNIX, SOCK_STREAM, 0);
    sockaddr_un name{};
    name.sun_family = AF_UNIX;
    std::strncpy(name.sun_path, path.c_str(), sizeof name.sun_path - 1);
    REQUIRE(::bind(dead, reinterpret_cast<const sockaddr*>(&name), sizeof name) == 0);
    ::close(dead);
    REQUIRE(std::filesystem::exists(path));
    {
        counter t{at({"unix:" + path, "127.0.0.1:0"})};
        struct stat seen{};
        REQUIRE(::stat(path.c_str(), &seen) == 0);
        CHECK((seen.st_mode & 0777U) == 0660U);
        auto one = t.connect();
        // No browser comes this way, so the name does not matter.
        one.send("GET /healthz HTTP/1.1\r\nHost: whatever\r\n\r\n");
        CHECK(one.receive().status == 200);
        client two{t.addresses.at(1)};
        CHECK(two.ask("GET", "/healthz").status == 200);
        // Not from one that lives.
        errand::test::test_app other;
        errand::service second{other.app, at({"unix:" + path})};
        CHECK_THROWS_AS(other.run(second.run()), errand::usage_error);
        CHECK(one.ask("GET", "/healthz").status == 200);
    }
    CHECK_FALSE(std::filesystem::exists(path));
    std::filesystem::remove_all(folder);
}

TEST_CASE("a service that is destroyed stops serving, and its run ends by itself", "[service]") {
    errand::test::test_app t;
    auto early = errand::service{t.app, at({"127.0.0.1:0"})}.run();
    t.run(std::move(early));
    auto how = at({"127.0.0.1:0"});
    std::unique_ptr<errand::service> one;
    bool listened = false;
    how.on_listening = [&](const std::vector<std::string>&) {
        listened = true;
        one.reset();
    };
    one = std::make_unique<errand::service>(t.app, std::move(how));
    t.run(one->run());
    CHECK(listened);
}
