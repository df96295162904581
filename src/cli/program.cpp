#include "cli/program.hpp"

#include <errand/error.hpp>

#include "cli/commands.hpp"
#include "cli/session.hpp"

#include <CLI/CLI.hpp>

#include <utility>
#include <vector>

namespace errand::cli {

// The parsed form: which runner belongs to which command, and what was given to it.
struct command_line {
    CLI::App root{"Looks at the tasks of errand and repairs what went wrong.", "errand"};
    common_options common;
    std::vector<std::pair<CLI::App*, runner>> runners;

    command_line();
};

namespace {

constexpr const char* footer =
    "Exit codes: 0 done; 1 something was not done as asked, and the message says what; 2 wrong usage; 3 the store\n"
    "cannot be reached; 130 interrupted. `errand COMMAND --help` says what a command takes.";

exit_code run(command_line& line) {
    session on{line.common};
    for (const auto& [chosen, then] : line.runners) {
        if (chosen->parsed()) return then(on);
    }
    return exit_code::wrong_usage;
}

// Which --help tells more than the sentence.
std::string usage_hint(const command_line& line) {
    const auto chosen = line.root.get_subcommands();
    return chosen.empty() ? "errand --help" : "errand " + chosen.front()->get_name() + " --help";
}

void complain_about(const command_line& line, const std::string& what) {
    const bool ends = !what.empty() && what.back() == '.';
    complain(what + (ends ? " " : "; ") + "see " + usage_hint(line));
}

// What stands where a command is due, and is none.
std::string unknown_command(int count, char** words) {
    for (int at = 1; at < count; ++at) {
        const std::string word = words[at];
        if (!word.starts_with("-")) return word;
        if (word != "--json" && word.find('=') == word.npos) ++at;
    }
    return {};
}

int refuse(const command_line& line, const CLI::ParseError& why, int count, char** words) {
    const auto unknown = unknown_command(count, words);
    if (!line.root.get_subcommands().empty() || (count > 1 && unknown.empty())) {
        complain_about(line, why.what());
    } else if (unknown.empty()) {
        complain("say what to do: errand COMMAND; errand --help lists the commands");
    } else {
        complain("there is no command \"" + unknown + "\"; errand --help lists them");
    }
    return static_cast<int>(exit_code::wrong_usage);
}

}  // namespace

command_line::command_line() {
    root.require_subcommand(1);
    root.footer(footer);
    root.set_version_flag("--version", "errand " ERRAND_VERSION);
    declare_common(root, common);
    for (const auto& row : commands()) {
        auto* line = root.add_subcommand(std::string{row.name}, std::string{row.help});
        runners.emplace_back(line, row.prepare(*line));
        declare_common(*line, common);
    }
}

std::shared_ptr<CLI::App> describe_program() {
    auto line = std::make_shared<command_line>();
    auto* root = &line->root;
    return {std::move(line), root};
}

int run_program(int count, char** words) {
    command_line line;
    try {
        line.root.parse(count, words);
    } catch (const CLI::Success& asked) {
        return line.root.exit(asked);
    } catch (const CLI::ParseError& why) {
        return refuse(line, why, count, words);
    }
    try {
        return static_cast<int>(run(line));
    } catch (const usage_error& why) {
        complain_about(line, why.what());
        return static_cast<int>(exit_code::wrong_usage);
    } catch (const store_error& why) {
        complain(why.what());
        return static_cast<int>(exit_code::no_store);
    } catch (const std::exception& why) {
        complain(why.what());
        return static_cast<int>(exit_code::undone);
    }
}

}  // namespace errand::cli
