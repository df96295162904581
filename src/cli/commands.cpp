// THE command table.
#include "cli/commands.hpp"

#include "cli/session.hpp"
#include "cli/task_action.hpp"

#include <boost/json/object.hpp>

namespace errand::cli {
namespace {

runner prepare_version(CLI::App&) {
    return [](session& on) {
        if (on.json()) {
            print_document(boost::json::object{{"version", ERRAND_VERSION}});
        } else {
            print("errand " ERRAND_VERSION "\n");
        }
        return exit_code::done;
    };
}

}  // namespace

std::vector<command> commands() {
    return {
        {"queues", "The queues, with how many tasks are in each state", prepare_queues},
        {"list", "Tasks in one state, by page", prepare_list},
        {"show", "One task in full, and why it waits", prepare_show},
        {"graph", "The tasks that are connected with one by dependencies", prepare_graph},
        {"workers", "The processes that run tasks", prepare_workers},
        {"history", "What happened on the last days", prepare_history},
        {"figures", "Runs, failures, waits and run times of handlers in the last hour", prepare_figures},
        {"top", "Queues and running tasks, live", prepare_top},
        {"retry", "Runs delayed and retrying tasks now",
         on_tasks({.past = "made ready",
                   .fits = {state::retry, state::delayed},
                   .usual = state::retry,
                   .one = &inspector::run_now,
                   .all = all_by(repair::run_now)})},
        {"revive", "Starts dead, cancelled or expired tasks again",
         on_tasks({.past = "revived",
                   .fits = {state::dead, state::cancelled, state::expired},
                   .usual = state::dead,
                   .one = &inspector::revive,
                   .all = all_by(repair::revive)})},
        {"cancel", "Ends tasks that have not ended",
         on_tasks({.past = "cancelled",
                   .fits = {state::ready, state::delayed, state::waiting, state::retry, state::working},
                   .one = &inspector::cancel,
                   .all = all_by(repair::cancel)})},
        {"delete", "Deletes tasks with all that belongs to them",
         on_tasks({.past = "deleted",
                   .fits = {state::waiting, state::delayed, state::ready, state::retry, state::success,
                            state::dead, state::cancelled, state::expired},
                   .one = &inspector::remove,
                   .all = all_by(repair::remove)})},
        {"reschedule", "Gives tasks another due time", prepare_reschedule},
        {"change",
         "Gives a task other arguments, priority or due time before it starts, and a dead one other arguments",
         prepare_change},
        {"pause", "Starts no more tasks of these queues", set_paused(true)},
        {"resume", "Starts tasks of paused queues again", set_paused(false)},
        {"handlers", "The handlers, with what is in force of them", prepare_handlers},
        {"configure", "Sets what goes before a handler's policy, for all programs at once",
         prepare_configure},
        {"perform", "Submits a task by its handler's wire name", prepare_perform},
        {"import", "Submits what a file holds, line by line, each once, and goes on where it was stopped",
         prepare_import},
        {"export", "Writes the tasks of a list as lines that can be imported", prepare_export},
        {"schedules", "Recurring tasks: looks at them, pauses, resumes, cancels and runs them",
         prepare_schedules},
        {"limits", "The limits, with what runs under them and waits for them", prepare_limits},
        {"limit", "Gives a limit another rule at run time, or the declared one again", prepare_limit},
        {"quota", "What the namespace may use of the store: looks at it, sets and clears it", prepare_quota},
        {"outbox", "The outbox of a database: what waits in it, and its tables", prepare_outbox},
        {"shards", "The shards of the namespace: on which server each is, with how many replicas and tasks",
         prepare_shards},
        {"shelf", "The shelf: how many tasks wait in its database, and for which days", prepare_shelf},
        {"doctor", "Checks that all the store keeps agrees with itself, and repairs it", prepare_doctor},
        {"serve", "Offers the tasks over HTTP", prepare_serve},
        {"token", "Makes a token that lets its holder use the tasks over HTTP", prepare_token},
        {"new", "Writes the beginning of a project: handlers, worker, submitter, test, what deploys it",
         prepare_new},
        {"completion", "Prints a completion script for a shell", prepare_completion},
        {"man", "Prints the manual page, for man -l -", prepare_man},
        {"version", "The version of this program", prepare_version},
    };
}

}  // namespace errand::cli
