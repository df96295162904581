// Each row of the route table, held against what is promised of all of them. A row without an example here fails the test.
#include "service/table_rows.hpp"

#include <catch2/catch_test_macros.hpp>
#include <catch2/matchers/catch_matchers_string.hpp>

#include <algorithm>

using Catch::Matchers::ContainsSubstring;
using service_test::counter;
using service_test::row;
namespace web = errand::web;

TEST_CASE("each call does what its row says, says who asked, and leaves the connection open", "[service]") {
    for (const auto& one : web::routes()) {
        row r{one};
        INFO(one.method << ' ' << one.path);
        auto at = r.t.connect();
        const auto got = r.ask(at);
        INFO(got.body);
        CHECK(got.status == r.example.status);
        CHECK_FALSE(got.headers.at("x-request-id").empty());
        CHECK(got.headers.at("content-type").starts_with(one.type));
        CHECK(got.headers.at("cache-control") == "no-store");
        // What has no end is ended by closing it.
        const bool streams = one.type == "text/event-stream";
        CHECK(got.closes() == streams);
        if (!streams) CHECK(at.ask("GET", "/healthz").status == 200);
        // What a call answers is in its row.
        CHECK(std::ranges::any_of(one.answers,
                                  [&](const web::outcome& o) { return o.status == got.status; }));
    }
}

TEST_CASE("a call by another method is refused and says which there are", "[service]") {
    for (const auto& one : web::routes()) {
        row r{one};
        INFO(one.method << ' ' << one.path);
        auto at = r.t.connect();
        for (const auto* method : {"PUT", "OPTIONS", "TRACE", "DELETE"}) {
            const auto serves = [&](const web::route& other) {
                return other.path == one.path && other.method == method;
            };
            if (std::ranges::any_of(web::routes(), serves)) continue;
            const auto got = at.ask(method, r.path());
            CHECK(got.status == 405);
            CHECK(got.error_code() == "method_not_allowed");
            CHECK_THAT(got.headers.at("allow"), ContainsSubstring(std::string{one.method}));
        }
    }
}

TEST_CASE("a parameter that a call does not take is refused by name", "[service]") {
    for (const auto& one : web::routes()) {
        if (one.path.find("{namespace}") == one.path.npos) continue;
        row r{one};
        INFO(one.method << ' ' << one.path);
        auto at = r.t.connect();
        const auto query = r.example.query.empty() ? "?colour=red" : r.example.query + "&colour=red";
        const auto got = at.ask(one.method, r.path() + query, r.example.body);
        CHECK(got.status == 400);
        CHECK(got.json().at("error").at("path") == "colour");
        if (!r.example.query.empty()) {
            CHECK(at.ask(one.method, r.path() + r.example.query + '&' + r.example.query.substr(1)).status ==
                  400);
        }
    }
}

TEST_CASE("another namespace is answered the same whether there is one or not", "[service]") {
    for (const auto& one : web::routes()) {
        if (one.path.find("{namespace}") == one.path.npos) continue;
        row r{one};
        INFO(one.method << ' ' << one.path);
        // One that is there, with a task that ours has not.
        auto settings = r.t.app.settings();
        settings.name_space = "other-" + settings.name_space;
        errand::app other{settings};
        other.block_on(other.perform("parcel", {1}));
        const auto ask = [&](const std::string& name_space) {
            auto at = r.t.connect();
            return at.ask(one.method, r.path(name_space) + r.example.query, r.example.body);
        };
        const auto there = ask(settings.name_space);
        const auto nowhere = ask("no-such-thing");
        CHECK(there.status == 404);
        CHECK(there.body == nowhere.body);
        r.check_unchanged();
    }
}

TEST_CASE("a body that is no JSON object, or is not said to be one, is refused", "[service]") {
    for (const auto& one : web::routes()) {
        if (one.body.empty()) continue;
        row r{one};
        INFO(one.method << ' ' << one.path);
        auto at = r.t.connect();
        for (const auto* text : {"{\"handler\": ", "[1]", "nothing", "{}x", "\xff", "{\"a\": 01}"}) {
            const auto got = at.ask(one.method, r.path(), text);
            INFO(text << got.body);
            CHECK(got.status == 400);
            CHECK(got.error_code() == "bad_request");
        }
        const std::string head = std::string{one.method} + ' ' + r.path() +
                                 " HTTP/1.1\r\nHost: " + at.host() +
                                 "\r\nContent-Length: " + std::to_string(r.example.body.size()) + "\r\n";
        for (const auto* type : {"", "Content-Type: text/plain\r\n", "Content-Type: application/jsonp\r\n",
                                 "Content-Type: application/x-www-form-urlencoded\r\n"}) {
            at.send(head + type + "\r\n" + r.example.body);
            CHECK(at.receive().status == 415);
        }
        at.send(head + "Content-Type: Application/JSON ; charset=utf-8\r\n\r\n" + r.example.body);
        CHECK(at.receive().status == r.example.status);
    }
}

