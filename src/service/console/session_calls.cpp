// Logging in and out, and what who is there may do.
#include "service/calls.hpp"
#include "service/checks.hpp"
#include "service/console/calls.hpp"
#include "service/console/office.hpp"
#include "service/refusal.hpp"
#include "service/values.hpp"

#include <boost/json/array.hpp>
#include <boost/json/object.hpp>

#include <array>
#include <chrono>

namespace errand::console {

namespace json = boost::json;

namespace {

constexpr std::int64_t session_seconds = 12 * 60 * 60;

constexpr std::array login_members{web::field{"token", web::kind::text, "A token of the list", true}};

// Without its attributes a browser would send it with requests of other sites, and show it to scripts.
std::string cookie_text(const web::call& c, const std::string& value, std::int64_t seconds) {
    const auto& prefix = c.at.shared().options.console.prefix;
    const auto* scheme = c.in.find_header("X-Forwarded-Proto");
    return std::string{cookie_name} + '=' + value + "; Path=" + prefix +
           "/ui/; HttpOnly; SameSite=Strict; Max-Age=" + std::to_string(seconds) +
           (c.in.secure || (scheme && *scheme == "https") ? "; Secure" : "");
}

}  // namespace

const web::fields login_fields{login_members};

awaitable<web::answer> show_session(web::call& c) {
    auto& hub = c.at.shared();
    bool may_change = !hub.tokens;
    if (hub.tokens) {
        for (const auto& one : hub.tokens->now())
            may_change = may_change || (one.name == c.in.who && one.may_use(web::scope::operate));
    }
    co_return web::json_answer(json::object{{"user", c.in.who},
                                            {"needs_token", hub.tokens.has_value()},
                                            {"may_change", may_change},
                                            {"namespace", c.at.app().settings().name_space},
                                            {"name_spaces", c.at.app().settings().name_spaces.size()},
                                            {"version", ERRAND_SERVICE_VERSION}});
}

awaitable<web::answer> log_in(web::call& c) {
    auto& hub = c.at.shared();
    const auto body = web::body_object(c.in);
    const web::members given{body, login_members};
    if (!hub.tokens) throw web::bad_request("here nobody needs a token", "token");
    const auto token = given.text("token").value_or("");
    const auto* holder = web::holder_of(hub.tokens->now(), token);
    // The console shows all queues.
    if (!holder || !holder->may_use(web::scope::view) || !holder->queues.empty())
        throw web::refusal{403, "forbidden", "this token lets nobody in here", "token"};
    const auto now = std::chrono::floor<std::chrono::seconds>(std::chrono::system_clock::now());
    const auto value =
        office_of(hub).logins.text_for(*holder, now.time_since_epoch().count() + session_seconds);
    auto made = web::json_answer(json::object{{"user", holder->name}});
    made.headers.push_back({"Set-Cookie", cookie_text(c, value, session_seconds)});
    co_return made;
}

awaitable<web::answer> log_out(web::call& c) {
    auto made = web::json_answer(json::object{{"user", nullptr}});
    made.headers.push_back({"Set-Cookie", cookie_text(c, "", 0)});
    co_return made;
}

}  // namespace errand::console
