// Requests as bytes: what two readers could read differently is refused, what is slow is cut, what is legal works.
#include "service/access_line.hpp"
#include "service/counter.hpp"

#include <catch2/catch_test_macros.hpp>
#include <catch2/matchers/catch_matchers_string.hpp>

using namespace std::chrono_literals;
using namespace std::string_literals;
using Catch::Matchers::ContainsSubstring;
using service_test::counter;
using service_test::response;

namespace {

const std::string task = R"({"handler": "parcel", "args": [1]})";

std::string head(const counter& t, const std::string& more) {
    return "POST " + t.path("/tasks") + " HTTP/1.1\r\nHost: localhost\r\nContent-Type: application/json\r\n" +
           more;
}

std::string chunk(std::string_view text) {
    static constexpr auto digits = "0123456789abcdef";
    REQUIRE(text.size() < 256);
    return std::string{digits[text.size() / 16], digits[text.size() % 16]} + "\r\n" + std::string{text} +
           "\r\n";
}

}  // namespace

TEST_CASE("a length that can be read in two ways is refused, and nothing behind it is taken for a request",
          "[service]") {
    counter t;
    const auto smuggled = "GET " + t.path("/queues") + " HTTP/1.1\r\nHost: localhost\r\n\r\n";
    const auto length = std::to_string(task.size());
    const std::vector<std::string> odd{
        head(t, "Content-Length: " + length + "\r\nTransfer-Encoding: chunked\r\n\r\n") + "0\r\n\r\n" +
            smuggled,
        head(t, "Transfer-Encoding: chunked\r\nContent-Length: " + length + "\r\n\r\n") + "0\r\n\r\n" +
            smuggled,
        head(t, "Content-Length: 0\r\nContent-Length: " + length + "\r\n\r\n") + task + smuggled,
        head(t, "Content-Length: " + length + "\r\nContent-Length: " + length + "\r\n\r\n") + task + smuggled,
        head(t, "Content-Length: " + length + ", " + length + "\r\n\r\n") + task + smuggled,
        head(t, "Content-Length: +" + length + "\r\n\r\n") + task + smuggled,
        head(t, "Content-Length: -1\r\n\r\n") + smuggled,
        head(t, "Content-Length: 0x1\r\n\r\n") + smuggled,
        head(t, "Content-Length: 99999999999999999999999\r\n\r\n") + smuggled,
        head(t, "Content-Length : " + length + "\r\n\r\n") + task + smuggled,
        head(t, "Transfer-Encoding: gzip, chunked\r\n\r\n") + chunk(task) + "0\r\n\r\n" + smuggled,
        head(t, "Transfer-Encoding: chunked, identity\r\n\r\n") + chunk(task) + "0\r\n\r\n" + smuggled,
        head(t, "Transfer-Encoding: chunked\r\nTransfer-Encoding: chunked\r\n\r\n") + chunk(task) +
            "0\r\n\r\n" + smuggled,
        head(t, "Transfer-Encoding: xchunked\r\n\r\n") + smuggled,
        head(t, "Transfer-Encoding: chunked\r\n\r\n") + "-1\r\n" + task + "\r\n0\r\n\r\n" + smuggled,
        head(t, "Transfer-Encoding: chunked\r\n\r\n") + "ffffffffffffffffff\r\n" + task + "\r\n0\r\n\r\n" +
            smuggled,
        head(t, "Transfer-Encoding: chunked\r\n\r\n") + "5\r\n" + task + "\r\n0\r\n\r\n" + smuggled,
    };
    for (const auto& bytes : odd) {
        INFO(bytes);
        auto at = t.connect();
        at.send(bytes);
        const auto got = at.receive();
        CHECK((got.status == 400 || got.status == 413 || got.status == 501));
        CHECK(got.closes());
        CHECK(at.ended());
    }
    CHECK(t.run(t.app.inspect().queues()).empty());
}

