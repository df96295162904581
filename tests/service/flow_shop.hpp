// Flows, as tests use them: a type, those who create its tasks, and those who hold them.
#pragma once

#include "service/counter.hpp"

#include <boost/json/array.hpp>
#include <boost/json/object.hpp>
#include <boost/json/serialize.hpp>

#include <catch2/catch_test_macros.hpp>

#include <string>
#include <string_view>
#include <utility>

namespace service_test {

// What a C++ program and programs over HTTP both run: its queue has its name.
struct film {
    errand::awaitable<boost::json::value> perform(boost::json::value what);
};

}  // namespace service_test

ERRAND_DECLARE_HANDLER(service_test::film, .name = "film", .queue = "film")

namespace service_test {

using boost::json::object;

class flow_shop {
public:
    // Of this type there is one; `rules`: the members of its body.
    explicit flow_shop(std::string_view rules = {}, errand::service_options how = {},
                       errand::config settings = errand::test::fresh_settings())
        : t{std::move(how), std::move(settings)}, line_{t.address()} {
        put_type("film", rules);
    }

    counter t;

    client connect() const { return t.connect(); }
    std::string path(std::string_view rest) const {
        return "/flow/v1/" + t.app.settings().name_space + std::string{rest};
    }
    response ask(std::string_view method, std::string_view rest, std::string_view body = {},
                 std::vector<std::string> headers = {}) {
        return line_.ask(method, path(rest), body, std::move(headers));
    }
    // The text of a call that a client of his own sends, and whose answer it takes later.
    std::string request(const client& at, std::string_view rest, const std::string& body) const {
        return "POST " + path(rest) + " HTTP/1.1\r\nHost: " + at.host() +
               "\r\nContent-Type: application/json\r\nContent-Length: " + std::to_string(body.size()) +
               "\r\n\r\n" + body;
    }
    // Of a call that is to work.
    object done(std::string_view method, std::string_view rest, std::string_view body = {}) {
        const auto got = ask(method, rest, body);
        INFO(method << ' ' << rest << ' ' << body << ": " << got.body);
        REQUIRE(got.status / 100 == 2);
        return got.json().as_object();
    }
    void put_type(const std::string& name, std::string_view rules = {}) {
        done("PUT", "/types/" + name, '{' + std::string{rules} + '}');
    }
    // Its id.
    std::string create(std::string_view more = {}) {
        const std::string comma = more.empty() ? "" : ", ";
        return text(done("POST", "/tasks", R"({"type": "film")" + comma + std::string{more} + '}'), "id");
    }
    object look(const std::string& id, std::string_view query = {}) {
        return done("GET", "/tasks/film/" + id + std::string{query});
    }
    boost::json::array hold(std::string_view said = {}) {
        return done("POST", "/types/film:hold", '{' + std::string{said} + '}').at("tasks").as_array();
    }
    // One that comes sooner or later.
    object hold_one(std::string_view more = {}) {
        const std::string comma = more.empty() ? "" : ", ";
        const auto got = hold(R"("limit": 1, "wait_ms": 60000)" + comma + std::string{more});
        REQUIRE(got.size() == 1);
        return got.front().as_object();
    }
    // What is said of a task that is held; begins with its outcome.
    response report(const object& task, std::string_view outcome, std::string_view more = {}) {
        std::string body =
            R"({"claim": ")" + text(task, "claim") + R"(", "outcome": ")" + std::string{outcome} + '"';
        if (!more.empty()) body += ", " + std::string{more};
        return ask("POST", "/tasks/film/" + text(task, "id") + ":report", body + '}');
    }
    object reported(const object& task, std::string_view outcome, std::string_view more = {}) {
        const auto got = report(task, outcome, more);
        INFO(got.body);
        REQUIRE(got.status == 200);
        return got.json().as_object();
    }
    object extend(const object& task, std::string_view more = {}) {
        return done("POST", "/leases:extend",
                    R"({"leases": [)" + lease_of(task) + ']' + std::string{more} + '}')
            .at("results")
            .at(0)
            .as_object();
    }
    static std::string lease_of(const object& task) {
        return R"({"type": "film", "id": ")" + text(task, "id") + R"(", "claim": ")" + text(task, "claim") +
               R"("})";
    }
    static std::string text(const object& from, std::string_view member) {
        return std::string{from.at(member).as_string()};
    }

private:
    client line_;
};

inline std::string json_text(const boost::json::value& value) { return boost::json::serialize(value); }

}  // namespace service_test
