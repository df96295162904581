// A limit's rule as it stands in the file: its numbers, "-" for one that is not set, and behind those of a rate "late" where its
// starts may come late. That stands there since what is kept of starts is told by the rule under which they were.
#pragma once

#include <errand/limit.hpp>

#include "core/rate_gate.hpp"

#include <string>
#include <string_view>

namespace errand::sqlite {

std::string text_of_rule(const limit_rule& rule, arrival how);
limit_rule rule_in(std::string_view text);
arrival arrival_in(std::string_view text);

}  // namespace errand::sqlite