TEST_CASE("lines end with CR LF, and names and values are what they may be", "[service]") {
    counter t;
    const std::vector<std::string> odd{
        "GET /healthz HTTP/1.1\nHost: localhost\n\n",
        "GET /healthz HTTP/1.1\r\nHost: localhost\nX: y\r\n\r\n",
        "GET /healthz HTTP/1.1\r\nHost: localhost\r\nX: a\rb\r\n\r\n",
        "GET /healthz HTTP/1.1\r\nHost: localhost\r\nX y: b\r\n\r\n",
        "GET /healthz HTTP/1.1\r\nHost: localhost\r\n: b\r\n\r\n",
        "GET /healthz HTTP/1.1\r\nHost: localhost\r\nX: a\0b\r\n\r\n"s,
        "GET  /healthz HTTP/1.1\r\nHost: localhost\r\n\r\n",
        "GET /health z HTTP/1.1\r\nHost: localhost\r\n\r\n",
        "GET /healthz\r\n\r\n",
        "\x16\x03\x01 this is TLS\r\n\r\n",
    };
    for (const auto& bytes : odd) {
        INFO(bytes);
        auto at = t.connect();
        at.send(bytes);
        at.half_close();
        const auto got = at.receive();
        CHECK((got.status == 400 || got.status == 505 || got.status == 0));
        CHECK(at.ended());
    }
    auto at = t.connect();
    at.send("GET /healthz HTTP/2.7\r\nHost: localhost\r\n\r\n");
    CHECK(at.receive().status == 505);
    auto absolute = t.connect();
    CHECK(absolute.ask("GET", "http://localhost/healthz").status == 404);
    CHECK(absolute.ask("OPTIONS", "*").status == 404);
}

TEST_CASE("headers that are too long are refused", "[service]") {
    errand::service_options how;
    how.max_header = 2048;
    counter t{how};
    auto at = t.connect();
    at.send("GET /healthz HTTP/1.1\r\nHost: localhost\r\nX: " + std::string(4000, 'x') + "\r\n\r\n");
    const auto got = at.receive();
    CHECK(got.status == 431);
    CHECK(at.ended());
    auto many = t.connect();
    std::string text = "GET /healthz HTTP/1.1\r\nHost: localhost\r\n";
    while (text.size() < 4000) text += "A: b\r\n";
    many.send(text);
    CHECK(many.receive().status == 431);
    auto target = t.connect();
    target.send("GET /" + std::string(4000, 'x'));
    CHECK(target.receive().status == 431);
}

TEST_CASE("who is slow with a request is told so and cut off", "[service]") {
    errand::service_options how;
    how.header_timeout = 100ms;
    how.body_timeout = 100ms;
    counter t{how};
    for (const auto& bytes :
         {"GET /healthz HTTP/1.1\r\nHost: loc"s, head(t, "Content-Length: 30\r\n\r\n") + R"({"handler")"}) {
        INFO(bytes);
        // Who has not begun by then is closed without a word.
        errand::test::eventually([&] {
            auto slow = t.connect();
            slow.send(bytes);
            const auto got = slow.receive();
            if (got.status == 0) return false;
            CHECK(got.status == 408);
            CHECK(got.closes());
            CHECK(slow.ended());
            return true;
        });
    }
    CHECK(t.run(t.app.inspect().queues()).empty());
}

TEST_CASE("who asks nothing is closed after a while", "[service]") {
    errand::service_options how;
    how.idle_timeout = 100ms;
    counter t{how};
    auto idle = t.connect();
    CHECK(idle.ended());
}

TEST_CASE("who has not asked anything yet is closed as who is slow with a request is", "[service]") {
    errand::service_options how;
    how.idle_timeout = 1h;
    how.header_timeout = 100ms;
    counter t{how};
    auto idle = t.connect();
    CHECK(idle.ended());
}

TEST_CASE("requests that are sent without waiting are answered in order", "[service]") {
    counter t;
    auto at = t.connect();
    std::string all;
    constexpr int n = 20;
    for (int i = 0; i < n; ++i) {
        const auto body = R"({"handler": "parcel", "biz_id": ")" + std::to_string(i / 2) + R"("})";
        all += head(t, "Content-Length: " + std::to_string(body.size()) + "\r\n\r\n") + body;
        all += "GET /healthz HTTP/1.1\r\nHost: localhost\r\n\r\n";
    }
    at.send(all);
    for (int i = 0; i < n; ++i) {
        CHECK(at.receive().status == (i % 2 == 0 ? 201 : 200));
        CHECK(at.receive().body == R"({"status":"ok"})");
    }
}

TEST_CASE("a body may come in chunks, however they are cut", "[service]") {
    counter t;
    auto at = t.connect();
    const auto start = head(t, "Transfer-Encoding: Chunked\r\n\r\n");
    std::string single = start;
    for (const char c : task) single += chunk({&c, 1});
    at.send(single + "0\r\n\r\n");
    CHECK(at.receive().status == 201);
    const auto whole = start + chunk(task) + "0\r\nTrailer: there\r\n\r\n";
    // Byte by byte, as a network may bring it.
    for (const char c : whole) at.send({&c, 1});
    CHECK(at.receive().status == 201);
    at.send(start + "5;name=value\r\n" + task.substr(0, 5) + "\r\n" + chunk(task.substr(5)) + "0\r\n\r\n");
    CHECK(at.receive().status == 201);
    CHECK(t.tasks_in(errand::state::ready) == 3);
}

