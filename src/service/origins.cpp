#include "service/origins.hpp"

#include <errand/error.hpp>

#include "service/target.hpp"

#include <algorithm>
#include <string_view>
#include <utility>

namespace errand::web {
namespace {

awaitable<answer> give_leave(call&) {
    co_return answer{
        .status = 204,
        .body = {},
        .headers = {{"Access-Control-Allow-Methods", "GET, POST, PUT, PATCH, DELETE"},
                    {"Access-Control-Allow-Headers",
                     "Authorization, X-Token, Content-Type, Idempotency-Key, If-Match, traceparent, "
                     "tracestate"},
                    {"Access-Control-Max-Age", "600"}}};
}

constexpr route leave{.method = "OPTIONS",
                      .path = "_leave",
                      .needs = scope::open,
                      .name = "leave",
                      .meaning = "What pages of named origins may ask for",
                      .run = give_leave};

}  // namespace

std::string read_origin(const std::string& text) {
    std::string name = text;
    std::ranges::transform(name, name.begin(), [](char c) {
        return c >= 'A' && c <= 'Z' ? static_cast<char>(c - 'A' + 'a') : c;
    });
    for (const auto& [scheme, usual] : {std::pair<std::string_view, std::string_view>{"https://", ":443"},
                                        std::pair<std::string_view, std::string_view>{"http://", ":80"}}) {
        if (!name.starts_with(scheme)) continue;
        const auto host = name.substr(scheme.size());
        if (host.ends_with(usual)) {
            throw usage_error{"service_options .origins: \"" + text +
                              "\" names the usual port of its scheme, which no browser says: leave out " +
                              std::string{usual}};
        }
        if (host.find_first_of("/@?#*") == host.npos && host_name_of(host)) return name;
    }
    throw usage_error{
        "service_options .origins: \"" + text +
        "\" is no origin: name each exactly, as https://shop.example.com or http://localhost:3000"};
}

bool is_of_origin(const request& in, const std::vector<std::string>& named) {
    const auto* origin = in.find_header("Origin");
    return origin && in.count_headers("Origin") == 1 && std::ranges::find(named, *origin) != named.end();
}

bool asks_for_leave(const request& in) {
    return in.method == "OPTIONS" && in.find_header("Access-Control-Request-Method");
}

const route& leave_route() noexcept { return leave; }

void add_origin(answer& to, const request& in) {
    to.headers.push_back({"Access-Control-Allow-Origin", *in.find_header("Origin")});
    to.headers.push_back({"Access-Control-Expose-Headers", "ETag, Location, Retry-After, X-Request-ID"});
}

}  // namespace errand::web
