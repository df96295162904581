#include "transaction/postgres/adopted.hpp"

#include <errand/error.hpp>

#include "transaction/postgres/session.hpp"

#include <boost/asio/this_coro.hpp>

namespace errand::postgres {

adopted::adopted(PGconn* connection) : connection_{connection} {
    if (!connection) throw usage_error{"the adopted PGconn is null"};
}

awaitable<sql::result> adopted::run(std::string statement, std::vector<sql::value> values) {
    const auto here = co_await boost::asio::this_coro::executor;
    postgres::session with{here, connection_};
    // Until it has ended well, and should this coroutine never go on.
    usable_ = false;
    try {
        auto got = co_await with.run(std::move(statement), std::move(values));
        usable_ = true;
        co_return got;
    } catch (const database_error&) {
        usable_ = with.usable();
        throw;
    }
}

}  // namespace errand::postgres
