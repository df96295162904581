// A new connection to MySQL or MariaDB.
#pragma once

#include <errand/awaitable.hpp>

#include "sql/mysql/address.hpp"

#include <boost/asio/any_io_executor.hpp>
#include <boost/asio/as_tuple.hpp>
#include <boost/asio/ssl/context.hpp>
#include <boost/asio/use_awaitable.hpp>
#include <boost/mysql/any_connection.hpp>

#include <cstdint>
#include <memory>

namespace errand::mysql {

// What Boost.MySQL refuses is an answer, not an exception.
inline constexpr auto token = boost::asio::as_tuple(boost::asio::use_awaitable);

// Where to connect, with what that needs for TLS; shared by the sessions of one driver.
struct destination {
    address to;
    std::shared_ptr<boost::asio::ssl::context> tls;
};

// Throws usage_error when the file of authorities cannot be read.
std::shared_ptr<const destination> destination_of(address to);

// Throws store_error when the server cannot be reached in time or refuses the login. The destination outlives it.
awaitable<std::unique_ptr<boost::mysql::any_connection>> connect(boost::asio::any_io_executor on,
                                                                 const destination& there);

// Ends what another connection is doing, and that connection with it; in vain when the server cannot be reached. Waits for
// nothing.
void kill(std::shared_ptr<const destination> there, std::uint32_t connection) noexcept;

}  // namespace errand::mysql
