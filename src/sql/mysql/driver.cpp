#include "sql/mysql/driver.hpp"

#include "sql/adopted_session.hpp"
#include "sql/mysql/session.hpp"

namespace errand::mysql {

driver::driver(const std::string& url) : there_{destination_of(parse_address(url))} {}

const std::string& driver::shown_url() const noexcept { return there_->to.shown; }

awaitable<std::unique_ptr<sql::session>> driver::connect(boost::asio::io_context& on) {
    auto made = co_await mysql::connect(on.get_executor(), *there_);
    auto opened = std::make_unique<session>(there_, std::move(made));
    // What is read as a time must not depend on the server's country, and a value that does not fit is refused, not cut.
    co_await opened->run("SET time_zone = '+00:00', "
                         "sql_mode = concat_ws(',', nullif(@@sql_mode, ''), 'STRICT_ALL_TABLES')",
                         {});
    co_return opened;
}

std::unique_ptr<sql::session> adopted(boost::mysql::any_connection& connection) {
    return std::make_unique<sql::adopted_session>([&connection](const auto&) {
        return std::make_unique<session>(connection);
    });
}

}  // namespace errand::mysql
