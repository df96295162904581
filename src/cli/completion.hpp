// Completion scripts for shells, written from CLI11's description of the commands as they were declared: their names, options,
// and what an option or argument may be. Pure.
#pragma once

#include <string>

namespace CLI {
class App;
}

namespace errand::cli {

// @param shell bash, zsh or fish; others are a usage_error
std::string completion_script(const CLI::App& program, const std::string& shell);

}  // namespace errand::cli
