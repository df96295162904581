#include "app/stored_shards.hpp"

#include <errand/error.hpp>

#include "app/open_store.hpp"
#include "core/store_list.hpp"
#include "store/redis/look_at_shard.hpp"

#include <boost/asio/co_spawn.hpp>
#include <boost/asio/use_future.hpp>

#include <algorithm>
#include <future>

namespace errand {

std::vector<shard_look> stored_shards(const config& settings) {
    const auto shards = static_cast<unsigned>(check_store(settings.store, settings.shards));
    const auto urls = store_urls(settings.store);
    if (!std::ranges::all_of(urls, [](const std::string& url) { return url.starts_with("redis"); }))
        throw usage_error{
            "a SQLite file is one shard, and has no server: errand queues tells of what is in it"};
    boost::asio::io_context on{1};
    std::vector<std::future<shard_look>> asked;
    for (unsigned shard = 0; shard < shards; ++shard) {
        store_settings one;
        one.url = urls[shard % urls.size()];
        one.name_space = settings.name_space;
        one.shard = shard;
        one.shards = shards;
        one.patience = settings.store_timeout;
        asked.push_back(boost::asio::co_spawn(on, redis::look_at_shard(on, std::move(one)),
                                              boost::asio::use_future));
    }
    on.run();
    std::vector<shard_look> all;
    for (auto& one : asked) all.push_back(one.get());
    return all;
}

}  // namespace errand
