#pragma once

#include <errand/database.hpp>
#include <errand/joined_transaction.hpp>

#include <string>

struct pg_conn;

namespace errand::postgres {

/// A PostgreSQL database, by libpq without blocking. For programs that link `errand::postgres`.
class database final : public errand::database {
public:
    /// Nothing is connected yet.
    /// @param url `postgresql://user:password@host:port/name`, with the parameters that libpq knows
    /// @throws usage_error for another URL or bad options
    database(app& owner, const std::string& url, database_options options = {});
};

/// Joins the transaction that is open on a connection of your own: errand's tables are written through it, while nobody
/// else uses it, and nothing else is done with it. See joined_transaction.
/// @param db         the same database; its outbox is the one that is written
/// @param connection a `PGconn*`; must stay open until joined_transaction::write() has completed
/// @throws usage_error for a null connection
[[nodiscard]] joined_transaction adopt(database& db, ::pg_conn* connection);

}  // namespace errand::postgres
