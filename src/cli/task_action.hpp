// What retry, revive, cancel, delete and reschedule have in common: one thing done to the tasks that are named, or to all that
// match, with --dry-run, a question before --all, and Ctrl-C between two steps.
//
// Each task is changed by a step of its own: whatever interrupts a command leaves nothing half done, and the same command goes
// on with the rest.
#pragma once

#include <errand/inspect.hpp>

#include "cli/commands.hpp"
#include "cli/options.hpp"

#include <functional>
#include <optional>
#include <string>
#include <vector>

namespace errand::cli {

// Why nothing is done to a task that is not there.
inline constexpr const char* unknown_task = "no task has this id";

// What is done. The functions are called once the options were read; the inspector outlives what they return.
struct task_action {
    std::string verb{};                    // "revive": the command's name
    std::string past;                      // "revived"
    std::vector<errand::state> fits;       // tasks in these states
    std::optional<errand::state> usual{};  // which of them --all means without --state
    std::function<awaitable<bool>(const inspector&, std::string id)> one;
    std::function<awaitable<repair_progress>(const inspector&, task_filter, repair_options)> all;
};

// For `all`.
inline auto all_by(repair what) {
    return [what](const inspector& in, task_filter which, repair_options how) {
        return in.repair_all(std::move(which), what, std::move(how));
    };
}

// Which tasks, and how it is done.
struct task_selection {
    std::vector<std::string> ids;
    bool all = false;
    std::string state;
    filter_options filter;
    std::size_t limit = 0;  // 0: no limit
    bool dry_run = false;
    bool yes = false;
};

void declare_selection(CLI::App& line, const task_action& what, task_selection& values);

exit_code act(session& on, const task_action& what, const task_selection& which);

// Both, for a command without options of its own.
preparer on_tasks(task_action what);

}  // namespace errand::cli
