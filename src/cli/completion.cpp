#include "cli/commands.hpp"
#include "cli/completion_script.hpp"
#include "cli/output.hpp"
#include "cli/program.hpp"

#include <CLI/CLI.hpp>

#include <memory>

namespace errand::cli {

runner prepare_completion(CLI::App& line) {
    const auto shell = std::make_shared<std::string>();
    line.add_option("shell", *shell, "bash, zsh or fish")->required()->type_name("SHELL");
    return [shell](session&) {
        print(completion_script(*describe_program(), *shell));
        return exit_code::done;
    };
}

}  // namespace errand::cli
