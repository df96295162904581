#include "cli/completion.hpp"

#include <errand/error.hpp>
#include <errand/state.hpp>

#include "cli/commands.hpp"
#include "cli/program.hpp"
#include "cli/session.hpp"
#include "cli/text.hpp"

#include <CLI/CLI.hpp>

#include <algorithm>
#include <iterator>
#include <memory>
#include <utility>
#include <vector>

namespace errand::cli {
namespace {

using commands_of_program = std::vector<const CLI::App*>;

// How queues are asked for while somebody waits for the shell.
constexpr const char* list_queues = "$(errand queues --names --store-timeout 300ms 2>/dev/null)";
constexpr const char* list_handlers = "$(errand handlers --names --store-timeout 300ms 2>/dev/null)";

// What an option or argument may be: the words themselves, or a shell's command substitution that gives them; empty when only
// the user knows.
std::string values_of(const CLI::Option& option) {
    const auto type = option.get_type_name();
    if (type == "STATE") return joined(detail::state_names, " ");
    if (type == "QUEUE") return list_queues;
    if (type == "HANDLER") return list_handlers;
    // "RULE:{cancel,run,wait}", as CLI::IsMember describes itself.
    const auto from = type.find('{');
    if (from == type.npos || !type.ends_with('}')) return {};
    auto words = type.substr(from + 1, type.size() - from - 2);
    std::ranges::replace(words, ',', ' ');
    return words;
}

bool takes_value(const CLI::Option& option) { return option.get_expected_max() > 0; }

std::string dashed(const std::string& name) { return "--" + name; }

std::vector<const CLI::Option*> options_of(const CLI::App& command) {
    return command.get_options([](const CLI::Option* one) { return !one->get_positional(); });
}

// Of the command's first argument.
std::string argument_values(const CLI::App& command) {
    const auto arguments = command.get_options([](const CLI::Option* one) { return one->get_positional(); });
    return arguments.empty() ? std::string{} : values_of(*arguments.front());
}

std::string names_of_commands(const commands_of_program& commands, std::string_view between) {
    std::vector<std::string> names;
    for (const auto* one : commands) names.push_back(one->get_name());
    return joined(names, between);
}

// What may stand after the command: its options, and the words of its argument.
std::string following(const CLI::App& command) {
    std::vector<std::string> words;
    for (const auto* option : options_of(command)) {
        for (const auto& name : option->get_lnames()) words.push_back(dashed(name));
    }
    if (auto values = argument_values(command); !values.empty()) words.push_back(std::move(values));
    return joined(words, " ");
}

// The options that take a value, by what it may be.
std::vector<std::pair<std::string, std::vector<std::string>>> options_by_values(
    const commands_of_program& commands) {
    std::vector<std::pair<std::string, std::vector<std::string>>> all;
    for (const auto* command : commands) {
        for (const auto* option : options_of(*command)) {
            if (!takes_value(*option)) continue;
            const auto values = values_of(*option);
            auto at = std::ranges::find(all, values, [](const auto& one) { return one.first; });
            if (at == all.end()) {
                all.emplace_back(values, std::vector<std::string>{});
                at = std::prev(all.end());
            }
            for (const auto& name : option->get_lnames()) {
                if (std::ranges::count(at->second, dashed(name)) == 0) at->second.push_back(dashed(name));
            }
        }
    }
    return all;
}

// "--state) … ;;" for each such group; an option of which nothing is known completes to nothing.
std::string option_cases(const commands_of_program& commands, const std::string& before,
                         const std::string& after) {
    std::string text;
    for (const auto& [values, names] : options_by_values(commands)) {
        text += "        " + joined(names, "|") + ") " +
                (values.empty() ? std::string{} : before + values + after + "; ") + "return ;;\n";
    }
    return text;
}

std::string bash(const commands_of_program& commands) {
    std::string text = R"(# Completion of errand for bash: source <(errand completion bash)
# Not compgen -W: it would run what stands in the name of a queue.
_errand_offer() {
    local word words
    IFS=$' \n' read -r -d '' -a words <<<"$1"
    for word in "${words[@]}"; do
        [[ $word != "${COMP_WORDS[COMP_CWORD]}"* ]] || COMPREPLY+=("$word")
    done
}
_errand() {
    local previous=${COMP_WORDS[COMP_CWORD-1]}
    local command= word
    COMPREPLY=()
    for word in "${COMP_WORDS[@]:1:COMP_CWORD-1}"; do
        case $word in )" +
                       names_of_commands(commands, "|") +
                       R"() command=$word; break ;; esac
    done
    case $previous in
)" + option_cases(commands, "_errand_offer \"", "\"") +
                       R"(    esac
    case $command in
)";
    for (const auto* one : commands) {
        text += "        " + one->get_name() + ") _errand_offer \"" + following(*one) + "\" ;;\n";
    }
    return text + "        *) _errand_offer \"" + names_of_commands(commands, " ") + R"( --help --version" ;;
    esac
}
complete -F _errand errand
)";
}

