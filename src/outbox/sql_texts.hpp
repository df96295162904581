#pragma once

#include <span>
#include <string_view>

namespace errand::sql {

// The files of sql/<database>/ as they were when errand was built; the sources are generated.
struct script_text {
    std::string_view name;  // the file's name without .sql
    std::string_view text;
};

extern const std::span<const script_text> sqlite_texts;  // sorted by name
extern const std::span<const script_text> postgres_texts;
extern const std::span<const script_text> mysql_texts;

}  // namespace errand::sql
