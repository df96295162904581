// The files of project/, of which `errand new` makes a project, by their names without .in.
#pragma once

#include "core/embedded_text.hpp"

#include <span>

namespace errand::cli {

extern const std::span<const embedded_text> project_files;  // sorted by name

}  // namespace errand::cli
