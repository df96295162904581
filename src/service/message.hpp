// A request and its answer, apart from how they travel. Data only.
#pragma once

#include <errand/awaitable.hpp>

#include "core/request_rules.hpp"

#include <any>
#include <functional>
#include <optional>
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
    std::string id;       // shown as X-Request-ID
    std::string peer;     // who asks: an address, or "unix"
    bool secure = false;  // it came by TLS
    std::string who{};    // the name of the token that came with it, once that was looked at
    std::optional<request_count> counted{};  // by the rate of that token; nullopt: it has none
    std::vector<std::string>
        only_queues{};  // of that token, sorted: what it has to do with; empty: all of them
    std::any badge{};   // what its site has found out of who asks

    // The first of this name, in whatever case; null: there is none.
    const std::string* find_header(std::string_view name) const noexcept;
    std::size_t count_headers(std::string_view name) const noexcept;
    // Whether who asks has to do with what is in this queue.
    bool may_use_queue(std::string_view queue) const noexcept;
};

struct answer {
    int status = 200;
    std::string body{};
    std::string type = "application/json";
    std::vector<header> headers{};
    // Called when the client did not get it, as far as one can know; may be empty.
    std::function<void()> unsent{};
    // Of one without an end: after its headers come the texts that this gives, until one is empty. It waits by the desk of
    // its call. Empty: the body is all.
    std::function<awaitable<std::string>()> more{};
};

// "Not Found"
std::string_view reason_of(int status) noexcept;

bool same_header_name(std::string_view a, std::string_view b) noexcept;

// As it is sent: status line, headers, body (left out for HEAD). Of one that has `more`: as far as its body.
std::string written(const answer& what, const request& to, bool keep_alive);

}  // namespace errand::web
