// A request and its answer, apart from how they travel. Data only.
#pragma once

#include <any>
#include <functional>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

namespace errand::web {

struct header {
    std::string name;
    std::string value;
};

struct request {
    std::string method;
    std::string path;   // as it was sent, percent signs and all, without the query
    std::string query;  // what stood behind the "?"
    std::vector<header> headers;
    std::string body;
    std::string id;     // shown as X-Request-ID
    std::string peer;   // who asks: an address, or "unix"
    std::string who{};  // the name of the token that came with it, once that was looked at
    std::any badge{};   // what its site has found out of who asks

    // The first of this name, in whatever case; null: there is none.
    const std::string* find_header(std::string_view name) const noexcept;
    std::size_t count_headers(std::string_view name) const noexcept;
};

struct answer {
    int status = 200;
    std::string body{};
    std::string type = "application/json";
    std::vector<header> headers{};
    // Called when the client did not get it, as far as one can know; may be empty.
    std::function<void()> unsent{};
};

// "Not Found"
std::string_view reason_of(int status) noexcept;

bool same_header_name(std::string_view a, std::string_view b) noexcept;

// As it is sent: status line, headers, body (left out for HEAD).
std::string written(const answer& what, const request& to, bool keep_alive);

}  // namespace errand::web
