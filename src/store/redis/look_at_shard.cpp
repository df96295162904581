#include "store/redis/look_at_shard.hpp"

#include <errand/error.hpp>

#include "store/redis/onlooker.hpp"
#include "store/redis/reply.hpp"
#include "store/redis/server_check.hpp"
#include "store/redis/slot.hpp"

#include <algorithm>
#include <charconv>
#include <string>

namespace errand::redis {
namespace {

std::uint64_t count_in(std::string_view text) {
    std::uint64_t value = 0;
    std::from_chars(text.data(), text.data() + text.size(), value);
    return value;
}

awaitable<void> read_contents(onlooker& looks, shard_look& into) {
    auto ask_info = connection::request();
    ask_info.push("INFO", "replication");
    reply info;
    co_await looks.calls().command("look", ask_info, info);
    read_replicas(info.first(), into);

    auto ask_size = connection::request();
    ask_size.push("HLEN", looks.of().tasks());
    for (const auto& key : looks.of().shard_keys()) ask_size.push("MEMORY", "USAGE", key);
    reply size;
    co_await looks.calls().command("look", ask_size, size);
    reply_reader in{size};
    // One is no task: it keeps the hash out of the compact encoding.
    into.tasks = std::max<std::uint64_t>(count_in(in.text()), 1) - 1;
    while (!in.done()) into.bytes += count_in(in.text());
}

}  // namespace

void read_replicas(std::string_view info, shard_look& into) {
    const auto here = count_in(info_field(info, "master_repl_offset"));
    const auto all = count_in(info_field(info, "connected_slaves"));
    for (std::uint64_t at = 0; at < all; ++at) {
        const auto one = info_field(info, "slave" + std::to_string(at));
        if (one.find("state=online") == one.npos) continue;
        ++into.replicas;
        constexpr std::string_view field = ",offset=";
        const auto from = one.find(field);
        const auto there = from == one.npos ? 0 : count_in(one.substr(from + field.size()));
        into.lag = std::max(into.lag, here - std::min(here, there));
    }
}

awaitable<shard_look> look_at_shard(boost::asio::io_context& on, store_settings settings) {
    onlooker looks{on, settings};
    shard_look seen{.shard = settings.shard, .server = looks.to().shown, .slot = {}, .away = {}};
    if (looks.of().in_cluster()) seen.slot = slot_of(looks.of().tag());
    try {
        co_await read_contents(looks, seen);
    } catch (const store_error& e) {
        seen.away = e.what();
    }
    if (const auto at = looks.server()) seen.server = at->host + ':' + at->port;
    co_return seen;
}

}  // namespace errand::redis
