#pragma once

#include "store/inside.hpp"

#include <boost/asio/io_context.hpp>

#include <memory>

struct sqlite3;

namespace errand::detail {
class app_core;
}

namespace errand::sqlite {

// The app's store inside of the transactions of this connection, when it is kept in the file that the connection is open on;
// else null. What becomes of calls is said on `on`.
std::unique_ptr<store_inside> tasks_inside(detail::app_core& app, ::sqlite3* connection,
                                           boost::asio::io_context& on);

}  // namespace errand::sqlite