TEST_CASE("a member that a call does not take is refused by name", "[service]") {
    for (const auto& one : web::routes()) {
        if (one.body.empty()) continue;
        row r{one};
        INFO(one.method << ' ' << one.path);
        auto at = r.t.connect();
        auto body = r.example.body;
        body.insert(1, R"("colour": "red", )");
        const auto got = at.ask(one.method, r.path(), body);
        CHECK(got.status == 400);
        CHECK(got.json().at("error").at("path") == "colour");
        const auto needed = std::ranges::find(one.body, true, &web::field::required);
        if (needed == one.body.end()) continue;
        const auto empty = at.ask(one.method, r.path(), "{}");
        CHECK(empty.status == 400);
        CHECK(empty.json().at("error").at("path") == boost::json::string_view{needed->name});
    }
}

TEST_CASE("a body that is too large is refused before it is read", "[service]") {
    errand::service_options how;
    how.max_body = 4096;
    for (const auto& one : web::routes()) {
        row r{one, how};
        INFO(one.method << ' ' << one.path);
        auto at = r.t.connect();
        at.send(std::string{one.method} + ' ' + r.path() + " HTTP/1.1\r\nHost: " + at.host() +
                "\r\nContent-Type: application/json\r\nContent-Length: 4097\r\n\r\n");
        const auto got = at.receive();
        CHECK(got.status == 413);
        CHECK(got.error_code() == "too_large");
        CHECK(got.closes());
        CHECK(at.ended());
        auto piecemeal = r.t.connect();
        piecemeal.send(std::string{one.method} + ' ' + r.path() + " HTTP/1.1\r\nHost: " + at.host() +
                       "\r\nContent-Type: application/json\r\nTransfer-Encoding: chunked\r\n\r\n1001\r\n");
        CHECK(piecemeal.receive().status == 413);
        CHECK(piecemeal.ended());
    }
}

TEST_CASE("a call that needs little takes little, and less than the service takes of others", "[service]") {
    for (const auto& one : web::routes()) {
        row r{one};
        INFO(one.method << ' ' << one.path);
        const auto most = one.large          ? errand::service_options{}.max_body
                          : one.body.empty() ? std::size_t{1024} * 1024
                                             : std::size_t{64} * 1024;
        auto at = r.t.connect();
        at.send(std::string{one.method} + ' ' + r.path() + r.example.query +
                " HTTP/1.1\r\nHost: " + at.host() + "\r\nContent-Type: application/json\r\nContent-Length: " +
                std::to_string(most + 1) + "\r\n\r\n");
        CHECK(at.receive().status == 413);
        CHECK(at.ended());
        r.check_unchanged();
        // White space to the last byte is JSON, and a body that is not wanted may be anything.
        auto full = r.t.connect();
        const auto body = r.example.body + std::string(most - r.example.body.size(), ' ');
        CHECK(full.ask(one.method, r.path() + r.example.query, body).status == r.example.status);
    }
}

TEST_CASE("a request has one Host header, and it names this service", "[service]") {
    for (const auto& one : web::routes()) {
        row r{one};
        INFO(one.method << ' ' << one.path);
        const auto status = [&](const std::string& headers) {
            auto at = r.t.connect();
            at.send(r.bytes(headers));
            return at.receive().status;
        };
        CHECK(status("Host: evil.example\r\n") == 403);
        CHECK(status("Host: localhost.evil.example\r\n") == 403);
        CHECK(status("Host: 10.9.8.7\r\n") == 403);
        CHECK(status("Host: \r\n") == 400);
        CHECK(status("") == 400);
        CHECK(status("Host: localhost\r\nHost: localhost\r\n") == 400);
        CHECK(status("Host: localhost\r\nHost: evil.example\r\n") == 400);
        CHECK(status("Host: user@localhost\r\n") == 400);
        CHECK(status("Host: localhost:port\r\n") == 400);
        r.check_unchanged();
        CHECK(status("Host: LocalHost:1234\r\n") == r.example.status);
    }
}

TEST_CASE("what a page of another site has a browser ask is refused", "[service]") {
    for (const auto& one : web::routes()) {
        row r{one};
        INFO(one.method << ' ' << one.path);
        const auto status = [&](const std::string& headers) {
            auto at = r.t.connect();
            at.send(r.bytes("Host: " + at.host() + "\r\n" + headers));
            return at.receive().status;
        };
        CHECK(status("Sec-Fetch-Site: cross-site\r\n") == 403);
        CHECK(status("Sec-Fetch-Site: same-site\r\n") == 403);
        CHECK(status("Origin: http://evil.example\r\n") == 403);
        CHECK(status("Origin: null\r\n") == 403);
        r.check_unchanged();
        CHECK(status("Sec-Fetch-Site: none\r\n") == r.example.status);
    }
}

TEST_CASE("a path that is none is answered 404 and tells nothing", "[service]") {
    counter t;
    auto at = t.connect();
    for (const auto* path : {"/v1", "/v2/x/tasks", "/healthz/", "//healthz", "/v1//tasks", "/ui/none"}) {
        const auto got = at.ask("GET", path);
        CHECK(got.status == 404);
        CHECK(got.error_code() == "not_found");
    }
    CHECK(at.ask("GET", t.path("/tasks/%zz")).status == 400);
    CHECK(at.ask("GET", t.path("/tasks/%00")).status == 400);
    CHECK(at.ask("GET", t.path("/tasks/no-id")).status == 404);
    CHECK(at.ask("GET", t.path("/tasks/../queues")).status == 404);
    // As long as the path says the same, it may be written otherwise.
    auto name = t.app.settings().name_space;
    CHECK(at.ask("GET", "/v1/%74" + name.substr(1) + "/queues").status == 200);
}
