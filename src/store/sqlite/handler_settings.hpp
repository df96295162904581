// What is set of handlers at run time: records that are changed by compare-and-set.
#pragma once

#include "store/sqlite/transaction.hpp"

#include <string_view>

namespace errand::sqlite {

class handler_settings {
public:
    explicit handler_settings(transaction& of) : tx_{of}, sql_{of.sql} {}

    bool any() const { return tx_.cache().settings() != 0; }
    std::vector<kept_settings> all();
    std::string find(std::string_view handler);
    bool set(const settings_step& step);

private:
    transaction& tx_;
    statements& sql_;
};

}  // namespace errand::sqlite
