// What retry, revive, cancel, delete and reschedule have in common: one thing done to the tasks that are named, or to all
// that match, with --dry-run, a question before --all, and Ctrl-C between two steps.
#pragma once

#include <errand/inspect.hpp>

#include "cli/command.hpp"
#include "cli/filter.hpp"

#include <functional>
#include <optional>
#include <string>
#include <vector>

namespace errand::cli {

// What is done. The functions are called only once the options were read.
struct repair_kind {
    std::string verb;                    // "revive"
    std::string past;                    // "revived"
    std::vector<errand::state> fits;     // tasks in these states
    std::optional<errand::state> usual;  // which of them --all means without --state
    std::function<awaitable<bool>(inspector, std::string id)> one;
    std::function<awaitable<repair_progress>(inspector, task_filter, repair_options)> all;
};

struct repair_choice {
    std::vector<std::string> ids;
    bool all = false;
    std::string state;
    filter_options filter;
    std::size_t limit = 0;  // 0: no limit
    bool dry_run = false;
    bool yes = false;
};

void declare_repair(CLI::App& line, const repair_kind& what, repair_choice& values);

exit_code run_repair(session& on, const repair_kind& what, const repair_choice& which);

// Both, for a command without options of its own.
runner prepare_repair(CLI::App& line, repair_kind what);

}  // namespace errand::cli
