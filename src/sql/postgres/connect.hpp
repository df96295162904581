// A new connection, made without blocking.
#pragma once

#include <errand/awaitable.hpp>

#include "sql/postgres/address.hpp"
#include "sql/postgres/pointers.hpp"

#include <boost/asio/io_context.hpp>

namespace errand::postgres {

// Throws store_error when the server cannot be reached in time or refuses the login.
awaitable<connection_ptr> connect(boost::asio::io_context& on, const address& to);

}  // namespace errand::postgres
