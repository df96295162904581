#include "service/checks.hpp"

#include "service/refusal.hpp"
#include "service/target.hpp"

#include <boost/asio/ip/address.hpp>

#include <algorithm>
#include <optional>
#include <string_view>

namespace errand::web {
namespace {

bool all_digits(const std::string& text) {
    return !text.empty() && text.find_first_not_of("0123456789") == text.npos;
}

bool is_own_address(const std::string& name, const std::string& own) {
    boost::system::error_code ec;
    const auto address = boost::asio::ip::make_address(name, ec);
    return !ec && (address.is_loopback() || address.to_string() == own);
}

}  // namespace

void check_framing(const request& in, unsigned version) {
    const auto* length = in.find_header("Content-Length");
    const auto* encoding = in.find_header("Transfer-Encoding");
    if (in.count_headers("Content-Length") > 1 || (length && !all_digits(*length)))
        throw bad_request("the length of the body is not said once, as a number", "Content-Length");
    if (!encoding) return;
    if (in.count_headers("Transfer-Encoding") > 1 || length || version < 11)
        throw bad_request("the length of the body is said in two ways", "Transfer-Encoding");
    if (!same_header_name(*encoding, "chunked")) {
        throw refusal{501, "not_implemented", "of transfer encodings only \"chunked\" is read",
                      "Transfer-Encoding"};
    }
}

void check_host(const request& in, const std::string& own, const std::vector<std::string>& known) {
    const auto* header = in.find_header("Host");
    const auto name = header ? host_name_of(*header) : std::nullopt;
    if (in.count_headers("Host") != 1) throw bad_request("a request has one Host header", "Host");
    // No browser asks by a unix socket, so no page's made-up name comes by it.
    if (own.empty()) return;
    if (!name) throw bad_request("the Host header is no name or address", "Host");
    if (*name == "localhost" || is_own_address(*name, own)) return;
    if (std::ranges::find(known, *name) != known.end()) return;
    throw refusal{
        403, "forbidden",
        "this service does not go by the name in the Host header; errand serve --host NAME adds one", "Host"};
}

void check_site(const request& in) {
    const auto* site = in.find_header("Sec-Fetch-Site");
    const auto* origin = in.find_header("Origin");
    const auto* host = in.find_header("Host");
    bool own = true;
    if (site) {
        own = *site == "same-origin" || *site == "none";
    } else if (origin) {
        const auto slashes = origin->find("://");
        own = host && slashes != origin->npos && same_header_name(origin->substr(slashes + 3), *host);
    }
    if (own) return;
    throw refusal{403, "cross_site", "pages of other sites may not use this service",
                  site ? "Sec-Fetch-Site" : "Origin"};
}

std::optional<std::string_view> token_in(const request& in) {
    constexpr std::string_view scheme = "Bearer ";
    const auto* bearer = in.find_header("Authorization");
    const auto* plain = in.find_header("X-Token");
    if (in.count_headers("Authorization") + in.count_headers("X-Token") != 1) return std::nullopt;
    if (plain) return *plain;
    const std::string_view text = *bearer;
    if (!same_header_name(text.substr(0, scheme.size()), scheme)) return std::nullopt;
    return text.substr(scheme.size());
}

void let_in(request& in, const token_holder& by) {
    in.who = by.name;
    in.counted = by.counted;
    in.only_queues = by.queues;
}

void check_token(request& in, const std::vector<token_holder>& all, scope needed) {
    const auto token = token_in(in);
    const auto* holder = token ? holder_of(all, *token) : nullptr;
    if (!holder) {
        refusal why{401, "unauthorized", "this call needs a token: Authorization: Bearer TOKEN",
                    "Authorization"};
        why.headers.push_back({"WWW-Authenticate", "Bearer"});
        throw why;
    }
    let_in(in, *holder);
    if (holder->may_use(needed)) return;
    throw refusal{403, "forbidden",
                  "this token is not for that: the call needs one with the scope " +
                      std::string{to_string(needed)},
                  "Authorization"};
}

void check_reach(const request& in, const route& of) {
    if (in.only_queues.empty() || of.by_queue) return;
    throw refusal{403, "forbidden", "this token is for some queues, and the call is about more than those",
                  "Authorization"};
}

void need_queue(const request& in, std::string_view queue, std::string path) {
    if (in.may_use_queue(queue)) return;
    throw refusal{403, "forbidden", "this token is for other queues: name one of those", std::move(path)};
}

}  // namespace errand::web
