#include "app/stored_formats.hpp"

#include "app/open_store.hpp"
#include "core/store_list.hpp"
#include "store/redis/look_at_format.hpp"
#include "store/sqlite/look_at_format.hpp"

#include <boost/asio/co_spawn.hpp>
#include <boost/asio/use_future.hpp>

namespace errand {
namespace {

stored_format look_at_redis(const config& settings, const std::string& url, unsigned shard, unsigned shards) {
    boost::asio::io_context on;
    store_settings asked;
    asked.url = url;
    asked.name_space = settings.name_space;
    asked.shard = shard;
    asked.shards = shards;
    asked.patience = settings.store_timeout;
    auto answer = boost::asio::co_spawn(on, redis::look_at_format(on, asked), boost::asio::use_future);
    on.run();
    return answer.get();
}

}  // namespace

std::vector<stored_format> stored_formats(const config& settings) {
    const auto shards = static_cast<unsigned>(check_store(settings.store, settings.shards));
    const auto urls = store_urls(settings.store);
    std::vector<stored_format> all;
    for (unsigned shard = 0; shard < shards; ++shard) {
        const auto& url = urls[shard % urls.size()];
        // All shards that a file keeps have its format.
        if (!url.starts_with("redis")) {
            if (shard < urls.size()) all.push_back(sqlite::look_at_format(url));
        } else {
            all.push_back(look_at_redis(settings, url, shard, shards));
        }
    }
    return all;
}

}  // namespace errand
