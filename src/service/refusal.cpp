#include "service/refusal.hpp"

#include <errand/error.hpp>

#include "core/utf8.hpp"

#include <boost/json/serialize.hpp>

#include <algorithm>
#include <chrono>
#include <cstdint>

namespace errand::web {
namespace {

// Whole ones, after which it is not too early.
std::int64_t seconds_of(duration length) {
    return std::max<std::int64_t>(std::chrono::ceil<std::chrono::seconds>(length).count(), 1);
}

}  // namespace

std::string shortened(std::string text) {
    constexpr std::size_t most = 100;
    if (text.size() <= most) return text;
    return std::string{utf8_prefix(text, most)} + "...";
}

void refusal::ask_again_after(duration length) {
    retry_after_ = length;
    headers.push_back({"Retry-After", std::to_string(seconds_of(length))});
}

refusal bad_request(const std::string& message, std::string path) {
    return {400, "bad_request", message, std::move(path)};
}

refusal not_found(const std::string& message) { return {404, "not_found", message}; }

boost::json::object json_of(const refusal& why) {
    boost::json::object all{{"code", why.code()}, {"message", why.what()}};
    if (!why.path().empty()) all["path"] = why.path();
    if (why.retry_after()) all["retry_after_ms"] = why.retry_after()->count();
    return all;
}

answer answer_of(const refusal& why) {
    const boost::json::object document{{"error", json_of(why)}};
    return {.status = why.status(),
            .body = boost::json::serialize(document),
            .type = "application/json",
            .headers = why.headers};
}

refusal refusal_of(const std::exception_ptr& why, bool changes, const std::string& path) {
    try {
        std::rethrow_exception(why);
    } catch (const refusal& one) {
        return one;
    } catch (const usage_error& e) {
        return bad_request(e.what(), path);
    } catch (const bad_data& e) {
        return bad_request(e.what(), path);
    } catch (const duplicate_task& e) {
        return {409, "conflict", e.what(), path};
    } catch (const dependency_cycle& e) {
        return {409, "conflict", e.what(), path};
    } catch (const quota_exceeded& e) {
        refusal full{429, "quota_exceeded", e.what(), path};
        if (const auto after = e.retry_after()) full.ask_again_after(*after);
        return full;
    } catch (const result_gone& e) {
        return {404, "not_found", e.what(), path};
    } catch (const store_error&) {
        // Its own text names servers, which are nobody's business out there.
        refusal away{503, "unavailable",
                     changes
                         ? "the store did not answer: it may have happened or not; ask again, with the same "
                           "biz_id, Idempotency-Key or claim it counts once"
                         : "the store did not answer: ask again",
                     path};
        away.ask_again_after(std::chrono::seconds{1});
        return away;
    } catch (...) {
        return {500, "internal",
                "something went wrong here; the log says what, by this answer's X-Request-ID", path};
    }
}

}  // namespace errand::web
