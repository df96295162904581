#include "support/shards.hpp"

#include "app/open_store.hpp"
#include "support/await.hpp"
#include "support/test_app.hpp"

#include <algorithm>

namespace errand::test {

std::unique_ptr<store> opened_store(boost::asio::io_context& io, const config& settings, std::string name) {
    store_settings with;
    with.name = std::move(name);
    with.url = settings.store;
    with.name_space = settings.name_space;
    with.shards = static_cast<unsigned>(settings.shards);
    auto opened = open_store(io, std::move(with));
    await(io, opened->open());
    return opened;
}

std::string shard_key(const config& settings, const std::string& part, std::size_t shard) {
    return "errand:{" + settings.name_space + "." + std::to_string(shard) + "}:" + part;
}

bool in_all_shards(const config& settings, const std::string& command, const std::string& part,
                   const std::string& answer) {
    for (std::size_t shard = 0; shard < std::max<std::size_t>(settings.shards, 1); ++shard) {
        if (shared_redis().command({command, shard_key(settings, part, shard)}) != answer) return false;
    }
    return true;
}

}  // namespace errand::test
