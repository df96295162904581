#include "app/open_store.hpp"

#include <errand/error.hpp>

#include "store/redis/redis_store.hpp"

namespace errand {

namespace {

std::string scheme_of(const std::string& url) {
    const auto colon = url.find(':');
    return colon == std::string::npos ? std::string{} : url.substr(0, colon);
}

[[noreturn]] void refuse(const std::string& url) {
    if (url.empty()) {
        throw usage_error{
            "no store is configured: set ERRAND_STORE (or config::store) to the Redis that keeps the tasks, for "
            "example ERRAND_STORE=redis://127.0.0.1:6379/0 or redis+unix:///run/redis/redis.sock"};
    }
    const auto scheme = scheme_of(url);
    if (scheme == "sqlite") {
        throw usage_error{
            "ERRAND_STORE: the embedded store (sqlite:) is not available yet; use redis://host:port/db, "
            "rediss:// or redis+unix:///path"};
    }
    throw usage_error{"ERRAND_STORE: unknown scheme \"" + scheme +
                      "\"; use redis://host:port/db, rediss://host:port/db or redis+unix:///path"};
}

}  // namespace

std::unique_ptr<store> open_store(boost::asio::io_context& on, store_settings settings) {
    const auto scheme = scheme_of(settings.url);
    if (scheme == "rediss" || scheme.starts_with("redis")) return make_redis_store(on, std::move(settings));
    refuse(settings.url);
}

void check_store_url(const std::string& url) {
    boost::asio::io_context nowhere;
    store_settings settings;
    settings.url = url;
    settings.name = "check";
    static_cast<void>(open_store(nowhere, std::move(settings)));
}

}  // namespace errand
