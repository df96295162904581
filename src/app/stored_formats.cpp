#include "app/stored_formats.hpp"

#include "app/open_store.hpp"
#include "core/store_list.hpp"
#include "store/redis/look_at_format.hpp"
#include "store/sqlite/look_at_format.hpp"

#include <boost/asio/co_spawn.hpp>
#include <boost/asio/use_future.hpp>

#include <future>
#include <string>

namespace errand {
namespace {

store_settings one_shard(const config& of, const std::string& url, unsigned shard, unsigned shards) {
    store_settings asked;
    asked.url = url;
    asked.name_space = of.name_space;
    asked.shard = shard;
    asked.shards = shards;
    asked.patience = of.store_timeout;
    return asked;
}

}  // namespace

std::vector<stored_format> stored_formats(const config& settings) {
    const auto shards = static_cast<unsigned>(check_store(settings.store, settings.shards));
    const auto urls = store_urls(settings.store);
    boost::asio::io_context on{1};
    std::vector<std::future<stored_format>> asked;
    for (unsigned shard = 0; shard < shards; ++shard) {
        const auto& url = urls[shard % urls.size()];
        auto& one = asked.emplace_back();
        if (!url.starts_with("redis")) continue;
        one = boost::asio::co_spawn(on, redis::look_at_format(on, one_shard(settings, url, shard, shards)),
                                    boost::asio::use_future);
    }
    on.run();
    std::vector<stored_format> all;
    for (unsigned shard = 0; shard < shards; ++shard) {
        if (asked[shard].valid()) {
            all.push_back(asked[shard].get());
        } else if (shard < urls.size()) {
            // All shards that a file keeps have its format.
            all.push_back(sqlite::look_at_format(urls[shard]));
        }
    }
    return all;
}

}  // namespace errand
