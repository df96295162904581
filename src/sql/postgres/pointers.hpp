// What libpq hands out, owned.
#pragma once

#include <libpq-fe.h>

#include <memory>

namespace errand::postgres {

struct release {
    void operator()(PGconn* one) const noexcept { PQfinish(one); }
    void operator()(PGresult* one) const noexcept { PQclear(one); }
    void operator()(PQconninfoOption* one) const noexcept { PQconninfoFree(one); }
};

using connection_ptr = std::unique_ptr<PGconn, release>;
using result_ptr = std::unique_ptr<PGresult, release>;
using options_ptr = std::unique_ptr<PQconninfoOption, release>;

}  // namespace errand::postgres
