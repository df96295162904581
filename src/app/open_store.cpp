#include "app/open_store.hpp"

#include <errand/error.hpp>

#include "app/open_shelf.hpp"
#include "core/store_list.hpp"
#include "store/redis/redis_store.hpp"
#include "store/sealed.hpp"
#include "store/shards/sharded_store.hpp"
#include "store/sqlite/sqlite_store.hpp"

#include <algorithm>
#include <string_view>
#include <utility>
#include <vector>

namespace errand {

namespace {

constexpr std::string_view memory_url = "sqlite::memory:";

std::string scheme_of(const std::string& url) {
    const auto colon = url.find(':');
    return colon == std::string::npos ? std::string{} : url.substr(0, colon);
}

[[noreturn]] void refuse(const std::string& url) {
    const auto scheme = scheme_of(url);
    throw usage_error{
        "ERRAND_STORE: unknown scheme \"" + scheme +
        "\"; use redis://host:port/db, rediss://host:port/db, redis+unix:///path, "
        "redis+cluster://host:port,host:port, redis+sentinel://host:port,host:port/name, sqlite:///path or "
        "sqlite::memory:"};
}

}  // namespace

namespace {

std::unique_ptr<store> open_one(boost::asio::io_context& on, store_settings settings) {
    if (scheme_of(settings.url).starts_with("redis")) return make_redis_store(on, std::move(settings));
    if (scheme_of(settings.url) == "sqlite") return make_sqlite_store(on, std::move(settings));
    refuse(settings.url);
}

// As many servers as that can share them, and an idle worker asks them all now and then.
constexpr unsigned shards_on_a_cluster = 16, most_shards_on_a_cluster = 64;

bool is_cluster(const std::string& url) { return scheme_of(url).ends_with("+cluster"); }

void check_cluster(const std::vector<std::string>& urls, unsigned shards) {
    if (urls.size() > 1) {
        throw usage_error{
            "ERRAND_STORE: a cluster stands for all of its servers, and keeps no namespace together with others: name its "
            "servers in one URL, redis+cluster://host:port,host:port, and no other URL"};
    }
    if (shards > most_shards_on_a_cluster) {
        throw usage_error{"ERRAND_SHARDS: " + std::to_string(shards) +
                          " shards on a cluster are too many: at most " +
                          std::to_string(most_shards_on_a_cluster) +
                          ", and 16, as without the setting, are enough for 16 primaries"};
    }
}

std::unique_ptr<store> open_plain(boost::asio::io_context& on, store_settings settings) {
    if (settings.url.empty()) settings.url = memory_url;
    const auto urls = store_urls(settings.url);
    if (std::ranges::any_of(urls, is_cluster)) check_cluster(urls, settings.shards);
    if (settings.shards == 0 && is_cluster(urls.front())) settings.shards = shards_on_a_cluster;
    if (settings.shards == 0) settings.shards = static_cast<unsigned>(urls.size());
    if (settings.shards < urls.size()) {
        throw usage_error{"ERRAND_SHARDS: " + std::to_string(settings.shards) + " shards cannot be on " +
                          std::to_string(urls.size()) + " servers: name one URL for a shard at most"};
    }
    if (settings.shards == 1) return open_one(on, std::move(settings));
    std::vector<std::unique_ptr<store>> shards;
    for (settings.shard = 0; settings.shard < settings.shards; ++settings.shard) {
        // All are the same one to those who wake it.
        if (settings.name.empty() && settings.shard > 0) settings.name = shards.front()->name();
        settings.url = urls[settings.shard % urls.size()];
        shards.push_back(open_one(on, settings));
    }
    return std::make_unique<sharded_store>(std::move(shards), std::move(settings));
}

}  // namespace

std::unique_ptr<store> open_store(boost::asio::io_context& on, store_settings settings) {
    auto seals = std::exchange(settings.seals, nullptr);
    auto name_space = settings.name_space;
    // Below what is encrypted: the shelf has what the store would have.
    const auto with = settings;
    auto plain = open_plain(on, std::move(settings));
    if (!with.shelf.empty()) {
        plain = put_shelf_beside(on, std::move(plain), with,
                                 [&on](store_settings one) { return open_plain(on, std::move(one)); });
    }
    if (!seals) return plain;
    return seal_store(std::move(plain), std::move(seals), std::move(name_space));
}

std::size_t check_store(const std::string& url, std::size_t shards) {
    boost::asio::io_context nowhere;
    store_settings settings;
    settings.url = url;
    settings.name = "check";
    settings.shards = static_cast<unsigned>(shards);
    return open_store(nowhere, std::move(settings))->shards();
}

}  // namespace errand
