#pragma once

#include <errand/database.hpp>
#include <errand/joined_transaction.hpp>

#include <string>

struct sqlite3;

namespace errand::sqlite {

/// A SQLite database file. Its statements run on one thread of its own; those that write wait for each other, in this
/// process in the order in which they come.
///
/// A new file gets a write-ahead log; one that has tables keeps what it has. Foreign keys are enforced. When the app keeps
/// its tasks in this very file, its transactions insert them there, and no outbox is needed (docs/transactions.md).
class database final : public errand::database {
public:
    /// Nothing is opened yet; the file is made with the first statement when it is not there.
    /// @param url `sqlite:///absolute/path.db` or `sqlite:relative/path.db`; `?synchronous=normal` (or `off`) trades what
    ///            a power failure may cost for speed, the default is `full`
    /// @throws usage_error for another URL (`sqlite::memory:` too: connections could not share it) or bad options
    database(app& owner, const std::string& url, database_options options = {});
};

/// Joins the transaction that is open on a connection of your own: errand's tables are written through it, on the thread
/// that calls, and nothing else is done with it. See joined_transaction.
/// @param db         the same database; its outbox is the one that is written
/// @param connection must stay open until joined_transaction::write() has completed
/// @throws usage_error for a null connection
[[nodiscard]] joined_transaction adopt(database& db, ::sqlite3* connection);

}  // namespace errand::sqlite
