// A file of tokens that a test changes while a service reads it, and who asks by them.
#pragma once

#include "service/counter.hpp"
#include "service/token_list.hpp"
#include "support/places.hpp"

#include <filesystem>
#include <fstream>
#include <string>
#include <utility>
#include <vector>

namespace service_test {

struct token_folder {
    ~token_folder() { std::filesystem::remove_all(path); }
    // As a careful editor does it: the file is there at all times.
    std::string file(const std::string& text) const {
        const auto name = (path / "tokens").string();
        std::ofstream{name + ".new"} << text;
        std::filesystem::rename(name + ".new", name);
        return name;
    }
    std::filesystem::path path = errand::test::temporary_folder("tokens");
};

inline errand::service_options with_tokens(const std::string& file) {
    errand::service_options how;
    how.tokens_file = file;
    return how;
}

inline errand::service_options with_stored_tokens() {
    errand::service_options how;
    how.stored_tokens = true;
    return how;
}

// Asks by one token.
class holder {
public:
    holder(const counter& of, std::string token) : t_{of}, at_{of.address()}, token_{std::move(token)} {}
    holder(const counter& of, const std::string& address, std::string token)
        : t_{of}, at_{address}, token_{std::move(token)} {}

    client& line() noexcept { return at_; }
    response ask(std::string_view method, std::string_view path, std::string_view body = {}) {
        return at_.ask(method, t_.path(path), body, {"X-Token: " + token_});
    }
    response flow(std::string_view method, std::string_view path, std::string_view body = {}) {
        return at_.ask(method, "/flow" + t_.path(path), body, {"X-Token: " + token_});
    }
    int status(std::string_view path) { return ask("GET", path).status; }
    // What is asked, without waiting for its answer.
    void send(std::string_view method, const std::string& path, std::string_view body = {},
              std::string_view more = {}) {
        at_.send(std::string{method} + ' ' + path + " HTTP/1.1\r\nHost: " + at_.host() +
                 "\r\nX-Token: " + token_ + "\r\nContent-Type: application/json\r\nContent-Length: " +
                 std::to_string(body.size()) + "\r\n" + std::string{more} + "\r\n" + std::string{body});
    }

private:
    const counter& t_;
    client at_;
    std::string token_;
};

}  // namespace service_test
