// Figures of handlers, by periods.
#pragma once

#include "store/sqlite/transaction.hpp"

#include <span>

namespace errand::sqlite {

class figures {
public:
    explicit figures(transaction& of) : tx_{of}, sql_{of.sql} {}

    void add(std::span<const handler_count> counts);
    figures_answer all();

private:
    std::int64_t period() const { return tx_.now() / figures_store::figures_period.count(); }

    transaction& tx_;
    statements& sql_;
};

}  // namespace errand::sqlite
