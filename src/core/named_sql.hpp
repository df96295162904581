// Files of SQL in which each statement stands behind a line of its own, `-- name: …`.
#pragma once

#include <string>
#include <string_view>
#include <vector>

namespace errand {

struct named_sql {
    std::string_view name;
    std::string_view text;  // up to the next one, without the blank around it
};

// In their order; parts of `file`, which must outlive them. What stands before the first one is nobody's.
std::vector<named_sql> named_sql_in(std::string_view file);

// The text without spaces and ends of lines around it.
std::string_view without_blank(std::string_view text);
// Nor with lines that are nothing but a comment.
std::string without_comments(std::string_view text);

}  // namespace errand
