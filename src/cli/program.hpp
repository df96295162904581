// Reads the command line, runs one command, and turns what goes wrong into a sentence and an exit code.
#pragma once

#include <memory>

namespace CLI {
class App;
}

namespace errand::cli {

// The program's options and commands, as --help and completion show them; runs nothing.
std::shared_ptr<CLI::App> describe_program();

int run_program(int count, char** words);

}  // namespace errand::cli
