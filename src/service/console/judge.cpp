// Who may ask the console what.
#include "service/checks.hpp"
#include "service/console/desk.hpp"
#include "service/console/office.hpp"
#include "service/refusal.hpp"

#include <chrono>

namespace errand::console {
namespace {

// A browser says of each change where it comes from. What neither says that nor brings a token of its own may be a form of an old
// browser that another site's page has sent.
void check_own_page(const web::request& in) {
    const auto* site = in.find_header("Sec-Fetch-Site");
    if (in.find_header("Authorization") || in.find_header("X-Token") || in.find_header("Origin")) return;
    if (site && *site == "same-origin") return;
    throw web::refusal{403, "cross_site",
                       "the console takes changes from its own pages alone; programs use /v1, or a token",
                       "Sec-Fetch-Site"};
}

}  // namespace

void check_who(web::request& in, web::hub& hub, web::scope needed) {
    const auto& all = hub.tokens->now();
    const auto cookie = cookie_in(in, cookie_name);
    const auto seconds = std::chrono::floor<std::chrono::seconds>(std::chrono::system_clock::now());
    const bool brings_token = in.find_header("Authorization") || in.find_header("X-Token");
    const auto* holder =
        cookie.empty() || brings_token
            ? nullptr
            : office_of(hub).logins.holder_of(cookie, all, seconds.time_since_epoch().count());
    if (!holder) {
        hub.tokens->admit(in, needed);
        return;
    }
    web::let_in(in, *holder);
    if (holder->may_use(needed)) return;
    throw web::refusal{403, "forbidden",
                       "this login is not for that: it takes a token with the scope " +
                           std::string{to_string(needed)}};
}

void take_prefix(web::request& in, const std::string& prefix) {
    if (prefix.empty() || !in.path.starts_with(prefix)) return;
    if (in.path.size() == prefix.size()) {
        in.path = "/";
    } else if (in.path[prefix.size()] == '/') {
        in.path.erase(0, prefix.size());
    }
}

web::found_route judge(web::request& in, web::hub& hub) {
    auto to = web::route_of(routes(), in.method, in.path);
    // Other sites may link to a page: by itself it shows and does nothing.
    if (to.of->name != "page") web::check_site(in);
    if (to.of->method == "POST") check_own_page(in);
    if (hub.tokens && to.of->needs != web::scope::open) {
        check_who(in, hub, to.of->needs);
        web::check_reach(in, *to.of);
    }
    return to;
}

}  // namespace errand::console
