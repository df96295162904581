#pragma once

#include "transaction/postgres/session.hpp"

namespace errand::postgres {

// While it lives, statements are under way: who leaves before their answers have come leaves a session that nobody can use.
class session::under_way {
public:
    explicit under_way(session& of) : of_{of} {}
    under_way(const under_way&) = delete;
    under_way& operator=(const under_way&) = delete;
    ~under_way();

private:
    session& of_;
};

}  // namespace errand::postgres
