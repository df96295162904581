#include "cli/man_page.hpp"
#include "cli/program.hpp"

#include <CLI/CLI.hpp>
#include <catch2/catch_test_macros.hpp>
#include <catch2/matchers/catch_matchers_string.hpp>

#include <sstream>

using Catch::Matchers::ContainsSubstring;

TEST_CASE(
    "the manual page has all commands with all their options, and nothing in it is taken for a request") {
    const auto program = errand::cli::describe_program();
    const auto page = errand::cli::man_page(*program);
    const auto dashed = [](std::string text) {
        for (auto at = text.find('-'); at != text.npos; at = text.find('-', at + 2)) text.insert(at, 1, '\\');
        return text;
    };
    std::size_t options = 0;
    for (const auto* command : program->get_subcommands([](const CLI::App*) { return true; })) {
        INFO(command->get_name());
        CHECK_THAT(page, ContainsSubstring(".SS errand " + command->get_name()));
        CHECK_THAT(page, ContainsSubstring(dashed(command->get_description()) + ".\n"));
        for (const auto* option :
             command->get_options([](const CLI::Option* one) { return one->nonpositional(); })) {
            ++options;
            CHECK_THAT(page, ContainsSubstring("\\fB" + dashed(option->get_name())));
            CHECK_THAT(page, ContainsSubstring('\n' + dashed(option->get_description()) + '\n'));
        }
    }
    CHECK(options > 100);
    CHECK(page.starts_with(".TH ERRAND 1 "));
    CHECK_THAT(page, ContainsSubstring("[\\fIID\\fR...]") || ContainsSubstring("[\\fIIDS\\fR...]"));
    std::istringstream lines{page};
    for (std::string one; std::getline(lines, one);) {
        INFO(one);
        CHECK(!one.empty());
        if (one.starts_with('.'))
            CHECK((one == ".TP" || one == ".P" || one.starts_with(".TH ") || one.starts_with(".SH ") ||
                   one.starts_with(".SS ")));
        CHECK(!one.starts_with('\''));
    }
}

TEST_CASE("text of an option that looks like a request of roff is text in the manual page") {
    CLI::App program{".sp is no request, nor is C:\\temp\n'nor this"};
    bool dry = false;
    program.add_flag("--dry-run", dry, ".TH says nothing")->group("Common");
    const auto page = errand::cli::man_page(program);
    CHECK_THAT(page, ContainsSubstring("\n\\&.sp is no request, nor is C:\\etemp 'nor this\n"));
    CHECK_THAT(page, ContainsSubstring("\n\\&.TH says nothing\n"));
}
