// What a command of the program `errand` is: a row of the table in commands.cpp.
#pragma once

#include <functional>
#include <span>
#include <string_view>

namespace CLI {
class App;
}

namespace errand::cli {

class session;

// What the program ends with; docs/cli.md and `errand --help` name them.
enum class exit_code : int {
    done = 0,
    undone = 1,       // something was not done as asked; the message says what
    wrong_usage = 2,  // nothing was tried
    no_store = 3,
    interrupted = 130,
};

// Runs once, after the options were read.
using runner = std::function<exit_code(session&)>;

struct command {
    std::string_view name;
    std::string_view help;              // one line
    runner (*prepare)(CLI::App& line);  // declares its options there; what it returns knows their values
};

// All of them, in the order in which --help shows them.
std::span<const command> commands() noexcept;

}  // namespace errand::cli
