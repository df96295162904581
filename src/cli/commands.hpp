// What a command of the program `errand` is, and what the rows of the table in commands.cpp call.
//
// A new command is a row there; when nothing below does its work, also a function here, defined in the file that its group names.
// Help, completion and the common options follow from the row.
#pragma once

#include <functional>
#include <string_view>
#include <vector>

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
// Declares the options of a command; what it returns knows their values.
using preparer = std::function<runner(CLI::App& line)>;

struct command {
    std::string_view name;
    std::string_view help;  // one line
    preparer prepare;
};

// All of them, in the order in which --help shows them.
std::vector<command> commands();

// queues.cpp
runner prepare_queues(CLI::App& line);
runner prepare_workers(CLI::App& line);
runner prepare_history(CLI::App& line);
preparer set_paused(bool paused);

// tasks.cpp
runner prepare_list(CLI::App& line);
runner prepare_show(CLI::App& line);
runner prepare_graph(CLI::App& line);

// change.cpp; what else is done to tasks is a row with a task_action
runner prepare_reschedule(CLI::App& line);
runner prepare_change(CLI::App& line);

// handlers.cpp
runner prepare_handlers(CLI::App& line);
runner prepare_configure(CLI::App& line);

// Files of their names.
runner prepare_shards(CLI::App& line);
runner prepare_shelf(CLI::App& line);
runner prepare_top(CLI::App& line);
runner prepare_figures(CLI::App& line);
runner prepare_perform(CLI::App& line);
runner prepare_import(CLI::App& line);
runner prepare_export(CLI::App& line);
runner prepare_schedules(CLI::App& line);
runner prepare_limits(CLI::App& line);
runner prepare_limit(CLI::App& line);
runner prepare_quota(CLI::App& line);
runner prepare_outbox(CLI::App& line);
runner prepare_doctor(CLI::App& line);
runner prepare_serve(CLI::App& line);
runner prepare_token(CLI::App& line);
runner prepare_new(CLI::App& line);
runner prepare_completion(CLI::App& line);

// man_page.cpp
runner prepare_man(CLI::App& line);

}  // namespace errand::cli
