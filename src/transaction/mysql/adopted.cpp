#include "transaction/mysql/adopted.hpp"

#include <errand/error.hpp>

#include "transaction/mysql/session.hpp"

namespace errand::mysql {

awaitable<sql::result> adopted::run(std::string statement, std::vector<sql::value> values) {
    mysql::session with{connection_};
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

}  // namespace errand::mysql
