// A connection that the user opened, behind the seam.
#pragma once

#include "transaction/driver.hpp"

#include <libpq-fe.h>

namespace errand::postgres {

// Runs its statements wherever the coroutine runs that calls; between them the connection is as the user left it.
class adopted final : public sql::session {
public:
    // Throws usage_error for a null pointer.
    explicit adopted(PGconn* connection);

    awaitable<sql::result> run(std::string statement, std::vector<sql::value> values) override;
    bool usable() const noexcept override { return usable_; }

private:
    PGconn* connection_;
    bool usable_ = true;
};

}  // namespace errand::postgres
