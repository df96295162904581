#pragma once

#include <span>
#include <string_view>

namespace errand::cli {

// The files of project/ as they were when errand was built; the source is generated.
struct script_text {
    std::string_view name;  // the file's name without .in
    std::string_view text;
};

extern const std::span<const script_text> project_files;  // sorted by name

}  // namespace errand::cli
