// lmstfy's API of the program `errand`, on a namespace of an office's store.
#pragma once

#include "cli/served.hpp"

#include <boost/json/parse.hpp>

#include <catch2/catch_test_macros.hpp>

#include <optional>
#include <string>
#include <utility>
#include <vector>

namespace cli_test {

struct answered {
    int status = 0;
    std::string body;
    boost::json::value document() const { return boost::json::parse(body); }
};

inline answered ask_http(int port, const std::string& method, const std::string& target,
                         const std::string& headers = {}, const std::string& body = {}) {
    const auto got =
        answer_to(port, method + ' ' + target + " HTTP/1.1\r\nHost: localhost\r\nConnection: close\r\n" +
                            headers + "Content-Length: " + std::to_string(body.size()) + "\r\n\r\n" + body);
    INFO(got);
    const auto end = got.find("\r\n\r\n");
    REQUIRE(end != got.npos);
    return {std::stoi(got.substr(9)), got.substr(end + 4)};
}

struct lmstfy_server {
    lmstfy_server(const office& of, std::string name_space) : name{std::move(name_space)} {
        auto variables = of.variables();
        variables["ERRAND_NAME_SPACE"] = name;
        server.emplace(std::vector<std::string>{"serve", "--listen", "127.0.0.1:0", "--lmstfy", "127.0.0.1:0",
                                                "--lmstfy-admin", "127.0.0.1:0", "--access-log", "off"},
                       variables, std::string{});
        port = port_behind("lmstfy's API on http://127.0.0.1:");
        const auto admin = port_behind("lmstfy's admin API on http://127.0.0.1:");
        const auto made = ask_http(admin, "POST", "/token/" + name + "?description=test");
        REQUIRE(made.status == 201);
        token = made.document().at("token").as_string();
    }

    int port_behind(const std::string& words) const {
        int found = 0;
        errand::test::eventually([&] {
            const auto said = server->said();
            const auto at = said.find(words);
            if (at == said.npos || said.find('\n', at) == said.npos) return false;
            found = std::stoi(said.substr(at + words.size()));
            return true;
        });
        return found;
    }
    answered ask(const std::string& method, const std::string& rest, const std::string& body = {},
                 const std::string& headers = {}) const {
        return ask_http(port, method, "/api/" + name + '/' + rest, "X-Token: " + token + "\r\n" + headers,
                        body);
    }
    void publish(const std::string& rest, const std::string& body, const std::string& headers = {}) const {
        REQUIRE(ask("PUT", rest, body, headers).status == 201);
    }
    boost::json::object consume(const std::string& rest) const {
        const auto got = ask("GET", rest);
        INFO(got.body);
        REQUIRE(got.status == 200);
        return got.document().as_object();
    }
    std::int64_t size(const std::string& queue) const {
        return ask("GET", queue + "/size").document().at("size").to_number<std::int64_t>();
    }
    std::int64_t dead(const std::string& queue) const {
        return ask("GET", queue + "/deadletter/size").document().at("size").to_number<std::int64_t>();
    }
    std::string url(const std::string& queues) const {
        return "lmstfy://" + token + "@127.0.0.1:" + std::to_string(port) + '/' + name + '/' + queues;
    }

    std::string name;
    std::string token;
    int port = 0;
    std::optional<errand::test::cli_process> server{};
};

}  // namespace cli_test
