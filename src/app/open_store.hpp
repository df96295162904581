// The one place that knows which stores there are.
#pragma once

#include "store/settings.hpp"
#include "store/store.hpp"

#include <boost/asio/io_context.hpp>

#include <memory>
#include <string>

namespace errand {

// A store for the URL's scheme, not yet connected; `settings.shards` as in the config. Throws usage_error naming what is
// wrong with the URL.
std::unique_ptr<store> open_store(boost::asio::io_context& on, store_settings settings);

// Throws what open_store would throw for these.
std::size_t check_store(const std::string& url, std::size_t shards);

}  // namespace errand
