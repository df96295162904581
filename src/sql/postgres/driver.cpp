#include "sql/postgres/driver.hpp"

#include <errand/error.hpp>

#include "sql/adopted_session.hpp"
#include "sql/postgres/connect.hpp"
#include "sql/postgres/session.hpp"

namespace errand::postgres {

awaitable<std::unique_ptr<sql::session>> driver::connect(boost::asio::io_context& on) {
    auto made = co_await postgres::connect(on, to_);
    auto opened = std::make_unique<session>(on, std::move(made), to_.shown);
    // What is read as a time must not depend on the server's country.
    co_await opened->run(
        "SELECT set_config('TimeZone', 'UTC', false), set_config('DateStyle', 'ISO, YMD', false)", {});
    co_return opened;
}

std::unique_ptr<sql::session> adopted(PGconn* connection) {
    if (!connection) throw usage_error{"the adopted PGconn is null"};
    return std::make_unique<sql::adopted_session>([connection](const boost::asio::any_io_executor& on) {
        return std::make_unique<session>(on, connection);
    });
}

}  // namespace errand::postgres
