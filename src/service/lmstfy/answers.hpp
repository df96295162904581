// What the calls of lmstfy's APIs have in common.
#pragma once

#include "service/lmstfy/office.hpp"
#include "service/refusal.hpp"
#include "service/route.hpp"

#include <boost/json/value.hpp>

#include <chrono>
#include <cstdint>
#include <exception>
#include <optional>
#include <string>

namespace errand::lmstfy {

web::answer json_text(const boost::json::value& document, int status = 200);
web::answer no_content();

inline const badge& badge_of(const web::call& c) { return std::any_cast<const badge&>(c.in.badge); }

// The pattern of its path as lmstfy writes it: "/api/:namespace/:queue".
std::string api_name(const web::route& of);

enum class request_kind : unsigned char { read, write };

// Counted in the store, for all servers together. Throws refusal: 429 for one request too many, 503. Returns what
// give_back_request() takes; 0: the token has no such limit.
awaitable<std::int64_t> take_request(const web::call& c, request_kind kind);
awaitable<void> give_back_request(const web::call& c, request_kind kind, std::int64_t taken);

// Counts answers by their status.
template <web::handler Handler>
awaitable<web::answer> counted(web::call& c) {
    const auto begun = std::chrono::steady_clock::now();
    const auto count = [&](int status) {
        const auto took = std::chrono::duration_cast<duration>(std::chrono::steady_clock::now() - begun);
        const auto& who = badge_of(c);
        office_of(c.at.shared())
            .figures()
            .answered(who.of->pool(), who.of->name_space(), api_name(c.of), c.in.method, status, took);
    };
    try {
        auto made = co_await Handler(c);
        count(made.status);
        co_return made;
    } catch (const web::refusal& why) {
        count(why.status());
        throw;
    } catch (const std::exception&) {
        count(500);
        throw;
    }
}

// A request that its token's limit counts, unless it brings nothing.
template <web::handler Handler, request_kind Kind, int Fruitful>
awaitable<web::answer> limited(web::call& c) {
    const auto taken = co_await take_request(c, Kind);
    std::optional<web::answer> made;
    std::exception_ptr failed;
    try {
        made = co_await Handler(c);
    } catch (...) {
        failed = std::current_exception();
    }
    if (!made || made->status != Fruitful) co_await give_back_request(c, Kind, taken);
    if (failed) std::rethrow_exception(failed);
    co_return std::move(*made);
}

}  // namespace errand::lmstfy
