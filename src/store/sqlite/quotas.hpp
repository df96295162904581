// What the quota of a namespace has let through.
#pragma once

#include "store/sqlite/transaction.hpp"

namespace errand::sqlite {

class quotas {
public:
    explicit quotas(transaction& of) : tx_{of}, sql_{of.sql} {}

    quota_answer take(const quota_ask& ask);

private:
    transaction& tx_;
    statements& sql_;
};

}  // namespace errand::sqlite
