#include "cli/completion_script.hpp"

#include <errand/error.hpp>
#include <errand/state.hpp>

#include <CLI/CLI.hpp>

#include <algorithm>
#include <vector>

namespace errand::cli {
namespace {

// What may follow a word: known words, or what a command prints.
enum class value_kind : unsigned char { none, other, states, queues, shells };

struct option_words {
    std::vector<std::string> names;  // with their dashes
    std::string help;
    value_kind value = value_kind::none;
};

struct command_words {
    std::string name;
    std::string help;
    std::vector<option_words> options;
    value_kind argument = value_kind::none;
};

// How queues are asked for while somebody waits for the shell.
constexpr const char* list_queues = "errand queues --names --store-timeout 300ms 2>/dev/null";

value_kind kind_of(const CLI::Option& option) {
    if (option.get_expected_max() == 0) return value_kind::none;
    const auto type = option.get_type_name();
    if (type == "STATE") return value_kind::states;
    if (type == "QUEUE") return value_kind::queues;
    if (type == "SHELL") return value_kind::shells;
    return value_kind::other;
}

command_words words_of(const CLI::App& command) {
    command_words words{.name = command.get_name(), .help = command.get_description(), .options = {}};
    for (const auto* option : command.get_options()) {
        if (option->get_positional()) {
            if (words.argument == value_kind::none) words.argument = kind_of(*option);
            continue;
        }
        option_words one{.names = {}, .help = option->get_description(), .value = kind_of(*option)};
        for (const auto& name : option->get_lnames()) one.names.push_back("--" + name);
        words.options.push_back(std::move(one));
    }
    return words;
}

std::vector<command_words> all_words(const CLI::App& program) {
    std::vector<command_words> all;
    for (const auto* command : program.get_subcommands([](const CLI::App*) { return true; })) {
        all.push_back(words_of(*command));
    }
    return all;
}

std::string joined(const std::vector<std::string>& words) {
    std::string text;
    for (const auto& one : words) text += (text.empty() ? "" : " ") + one;
    return text;
}

// The words themselves, or a shell's command substitution that gives them.
std::string values_of(value_kind kind) {
    if (kind == value_kind::shells) return "bash zsh fish";
    if (kind == value_kind::queues) return std::string{"$("} + list_queues + ')';
    if (kind != value_kind::states) return {};
    return joined({detail::state_names.begin(), detail::state_names.end()});
}

std::string names_of(const std::vector<command_words>& commands, char between) {
    std::string text;
    for (const auto& one : commands) text += (text.empty() ? std::string{} : std::string{between}) + one.name;
    return text;
}

// What may stand after the command: its options, and the words of its argument.
std::string following(const command_words& command) {
    std::vector<std::string> all;
    for (const auto& option : command.options)
        all.insert(all.end(), option.names.begin(), option.names.end());
    auto text = joined(all);
    const auto values = values_of(command.argument);
    return values.empty() ? text : text + ' ' + values;
}

// "--state) … ;;" for each option with known values; other values are whatever the user types.
std::string option_cases(const std::vector<command_words>& commands, const std::string& before,
                         const std::string& after) {
    std::string text;
    for (const auto kind : {value_kind::states, value_kind::queues, value_kind::other}) {
        std::vector<std::string> names;
        for (const auto& command : commands) {
            for (const auto& option : command.options) {
                if (option.value != kind) continue;
                for (const auto& name : option.names) {
                    if (std::ranges::count(names, name) == 0) names.push_back(name);
                }
            }
        }
        if (names.empty()) continue;
        std::string pattern;
        for (const auto& name : names) pattern += (pattern.empty() ? "" : "|") + name;
        const auto values = values_of(kind);
        text += "        " + pattern + ") " + (values.empty() ? "" : before + values + after + "; ") +
                "return ;;\n";
    }
    return text;
}

std::string bash(const std::vector<command_words>& commands) {
    std::string text = "# Completion of errand for bash: source <(errand completion bash)\n"
                       "# Not compgen -W: it would run what stands in the name of a queue.\n"
                       "_errand_offer() {\n"
                       "    local word words\n"
                       "    IFS=$' \\n' read -r -d '' -a words <<<\"$1\"\n"
                       "    for word in \"${words[@]}\"; do\n"
                       "        [[ $word != \"${COMP_WORDS[COMP_CWORD]}\"* ]] || COMPREPLY+=(\"$word\")\n"
                       "    done\n"
                       "}\n"
                       "_errand() {\n"
                       "    local previous=${COMP_WORDS[COMP_CWORD-1]}\n"
                       "    local command= word\n"
                       "    COMPREPLY=()\n"
                       "    for word in \"${COMP_WORDS[@]:1:COMP_CWORD-1}\"; do\n"
                       "        case $word in " +
                       names_of(commands, '|') +
                       ") command=$word; break ;; esac\n"
                       "    done\n"
                       "    case $previous in\n";
    text += option_cases(commands, "_errand_offer \"", "\"");
    text += "    esac\n"
            "    case $command in\n";
    for (const auto& one : commands) {
        text += "        " + one.name + ") _errand_offer \"" + following(one) + "\" ;;\n";
    }
    text += "        *) _errand_offer \"" + names_of(commands, ' ') +
            " --help --version\" ;;\n"
            "    esac\n"
            "}\n"
            "complete -F _errand errand\n";
    return text;
}

std::string quoted(const std::string& text) {
    std::string out = "'";
    for (const char c : text) out += c == '\'' ? std::string{"'\\''"} : std::string{c};
    return out + '\'';
}

std::string zsh(const std::vector<command_words>& commands) {
    std::string text = "#compdef errand\n"
                       "# Completion of errand for zsh: source <(errand completion zsh)\n"
                       "_errand() {\n"
                       "    local -a commands\n"
                       "    commands=(\n";
    for (const auto& one : commands) text += "        " + quoted(one.name + ':' + one.help) + '\n';
    text += "    )\n"
            "    if (( CURRENT == 2 )); then _describe command commands; return; fi\n"
            "    case $words[CURRENT-1] in\n";
    text += option_cases(commands, "compadd -- ", "");
    text += "    esac\n"
            "    case $words[2] in\n";
    for (const auto& one : commands)
        text += "        " + one.name + ") compadd -- " + following(one) + " ;;\n";
    text += "    esac\n"
            "}\n"
            "if [ \"$funcstack[1]\" = _errand ]; then _errand \"$@\"; else compdef _errand errand; fi\n";
    return text;
}

std::string fish_values(value_kind kind) {
    if (kind == value_kind::queues) return quoted(std::string{"("} + list_queues + ')');
    return quoted(values_of(kind));
}

std::string fish(const std::vector<command_words>& commands) {
    std::string text = "# Completion of errand for fish: errand completion fish | source\n"
                       "complete -c errand -f\n";
    for (const auto& one : commands) {
        text +=
            "complete -c errand -n __fish_use_subcommand -a " + one.name + " -d " + quoted(one.help) + '\n';
        const auto within = "complete -c errand -n '__fish_seen_subcommand_from " + one.name + '\'';
        if (!values_of(one.argument).empty()) text += within + " -a " + fish_values(one.argument) + '\n';
        for (const auto& option : one.options) {
            if (option.names.empty()) continue;
            text += within + " -l " + option.names.front().substr(2);
            if (option.value != value_kind::none) text += " -r";
            if (!values_of(option.value).empty()) text += " -a " + fish_values(option.value);
            text += " -d " + quoted(option.help) + '\n';
        }
    }
    return text;
}

}  // namespace

std::string completion_script(const CLI::App& program, const std::string& shell) {
    const auto commands = all_words(program);
    if (shell == "bash") return bash(commands);
    if (shell == "zsh") return zsh(commands);
    if (shell == "fish") return fish(commands);
    throw usage_error{"there is no completion for \"" + shell + "\", only for bash, zsh and fish"};
}

}  // namespace errand::cli
