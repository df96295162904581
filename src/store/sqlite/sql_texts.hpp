#pragma once

#include <span>
#include <string_view>

namespace errand::sqlite {

// The files of this folder's sql/ and schema/ as they were when errand was built; the source is generated.
struct script_text {
    std::string_view name;  // the file's name without .sql
    std::string_view text;
};

extern const std::span<const script_text> sql_texts;     // sorted by name
extern const std::span<const script_text> schema_steps;  // those of schema/

}  // namespace errand::sqlite
