#include "cli/repair.hpp"

#include <errand/error.hpp>

#include "cli/repair_runs.hpp"
#include "cli/session.hpp"

#include <CLI/CLI.hpp>

#include <memory>

namespace errand::cli {
namespace {

void check(const repair_kind& what, const repair_choice& which) {
    if (which.all && !which.ids.empty()) throw usage_error{"give ids or --all, not both"};
    if (!which.all && which.ids.empty()) {
        throw usage_error{"say which tasks to " + what.verb +
                          ": their ids, - for ids from standard input, or --all"};
    }
    if (which.all) return;
    if (which.filter.any() || !which.state.empty() || which.limit > 0) {
        throw usage_error{"--state, --limit and the options of the filter go with --all only"};
    }
}

errand::state chosen_state(const repair_kind& what, const repair_choice& which) {
    if (which.state.empty()) {
        if (what.usual) return *what.usual;
        throw usage_error{what.verb + " --all: say with --state which of " + names_of(what.fits)};
    }
    const auto state = need_state(which.state);
    if (!fits(what, state)) {
        throw usage_error{what.verb + " does nothing to " + which.state + " tasks, only to " +
                          names_of(what.fits) + " ones"};
    }
    return state;
}

}  // namespace

void declare_repair(CLI::App& line, const repair_kind& what, repair_choice& values) {
    line.add_option("ids", values.ids, "The tasks; - reads ids from standard input")->type_name("ID");
    line.add_flag("--all", values.all, "All tasks that match");
    line.add_option("--state", values.state,
                    "With --all: tasks in this state (" + names_of(what.fits) +
                        (what.usual ? "; else " + std::string{to_string(*what.usual)} : "") + ')')
        ->type_name("STATE")
        ->group("Which tasks");
    declare_filter(line, values.filter);
    line.add_option("--limit", values.limit, "With --all: so many at most")->type_name("N");
    line.add_flag("--dry-run", values.dry_run, "Only says what would be done");
    line.add_flag("--yes", values.yes, "With --all: does not ask");
}

exit_code run_repair(session& on, const repair_kind& what, const repair_choice& which) {
    check(what, which);
    if (!which.all) return repair_named(on, what, which);
    return repair_matching(on, what, which, chosen_state(what, which));
}

runner prepare_repair(CLI::App& line, repair_kind what) {
    const auto which = std::make_shared<repair_choice>();
    declare_repair(line, what, *which);
    return [which, what = std::move(what)](session& on) { return run_repair(on, what, *which); };
}

}  // namespace errand::cli
