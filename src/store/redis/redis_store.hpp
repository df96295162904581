// How a store on Redis is opened; all else in this folder is behind it.
#pragma once

#include "store/settings.hpp"
#include "store/store.hpp"

#include <boost/asio/io_context.hpp>

#include <memory>

namespace errand {

// A store on one Redis or Valkey. Connects at open(); throws usage_error at once when the URL is wrong.
// Everything runs on `on`, which one thread at a time may run; the store must outlive the calls made on it.
std::unique_ptr<store> make_redis_store(boost::asio::io_context& on, store_settings settings);

}  // namespace errand