TEST_CASE("who expects 100-continue is told to go on, or at once that it is in vain", "[service]") {
    counter t;
    auto at = t.connect();
    at.send(head(t, "Expect: 100-Continue\r\nContent-Length: " + std::to_string(task.size()) + "\r\n\r\n"));
    CHECK(at.receive().status == 100);
    at.send(task);
    CHECK(at.receive().status == 201);
    at.send("POST " + t.path("/nowhere") +
            " HTTP/1.1\r\nHost: localhost\r\nExpect: 100-continue\r\n"
            "Content-Length: 10\r\n\r\n");
    const auto refused = at.receive();
    CHECK(refused.status == 404);
    CHECK(refused.closes());
}

TEST_CASE("HEAD is answered like GET, without the body", "[service]") {
    counter t;
    auto at = t.connect();
    const auto got = at.ask("HEAD", "/healthz");
    CHECK(got.status == 200);
    CHECK(got.headers.at("content-length") == "15");
    CHECK(at.ask("GET", "/healthz").body.size() == 15);
    CHECK(at.ask("HEAD", t.path("/tasks")).status == 400);
    CHECK(at.ask("GET", "/healthz").status == 200);
}

TEST_CASE("a body that a call does not want is thrown away, and the connection goes on", "[service]") {
    counter t;
    auto at = t.connect();
    const std::string large(200'000, 'x');
    CHECK(at.ask("GET", "/healthz", large).status == 200);
    CHECK(at.ask("GET", t.path("/queues"), large).status == 200);
    const auto id = t.submit(R"({"handler": "parcel", "delay_ms": 3600000})");
    CHECK(at.ask("POST", t.path("/tasks/" + id + ":cancel"), "x").status == 200);
}

TEST_CASE("a client of HTTP/1.0 is answered and closed, unless it asks to stay", "[service]") {
    counter t;
    auto at = t.connect();
    at.send("GET /healthz HTTP/1.0\r\nHost: localhost\r\nConnection: keep-alive\r\n\r\n");
    CHECK(at.receive().status == 200);
    at.send("GET /healthz HTTP/1.0\r\nHost: localhost\r\n\r\n");
    const auto got = at.receive();
    CHECK(got.status == 200);
    CHECK(got.closes());
    CHECK(at.ended());
    auto closing = t.connect();
    CHECK(closing.ask("GET", "/healthz", {}, {"Connection: close"}).closes());
    CHECK(closing.ended());
}

TEST_CASE("the access log names each request and holds nothing that is secret", "[service]") {
    errand::service_options how;
    how.access_log = errand::access_log::json;
    counter t{how};
    auto at = t.connect();
    const auto got = at.ask("GET", t.path("/tasks?state=ready&tag=secret-one"), {},
                            {"Authorization: Bearer secret-two", "Cookie: secret-three"});
    CHECK(got.status == 200);
    at.ask("POST", t.path("/tasks"), R"({"handler": "parcel", "args": ["secret-four"]})");
    at.ask("GET", "/nowhere");
    errand::test::eventually([&] { return t.log_lines().size() == 3; });
    const auto lines = t.log_lines();
    const auto first = response{.status = 200, .headers = {}, .body = lines.at(0)}.json();
    CHECK(first.at("request") == boost::json::string_view{got.headers.at("x-request-id")});
    CHECK(first.at("path") == boost::json::string_view{t.path("/tasks")});
    CHECK(first.at("status") == 200);
    CHECK(first.at("peer") == "127.0.0.1");
    CHECK(response{.status = 0, .headers = {}, .body = lines.at(2)}.json().at("status") == 404);
    for (const auto& line : lines) CHECK_THAT(line, !ContainsSubstring("secret"));
}

TEST_CASE("an access log that throws ends no connection", "[service]") {
    std::atomic<int> lines{0};
    errand::service_options how;
    how.access_log_sink = [&](std::string_view) {
        ++lines;
        throw std::runtime_error{"the disk is full"};
    };
    counter t{how};
    auto at = t.connect();
    for (int i = 0; i < 3; ++i) CHECK(at.ask("GET", "/healthz").status == 200);
    errand::test::eventually([&] { return lines == 3; });
    CHECK(t.connect().ask("GET", "/healthz").status == 200);
    t.stop_service();
}

TEST_CASE("what a path says does not end its quotes in the access log, nor reach a terminal as it is",
          "[service]") {
    errand::web::request in;
    in.method = "GET";
    in.id = "0123";
    in.path = "/a\"b\x1b\x7f\xc2\x9b/\xc3\xbc%22";
    const auto line = errand::web::access_line(errand::access_log::text, in, {.status = 404});
    CHECK_THAT(line, ContainsSubstring("\"GET /a%22b%1b%7f%c2%9b/\xc3\xbc%22\" 404"));
}
