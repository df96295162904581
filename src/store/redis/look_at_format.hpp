// In which format a shard on Redis keeps its tasks, without opening it as a store.
#pragma once

#include <errand/awaitable.hpp>

#include "store/settings.hpp"
#include "store/stored_format.hpp"

#include <boost/asio/io_context.hpp>

namespace errand::redis {

// Of one shard. Throws store_error when the server cannot be reached or refuses, within settings.patience.
awaitable<stored_format> look_at_format(boost::asio::io_context& on, store_settings settings);

}  // namespace errand::redis
