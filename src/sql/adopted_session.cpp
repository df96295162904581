#include "sql/adopted_session.hpp"

#include <errand/error.hpp>

#include <boost/asio/this_coro.hpp>

namespace errand::sql {

awaitable<result> adopted_session::run(std::string statement, std::vector<value> values) {
    const auto opened = open_(co_await boost::asio::this_coro::executor);
    // Until it has ended well, and should this coroutine never go on.
    usable_ = false;
    try {
        auto got = co_await opened->run(std::move(statement), std::move(values));
        usable_ = true;
        co_return got;
    } catch (const database_error&) {
        usable_ = opened->usable();
        throw;
    }
}

}  // namespace errand::sql
