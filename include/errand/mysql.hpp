#pragma once

#include <errand/database.hpp>
#include <errand/joined_transaction.hpp>

#include <string>

namespace boost::mysql {
class any_connection;
}

namespace errand::mysql {

/// A MySQL or MariaDB database, by Boost.MySQL. For programs that link `errand::mysql`.
class database final : public errand::database {
public:
    /// Nothing is connected yet.
    /// @param url `mysql://user:password@host:port/name`; with `?socket=/path` by a Unix socket
    /// @throws usage_error for another URL or bad options
    database(app& owner, const std::string& url, database_options options = {});
};

/// Joins the transaction that is open on a connection of your own: errand's tables are written through it, while nobody
/// else uses it, and nothing else is done with it. See joined_transaction.
/// @param db         the same database; its outbox is the one that is written
/// @param connection must live until joined_transaction::write() has completed
[[nodiscard]] joined_transaction adopt(database& db, boost::mysql::any_connection& connection);

}  // namespace errand::mysql
