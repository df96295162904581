// Makes the store in a SQLite file or in memory: sqlite_store.cpp passes on to the thread of the file (engine).
#pragma once

#include "store/settings.hpp"
#include "store/store.hpp"

#include <boost/asio/io_context.hpp>

#include <memory>

namespace errand {

// A store in a SQLite file or in memory, shared with all others of this process on that file, or with the same
// `settings.home` in memory. Throws usage_error at once when the URL is wrong.
// Everything but the database runs on `on`, which one thread at a time may run; the store must outlive the calls made on it.
std::unique_ptr<store> make_sqlite_store(boost::asio::io_context& on, store_settings settings);

}  // namespace errand
