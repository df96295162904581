#include "service/lmstfy/answers.hpp"

#include <boost/json/serialize.hpp>

namespace errand::lmstfy {

web::answer json_text(const boost::json::value& document, int status) {
    return {.status = status,
            .body = boost::json::serialize(document),
            .type = "application/json; charset=utf-8"};
}

web::answer no_content() { return {.status = 204, .body = {}}; }

std::string api_name(const web::route& of) {
    std::string name;
    for (const char c : of.path) {
        if (c == '}') continue;
        name += c == '{' ? ':' : c;
    }
    return name;
}

std::chrono::steady_clock::time_point take_request(const web::call& c, request_kind kind) {
    const auto now = std::chrono::steady_clock::now();
    const auto& who = badge_of(c);
    if (!who.limit) return now;
    auto& office = office_of(c.at.shared());
    const auto taken = office.rate().take(who.counted_as, kind, *who.limit, now);
    if (taken) return *taken;
    office.figures().refused(who.of->pool(), who.of->name_space(), who.shown,
                             kind == request_kind::read ? "consume" : "produce");
    throw web::refusal{429, "too_many_requests", "this token's limit of requests is reached"};
}

void give_back_request(const web::call& c, request_kind kind, std::chrono::steady_clock::time_point taken) {
    const auto& who = badge_of(c);
    if (who.limit) office_of(c.at.shared()).rate().give_back(who.counted_as, kind, taken);
}

}  // namespace errand::lmstfy
