#include "service/lmstfy/answers.hpp"

#include <errand/error.hpp>

#include "core/hex.hpp"

#include <boost/json/serialize.hpp>

#include <algorithm>

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

namespace {

// What the limit of who asks says of such requests; nullopt: nothing.
std::optional<request_count> count_of(const badge& who, request_kind kind) {
    if (!who.limit) return std::nullopt;
    const bool reads = kind == request_kind::read;
    const auto most = reads ? who.limit->read : who.limit->write;
    if (most <= 0) return std::nullopt;
    constexpr std::int64_t ten_years = std::int64_t{3650} * 86'400;
    const std::string_view key{reinterpret_cast<const char*>(who.counted_as.data()), who.counted_as.size()};
    return request_count{.name = to_hex(key) + (reads ? "-read" : "-write"),
                         .most = most,
                         .per = std::chrono::seconds{std::min(who.limit->interval, ten_years)}};
}

}  // namespace

awaitable<std::string> take_request(const web::call& c, request_kind kind) {
    const auto& who = badge_of(c);
    auto count = count_of(who, kind);
    if (!count) co_return std::string{};
    auto& office = office_of(c.at.shared());
    co_await office.home().ready();
    auto taken = co_await office.home().tasks().count_request(std::move(*count));
    if (!taken.empty()) co_return taken;
    office.figures().refused(who.of->pool(), who.of->name_space(), who.shown,
                             kind == request_kind::read ? "consume" : "produce");
    throw web::refusal{429, "too_many_requests", "this token's limit of requests is reached"};
}

awaitable<void> give_back_request(const web::call& c, request_kind kind, std::string taken) {
    auto count = count_of(badge_of(c), kind);
    if (!count || taken.empty()) co_return;
    try {
        co_await office_of(c.at.shared())
            .home()
            .tasks()
            .take_back_request(std::move(*count), std::move(taken));
    } catch (const store_error&) {
        // It counts as long as one that brought something.
    }
}

}  // namespace errand::lmstfy
