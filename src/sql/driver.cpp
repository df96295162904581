#include "sql/driver.hpp"

namespace errand::sql {

awaitable<result> session::run_all(std::vector<statement> all, std::size_t& at) {
    result got;
    for (at = 0; at < all.size(); ++at)
        got = co_await run(std::move(all[at].text), std::move(all[at].values));
    co_return got;
}

}  // namespace errand::sql
