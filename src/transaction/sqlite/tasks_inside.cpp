#include "transaction/sqlite/tasks_inside.hpp"

#include "core/sqlite_url.hpp"
#include "runtime/app_core.hpp"

#include <sqlite3.h>

#include <filesystem>

namespace errand::sqlite {
namespace {

// Whatever names it has. A database in memory is nobody else's.
bool is_file_of(::sqlite3* connection, const std::string& url) {
    sqlite_url at;
    if (!read_sqlite_url(url, at).empty() || at.path.empty()) return false;
    const char* open = sqlite3_db_filename(connection, "main");
    std::error_code failed;
    return open && *open && std::filesystem::equivalent(open, at.path, failed) && !failed;
}

}  // namespace

std::unique_ptr<store_inside> tasks_inside(detail::app_core& app, ::sqlite3* connection,
                                           boost::asio::io_context& on) {
    if (!is_file_of(connection, app.settings.store)) return nullptr;
    store_settings settings;
    settings.url = app.settings.store;
    settings.name_space = app.settings.name_space;
    settings.shards = static_cast<unsigned>(app.settings.shards);
    settings.name = app.next_name();
    settings.clock = app.clock;
    return open_inside(on, std::move(settings), connection);
}

}  // namespace errand::sqlite
