#include "cli/man_page.hpp"

#include "cli/commands.hpp"
#include "cli/program.hpp"
#include "cli/session.hpp"

#include <CLI/CLI.hpp>

#include <array>
#include <cctype>
#include <utility>
#include <vector>

namespace errand::cli {
namespace {

constexpr std::array<std::pair<const char*, const char*>, 5> exit_codes{{
    {"0", "done"},
    {"1", "something was not done as asked, and the message says what"},
    {"2", "wrong usage; nothing was tried"},
    {"3", "the store cannot be reached, or refuses"},
    {"130", "interrupted"},
}};

constexpr std::array<std::pair<const char*, const char*>, 4> variables{{
    {"ERRAND_STORE", "where the tasks are: redis://host:port/db or sqlite:///path"},
    {"ERRAND_NAME_SPACE", "whose tasks; else default"},
    {"ERRAND_ENCRYPTION_KEYS",
     "keys with which the content of tasks is encrypted, or the /path of their file"},
    {"ERRAND_CONFIG", "a JSON file with the same settings"},
}};

// Text as it is to be read: nothing in it is a request, and a dash is one that can be copied.
std::string plain_roff(const std::string& text) {
    std::string out;
    for (const char c : text) {
        if (c == '\\') {
            out += "\\e";
        } else if (c == '-') {
            out += "\\-";
        } else {
            out += c == '\n' ? ' ' : c;
        }
    }
    if (out.starts_with('.') || out.starts_with('\'')) out.insert(0, "\\&");
    return out;
}

std::string text_line(const std::string& text) { return plain_roff(text) + '\n'; }
std::string bold(const std::string& text) { return "\\fB" + plain_roff(text) + "\\fR"; }
std::string placeholder(const std::string& text) { return "\\fI" + plain_roff(text) + "\\fR"; }

std::string section(const std::string& title) { return ".SH " + title + '\n'; }

std::string entry(const std::string& term, const std::string& text) {
    return ".TP\n" + term + '\n' + text_line(text);
}

// "RULE:{cancel,run,wait}" is shown as its values.
std::string type_of(const CLI::Option& option) {
    const auto type = option.get_type_name();
    const auto from = type.find('{');
    if (from == type.npos || !type.ends_with('}')) return type;
    auto values = type.substr(from + 1, type.size() - from - 2);
    for (auto& c : values) c = c == ',' ? '|' : c;
    return values;
}

std::string name_of_argument(const CLI::Option& option) {
    const auto name = option.get_name();
    std::string upper;
    for (const char c : name) upper += static_cast<char>(std::toupper(static_cast<unsigned char>(c)));
    const bool many = option.get_expected_max() > 1;
    const auto word = placeholder(upper) + (many ? "..." : "");
    return option.get_required() ? word : "[" + word + "]";
}

std::string term_of(const CLI::Option& option) {
    std::string names;
    for (const auto& name : option.get_snames()) names += bold("-" + name) + ", ";
    for (const auto& name : option.get_lnames()) names += bold("--" + name) + ", ";
    names.resize(names.size() - 2);
    if (option.get_expected_max() > 0) names += ' ' + placeholder(type_of(option));
    return names;
}

std::string options_in(const CLI::App& command, bool common) {
    std::string text;
    const auto shown = command.get_options([&](const CLI::Option* one) {
        const bool of_all = one->get_group() == "Common" || one->check_name("--help");
        return one->nonpositional() && of_all == common;
    });
    for (const auto* one : shown) text += entry(term_of(*one), one->get_description());
    return text;
}

std::string arguments_of(const CLI::App& command) {
    std::string text;
    for (const auto* one : command.get_options([](const CLI::Option* o) { return o->get_positional(); }))
        text += entry(name_of_argument(*one), one->get_description());
    return text;
}

std::string chapter_of(const CLI::App& command) {
    std::string title = "errand " + command.get_name();
    for (const auto* one : command.get_options([](const CLI::Option* o) { return o->get_positional(); }))
        title += ' ' + name_of_argument(*one);
    return ".SS " + title + '\n' + text_line(command.get_description() + '.') + arguments_of(command) +
           options_in(command, false);
}

}  // namespace

std::string man_page(const CLI::App& program) {
    std::string text = ".TH ERRAND 1 \"\" \"errand " ERRAND_VERSION "\" \"User Commands\"\n";
    text += section("NAME") + "errand \\- looks at asynchronous tasks and repairs what went wrong\n";
    text += section("SYNOPSIS") + bold("errand") + ' ' + placeholder("COMMAND") + " [" +
            placeholder("options") + "]\n";
    text += section("DESCRIPTION") + text_line(program.get_description()) +
            text_line(
                "It needs the store of the tasks alone, and none of the programs that submit and run them.");
    text += section("OPTIONS") + ".P\n" + text_line("Every command takes these:") + options_in(program, true);
    text += section("COMMANDS");
    for (const auto* one : program.get_subcommands([](const CLI::App*) { return true; }))
        text += chapter_of(*one);
    text += section("EXIT STATUS");
    for (const auto& [code, what] : exit_codes) text += entry(bold(code), what);
    text += section("ENVIRONMENT");
    for (const auto& [name, what] : variables) text += entry(bold(name), what);
    return text;
}

runner prepare_man(CLI::App&) {
    return [](session&) {
        print(man_page(*describe_program()));
        return exit_code::done;
    };
}

}  // namespace errand::cli
