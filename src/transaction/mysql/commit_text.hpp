// Statements of errand's own as one text: the server runs them in one round trip, and stops at the first that it refuses.
#pragma once

#include "transaction/driver.hpp"

#include <boost/mysql/format_sql.hpp>

#include <optional>
#include <string>
#include <vector>

namespace errand::mysql {

// Nothing when it would be long, or has a value that is no text in this character set. A ? in a statement is a parameter.
std::optional<std::string> commit_text(const std::vector<sql::statement>& all,
                                       boost::mysql::format_options how);

}  // namespace errand::mysql
