#include "sql/mysql/refusal.hpp"

#include <errand/error.hpp>

#include "sql/statement_text.hpp"

#include <boost/asio/error.hpp>
#include <boost/mysql/client_errc.hpp>
#include <boost/mysql/common_server_errc.hpp>
#include <boost/mysql/error_categories.hpp>
#include <boost/mysql/is_fatal_error.hpp>
#include <boost/system/system_error.hpp>

namespace errand::mysql {
namespace {

namespace db = boost::mysql;

bool is_servers(const db::error_code& failed) {
    const auto& category = failed.category();
    return category == db::get_common_server_category() || category == db::get_mysql_server_category() ||
           category == db::get_mariadb_server_category();
}

// With these the server ends the connection: it shuts down, gives it up, was told to kill it, or waited too long.
bool is_goodbye(int number) {
    switch (number) {
    case 1053:
    case 1152:
    case 1927:
    case 3169:
    case 4031: return true;
    default: return false;
    }
}

// The transaction lost against another: a record that changed since it was read, a lock that it waited too long for (only the
// statement is undone then; whoever runs transactions rolls back), a deadlock, a branch of XA rolled back, a rollback on the
// way to the commit of a group.
bool is_rolled_back(int number) {
    switch (number) {
    case 1020:
    case 1205:
    case 1213:
    case 1613:
    case 1614:
    case 3101: return true;
    default: return false;
    }
}

}  // namespace

bool ends_connection(const db::error_code& failed) {
    if (is_servers(failed)) return is_goodbye(failed.value()) || db::is_fatal_error(failed);
    return failed.category() != db::get_client_category() || db::is_fatal_error(failed);
}

void refuse(const db::error_code& failed, const db::diagnostics& said, const std::string& shown,
            std::string_view statement) {
    if (failed == boost::asio::error::operation_aborted)
        throw boost::system::system_error{boost::asio::error::operation_aborted};
    const auto words =
        said.server_message().empty() ? failed.message() : sql::one_line(said.server_message());
    if (ends_connection(failed)) {
        throw store_error{"the connection to " + shown + " was lost (" + words +
                          "), and this may have happened: " + sql::beginning(statement)};
    }
    auto code = is_servers(failed) ? std::to_string(failed.value()) : std::string{};
    const auto text = "MySQL: " + words + (code.empty() ? "" : " (error " + code + ")") +
                      " in: " + sql::beginning(statement);
    if (is_servers(failed) && is_rolled_back(failed.value()))
        throw serialization_failure{text, std::move(code)};
    throw database_error{text, std::move(code)};
}

}  // namespace errand::mysql
