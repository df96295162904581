// The one place that knows which databases a shelf can be in.
#pragma once

#include "store/settings.hpp"
#include "store/store.hpp"

#include <boost/asio/io_context.hpp>

#include <functional>
#include <memory>
#include <string>

namespace errand {

// A store behind which there is the shelf that the settings name; `open` makes one more of the same namespace.
std::unique_ptr<store> put_shelf_beside(boost::asio::io_context& on, std::unique_ptr<store> in,
                                        store_settings settings,
                                        std::function<std::unique_ptr<store>(store_settings)> open);

// Throws usage_error when that cannot be a shelf beside this store; nothing is connected. Empty: there is none.
void check_shelf(const std::string& shelf, const std::string& store);

}  // namespace errand
