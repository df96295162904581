// More who come than may be there, who say nothing, and who speak something else.
#include "service/counter.hpp"

#include <catch2/catch_test_macros.hpp>

#include <memory>

using namespace std::chrono_literals;
using namespace std::string_literals;
using service_test::client;
using service_test::counter;

namespace {

errand::service_options room_for(std::size_t connections) {
    errand::service_options how;
    how.max_connections = connections;
    how.max_waiting = connections - 1;
    return how;
}

}  // namespace

TEST_CASE("however many come at once, each is served in his turn", "[service]") {
    counter t{room_for(8)};
    for (int round = 0; round < 10; ++round) {
        std::vector<std::unique_ptr<client>> all;
        for (int i = 0; i < 200; ++i) {
            all.push_back(std::make_unique<client>(t.address()));
            all.back()->send("GET /healthz HTTP/1.1\r\nHost: localhost\r\nConnection: close\r\n\r\n");
        }
        for (const auto& one : all) {
            CHECK(one->receive().status == 200);
            CHECK(one->ended());
        }
    }
}

TEST_CASE("who comes and says nothing keeps others out for no longer than a request may take", "[service]") {
    auto how = room_for(4);
    how.header_timeout = 1s;
    counter t{how};
    for (const auto* beginning : {"", "GET /healthz HTTP/1.1\r\nHost: loc"}) {
        std::vector<std::unique_ptr<client>> silent;
        for (int i = 0; i < 5; ++i) {
            silent.push_back(std::make_unique<client>(t.address()));
            if (*beginning != '\0') silent.back()->send(beginning);
        }
        // Behind all of them.
        auto at = t.connect();
        CHECK(at.ask("GET", "/healthz").status == 200);
        for (const auto& one : silent) CHECK(one->ended_anyhow());
    }
}

TEST_CASE("who speaks something else than HTTP is cut off and disturbs nobody", "[service]") {
    errand::service_options how;
    how.header_timeout = 1s;
    counter t{how};
    for (const auto& bytes :
         {"\x16\x03\x01\x02\x05\x01\x02\x01\xfc\x03\x03"s, "SSH-2.0-OpenSSH_9.6\r\n"s,
          "EHLO example.com\r\n"s, "PRI * HTTP/2.0\r\n\r\nSM\r\n\r\n"s, "*1\r\n$4\r\nPING\r\n"s,
          "\0\0\0\x08\x04\xd2\x16\x2f"s, "OPTIONS sip:nm SIP/2.0\r\n\r\n"s, "HELP\r\n\r\n"s,
          "GET / HTTP/1.1 \r\n\r\n"s, "\r\n\r\n\r\n"s, std::string(100'000, 'A'), std::string(1000, '\0')}) {
        client one{t.address()};
        one.send(bytes);
        CHECK(one.ended_anyhow());
        CHECK(t.connect().ask("GET", "/healthz").status == 200);
    }
}
