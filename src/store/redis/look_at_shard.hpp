// What a shard on Redis holds and how far its replicas are, without opening it as a store.
#pragma once

#include <errand/awaitable.hpp>

#include "store/settings.hpp"
#include "store/shard_look.hpp"

#include <boost/asio/io_context.hpp>

#include <string_view>

namespace errand::redis {

// How far the replicas are that INFO tells of: their number and lag go into `into`.
void read_replicas(std::string_view info, shard_look& into);

// Of the shard that the settings name, on a connection of its own. What cannot be reached is told in `away`. Throws usage_error when
// the URL is none.
awaitable<shard_look> look_at_shard(boost::asio::io_context& on, store_settings settings);

}  // namespace errand::redis
