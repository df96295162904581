#include "transaction/postgres/driver.hpp"

#include "transaction/postgres/connect.hpp"
#include "transaction/postgres/session.hpp"

namespace errand::postgres {

awaitable<std::unique_ptr<sql::session>> driver::connect(boost::asio::io_context& on) {
    auto made = co_await postgres::connect(on, to_);
    auto opened = std::make_unique<session>(on, std::move(made), to_.shown);
    // What is read as a time must not depend on the server's country.
    co_await opened->run(
        "SELECT set_config('TimeZone', 'UTC', false), set_config('DateStyle', 'ISO, YMD', false)", {});
    co_return opened;
}

}  // namespace errand::postgres
