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
    // As it stands in the file; empty: none is.
    std::string in_force(std::string_view number);
    // What was started under the rule before goes on to count.
    void keep_starts(std::string_view number, std::string_view before, std::string_view after);
    std::optional<time_point> opening_of(std::string_view rule_text, std::string_view number);

    transaction& tx_;
    statements& sql_;
    gates& gates_;
    groups& groups_;
};

}  // namespace errand::sqlite