std::string quoted(const std::string& text) {
    std::string out = "'";
    for (const char c : text) out += c == '\'' ? std::string{"'\\''"} : std::string{c};
    return out + '\'';
}

std::string zsh(const commands_of_program& commands) {
    std::string text = R"(#compdef errand
# Completion of errand for zsh: source <(errand completion zsh)
_errand() {
    local -a commands
    commands=(
)";
    for (const auto* one : commands) {
        text += "        " + quoted(one->get_name() + ':' + one->get_description()) + '\n';
    }
    text += R"(    )
    if (( CURRENT == 2 )); then _describe command commands; return; fi
    case $words[CURRENT-1] in
)" + option_cases(commands, "compadd -- ", "") +
            R"(    esac
    case $words[2] in
)";
    for (const auto* one : commands) {
        text += "        " + one->get_name() + ") compadd -- " + following(*one) + " ;;\n";
    }
    return text + R"(    esac
}
if [ "$funcstack[1]" = _errand ]; then _errand "$@"; else compdef _errand errand; fi
)";
}

std::string fish_values(const std::string& values) {
    // A substitution has no dollar there.
    return " -a " + quoted(values.starts_with('$') ? values.substr(1) : values);
}

std::string fish(const commands_of_program& commands) {
    std::string text = "# Completion of errand for fish: errand completion fish | source\n"
                       "complete -c errand -f\n";
    for (const auto* one : commands) {
        const auto& name = one->get_name();
        text += "complete -c errand -n __fish_use_subcommand -a " + name + " -d " +
                quoted(one->get_description()) + '\n';
        const auto within = "complete -c errand -n '__fish_seen_subcommand_from " + name + '\'';
        const auto argument = argument_values(*one);
        if (!argument.empty()) text += within + fish_values(argument) + '\n';
        for (const auto* option : options_of(*one)) {
            if (option->get_lnames().empty()) continue;
            text += within + " -l " + option->get_lnames().front();
            if (takes_value(*option)) {
                const auto values = values_of(*option);
                text += " -r" + (values.empty() ? std::string{} : fish_values(values));
            }
            text += " -d " + quoted(option->get_description()) + '\n';
        }
    }
    return text;
}

}  // namespace

std::string completion_script(const CLI::App& program, const std::string& shell) {
    const auto commands = program.get_subcommands([](const CLI::App*) { return true; });
    if (shell == "bash") return bash(commands);
    if (shell == "zsh") return zsh(commands);
    if (shell == "fish") return fish(commands);
    throw usage_error{"there is no completion for \"" + shell + "\", only for bash, zsh and fish"};
}

runner prepare_completion(CLI::App& line) {
    const auto shell = std::make_shared<std::string>();
    line.add_option("shell", *shell, "bash, zsh or fish")->required()->type_name("SHELL:{bash,zsh,fish}");
    return [shell](session&) {
        print(completion_script(*describe_program(), *shell));
        return exit_code::done;
    };
}

}  // namespace errand::cli
