// Limits: which there are, and other rules for one of them.
#include <errand/error.hpp>
#include <errand/limit.hpp>

#include "cli/commands.hpp"
#include "cli/limit_views.hpp"
#include "cli/session.hpp"
#include "cli/terminal.hpp"
#include "cli/text.hpp"
#include "cli/views.hpp"

#include <CLI/CLI.hpp>

#include <memory>

namespace errand::cli {
namespace {

struct limit_line {
    std::string name;
    std::vector<std::string> words;
    bool clear = false;
};

exit_code show_limits(session& on) {
    const auto limits = on.run(on.app().limits());
    if (on.json()) {
        print_document(boost::json::object{{"limits", json_list(limits)}});
    } else if (limits.empty()) {
        print("no worker has declared a limit yet\n");
    } else {
        print(limit_table(limits, clock_now()).text(line_width()));
    }
    return on.seen();
}

exit_code change_limit(session& on, const limit_line& given) {
    if (given.clear != given.words.empty())
        throw usage_error{"limit: say either what it is to allow, like max_running=5 rate=10/s, or --clear"};
    if (given.clear) {
        on.run(on.app().clear_limit(given.name));
    } else {
        on.run(on.app().set_limit(given.name, rule_of(given.words)));
    }
    for (const auto& one : on.run(on.app().limits())) {
        if (one.name != given.name) continue;
        if (on.json()) {
            print_document(json_of(one));
        } else {
            print(plain("limit " + one.name + " allows " + rule_text(one.rule())) + '\n');
        }
    }
    return exit_code::done;
}

}  // namespace

runner prepare_limits(CLI::App&) {
    return [](session& on) { return show_limits(on); };
}

runner prepare_limit(CLI::App& line) {
    const auto given = std::make_shared<limit_line>();
    line.add_option("name", given->name, "Its name, as errand limits shows it")
        ->required()
        ->type_name("NAME");
    line.add_option(
            "rule", given->words,
            "What it allows from now on, instead of what is declared: max_running=N, rate=N/TIME (10/s, 100/min, "
            "50/30s), burst=N; what is not named is not limited")
        ->type_name("RULE");
    line.add_flag("--clear", given->clear, "What is declared is in force again");
    return [given](session& on) { return change_limit(on, *given); };
}

}  // namespace errand::cli
