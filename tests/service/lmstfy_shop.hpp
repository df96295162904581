// A service with lmstfy's APIs, and a client of them that says what lmstfy's clients say.
#pragma once

#include "service/counter.hpp"

#include <boost/json/array.hpp>
#include <boost/json/object.hpp>
#include <boost/json/value.hpp>

#include <catch2/catch_test_macros.hpp>

#include <memory>
#include <string>
#include <utility>
#include <vector>

namespace service_test {

inline errand::service_options with_lmstfy(errand::lmstfy_options more = {}) {
    errand::service_options how;
    how.lmstfy = std::move(more);
    how.lmstfy.listen = {"127.0.0.1:0"};
    how.lmstfy.admin_listen = {"127.0.0.1:0"};
    return how;
}

// Where it listens is told while it starts, before the counter is there.
struct lmstfy_addresses {
    std::vector<std::string> api;
    std::vector<std::string> admin;
};

inline errand::service_options told(errand::service_options how,
                                    const std::shared_ptr<lmstfy_addresses>& to) {
    how.lmstfy.on_listening = [to](const auto& api, const auto& admin) {
        to->api = api;
        to->admin = admin;
    };
    return how;
}

class lmstfy_client {
public:
    lmstfy_client(const std::string& address, std::string name_space, std::string token)
        : at_{address}, name_space_{std::move(name_space)}, token_{std::move(token)} {}

    client& line() noexcept { return at_; }
    const std::string& token() const noexcept { return token_; }

    response ask(std::string_view method, std::string_view rest, std::string_view body = {},
                 std::vector<std::string> headers = {}) {
        headers.push_back("X-Token: " + token_);
        auto got = at_.ask(method, "/api/" + name_space_ + '/' + std::string{rest}, body, std::move(headers));
        INFO(method << ' ' << rest << ": " << got.status << ' ' << got.body);
        CHECK(got.headers.contains("x-request-id"));
        return got;
    }
    // Its id.
    std::string publish(std::string_view rest, std::string_view data, std::vector<std::string> headers = {}) {
        const auto got = ask("PUT", rest, data, std::move(headers));
        INFO(rest << ": " << got.body);
        REQUIRE(got.status == 201);
        CHECK(got.json().at("msg") == "published");
        return std::string{got.json().at("job_id").as_string()};
    }
    boost::json::object consume(std::string_view rest) {
        const auto got = ask("GET", rest);
        INFO(rest << ": " << got.body);
        REQUIRE(got.status == 200);
        CHECK(got.json().at("msg") == "new job");
        return got.json().as_object();
    }
    bool is_empty(std::string_view rest) {
        const auto got = ask("GET", rest);
        return got.status == 404 && got.json() == boost::json::value{{"msg", "no job available"}};
    }
    void acknowledge(std::string_view queue, const std::string& id) {
        const auto got = ask("DELETE", std::string{queue} + "/job/" + id);
        CHECK(got.status == 204);
        CHECK(got.body.empty());
        CHECK_FALSE(got.headers.contains("content-length"));
    }
    std::int64_t size(std::string_view queue) {
        return ask("GET", std::string{queue} + "/size").json().at("size").to_number<std::int64_t>();
    }
    std::int64_t dead(std::string_view queue) {
        return ask("GET", std::string{queue} + "/deadletter/size")
            .json()
            .at("size")
            .to_number<std::int64_t>();
    }
    // Waits for the death of a job by asking for it again.
    void until_dead(std::string_view queue, std::int64_t count = 1) {
        errand::test::eventually([&] { return dead(queue) == count; });
    }

private:
    client at_;
    std::string name_space_;
    std::string token_;
};

struct lmstfy_shop {
    explicit lmstfy_shop(errand::service_options how = with_lmstfy(),
                         errand::config settings = errand::test::fresh_settings())
        : t{told(std::move(how), at), std::move(settings)} {}

    client admin() const { return client{at->admin.front()}; }
    std::string make_token(const std::string& name_space, const std::string& more = {}) const {
        auto line = admin();
        const auto got = line.ask("POST", "/token/" + name_space + "?description=test" + more);
        INFO(got.body);
        REQUIRE(got.status == 201);
        return std::string{got.json().at("token").as_string()};
    }
    // The service's own namespace, which the connections share a loop with, and another one, which has a loop of its own.
    std::string name() const { return t.app.settings().name_space; }
    std::string other() const { return name() + "_b"; }

    lmstfy_client connect() { return connect(name()); }
    lmstfy_client connect(const std::string& name_space) {
        auto& token = tokens_[name_space];
        if (token.empty()) token = make_token(name_space);
        return with_token(name_space, token);
    }
    lmstfy_client with_token(const std::string& name_space, const std::string& token) const {
        return {at->api.front(), name_space, token};
    }

    std::shared_ptr<lmstfy_addresses> at = std::make_shared<lmstfy_addresses>();
    counter t;

private:
    std::map<std::string, std::string> tokens_;
};

inline std::string job_id_of(const boost::json::object& job) {
    return std::string{job.at("job_id").as_string()};
}
inline std::string data_of(const boost::json::object& job) { return std::string{job.at("data").as_string()}; }

}  // namespace service_test
