// A store that is kept in a user's own database, seen from a connection of the user's: its calls become part of the
// transaction that is open there, and have happened if and only if that is committed.
//
// A call is made on the thread that makes it, and is not repeated: it throws store_error when the database does not take it.
#pragma once

#include "store/settings.hpp"
#include "store/store.hpp"

#include <boost/asio/io_context.hpp>

#include <memory>

struct sqlite3;

namespace errand {

class store_inside : public store {
public:
    // The transaction was committed: whoever waits for its tasks hears of them.
    virtual void committed() = 0;
};

// `settings` are those of the store, whose URL names the file that the connection is open on. Answers come by way of `on`.
// Tables that are missing there, or older, are made by the first call, as part of the transaction too.
std::unique_ptr<store_inside> open_inside(boost::asio::io_context& on, store_settings settings,
                                          ::sqlite3* connection);

}  // namespace errand
