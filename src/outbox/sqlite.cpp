// A user's SQLite file as a database, which may be the very file that the app keeps its tasks in.
#include <errand/app.hpp>
#include <errand/error.hpp>
#include <errand/sqlite.hpp>

#include "core/sqlite_url.hpp"
#include "outbox/database_core.hpp"
#include "outbox/joined.hpp"
#include "outbox/same_database.hpp"
#include "runtime/app_core.hpp"
#include "sql/sqlite/driver.hpp"
#include "sql/sqlite/session.hpp"

#include <sqlite3.h>

#include <filesystem>

namespace errand::sqlite {
namespace {

// Whether it is the app's own file, a connection tells: that is a way to its thread and back, while nobody else can write.
bool may_keep_tasks(const detail::app_core& app) { return app.settings.store.starts_with("sqlite:"); }

// Whatever names it has. A database in memory is nobody else's.
bool is_file_of(::sqlite3* connection, const std::string& url) {
    sqlite_url at;
    if (!read_sqlite_url(url, at).empty() || at.path.empty()) return false;
    const char* open = sqlite3_db_filename(connection, "main");
    std::error_code failed;
    return open && *open && std::filesystem::equivalent(open, at.path, failed) && !failed;
}

// The app's store inside of the transactions of this connection, when it is kept in the file that the connection is open
// on; else null. What becomes of calls is said on `on`.
std::unique_ptr<sql::attachment> tasks_inside(detail::app_core& app, ::sqlite3* connection,
                                              boost::asio::io_context& on) {
    if (!is_file_of(connection, app.settings.store)) return nullptr;
    store_settings settings;
    settings.url = app.settings.store;
    settings.name_space = app.settings.name_space;
    settings.shards = static_cast<unsigned>(app.settings.shards);
    settings.name = app.next_name();
    settings.clock = app.clock;
    return std::make_unique<detail::attached_store>(open_inside(on, std::move(settings), connection));
}

std::unique_ptr<sql::driver> driver_for(detail::app_core& app, const std::string& url, duration busy_wait) {
    driver::attach with;
    if (may_keep_tasks(app)) {
        with = [&app](::sqlite3* connection, boost::asio::io_context& on) {
            return tasks_inside(app, connection, on);
        };
    }
    return std::make_unique<driver>(url, busy_wait, std::move(with));
}

}  // namespace

database::database(app& owner, const std::string& url, database_options options)
    : errand::database{detail::open_database(
          owner, [&](detail::app_core& core) { return driver_for(core, url, options.busy_wait); }, options)} {
}

joined_transaction adopt(database& db, ::sqlite3* connection) {
    if (connection == nullptr) throw usage_error{"sqlite::adopt: the connection is null"};
    auto& core = *db.core();
    auto tasks = tasks_inside(core.app(), connection, core.thread());
    return detail::join(db.core(),
                        std::make_unique<session>(std::make_unique<handle>(connection), std::move(tasks),
                                                  nullptr, std::chrono::milliseconds{0}));
}

}  // namespace errand::sqlite
