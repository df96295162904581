// A connection that the user opened, behind the seam: between its statements it is as the user left it.
#pragma once

#include "sql/driver.hpp"

#include <boost/asio/any_io_executor.hpp>

#include <functional>

namespace errand::sql {

// Runs its statements wherever the coroutine runs that calls.
class adopted_session final : public session {
public:
    // A session on the user's connection, for one statement; what it leaves there goes with it.
    using opener = std::function<std::unique_ptr<session>(const boost::asio::any_io_executor&)>;

    explicit adopted_session(opener open) : open_{std::move(open)} {}

    awaitable<result> run(std::string statement, std::vector<value> values) override;
    bool usable() const noexcept override { return usable_; }

private:
    const opener open_;
    bool usable_ = true;
};

}  // namespace errand::sql
