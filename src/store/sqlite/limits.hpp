// Limits: what is declared, what was set at run time, and how each stands.
#pragma once

#include "store/sqlite/groups.hpp"

#include <span>

namespace errand::sqlite {

class limits {
public:
    limits(transaction& of, gates& gates, groups& groups)
        : tx_{of}, sql_{of.sql}, gates_{gates}, groups_{groups} {}

    void declare(std::span<const named_limit> all);
    // nullopt: the declared one is in force again.
    void set(std::string_view name, const std::optional<limit_rule>& rule);
    std::vector<limit_state> list();

private:
    std::optional<time_point> opening_of(const limit_rule& rule, std::string_view number);

    transaction& tx_;
    statements& sql_;
    gates& gates_;
    groups& groups_;
};

}  // namespace errand::sqlite
