#include "service/lmstfy/answers.hpp"

#include "core/hex.hpp"
#include "service/request_rate.hpp"

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

awaitable<std::int64_t> take_request(const web::call& c, request_kind kind) {
    const auto& who = badge_of(c);
    auto count = count_of(who, kind);
    if (!count) co_return 0;
    const auto got = co_await web::count_request(c.at.shared(), std::move(*count));
    if (got.mark != 0) co_return got.mark;
    office_of(c.at.shared())
        .figures()
        .refused(who.of->pool(), who.of->name_space(), who.shown,
                 kind == request_kind::read ? "consume" : "produce");
    web::refusal over{429, "too_many_requests", "this token's limit of requests is reached"};
    over.ask_again_after(std::chrono::ceil<duration>(std::chrono::microseconds{got.opens_in}));
    throw over;
}

awaitable<void> give_back_request(const web::call& c, request_kind kind, std::int64_t taken) {
    auto count = count_of(badge_of(c), kind);
    if (count && taken != 0) co_await web::take_back_request(c.at.shared(), std::move(*count), taken);
}

}  // namespace errand::lmstfy
