// Requests that are counted by a name.
#pragma once

#include "store/sqlite/transaction.hpp"

namespace errand::sqlite {

class request_counts {
public:
    explicit request_counts(transaction& of) : tx_{of}, sql_{of.sql} {}

    request_answer count(const request_count& of);
    void take_back(const request_count& of, std::int64_t mark);

private:
    transaction& tx_;
    statements& sql_;
};

}  // namespace errand::sqlite
