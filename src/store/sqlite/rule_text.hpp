// A limit's rule as it stands in the file: its numbers, "-" for one that is not set.
#pragma once

#include <errand/limit.hpp>

#include <string>
#include <string_view>

namespace errand::sqlite {

std::string text_of_rule(const limit_rule& rule);
limit_rule rule_in(std::string_view text);

}  // namespace errand::sqlite
