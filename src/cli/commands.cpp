// THE command table. A new command is a row here, a line in commands.hpp and a file of its name; help, completion and the
// common options follow from the row.
#include "cli/commands.hpp"

#include <array>

namespace errand::cli {
namespace {

constexpr std::array rows{
    command{"queues", "The queues, with how many tasks are in each state", &prepare_queues},
    command{"list", "Tasks in one state, by page", &prepare_list},
    command{"show", "One task in full, and why it waits", &prepare_show},
    command{"graph", "The tasks that are connected with one by dependencies", &prepare_graph},
    command{"workers", "The processes that run tasks", &prepare_workers},
    command{"history", "What happened on the last days", &prepare_history},
    command{"top", "Queues and running tasks, live", &prepare_top},
    command{"retry", "Runs delayed and retrying tasks now", &prepare_retry},
    command{"revive", "Starts dead, cancelled or expired tasks again", &prepare_revive},
    command{"cancel", "Ends tasks that have not ended", &prepare_cancel},
    command{"delete", "Deletes tasks with all that belongs to them", &prepare_delete},
    command{"reschedule", "Gives tasks another due time", &prepare_reschedule},
    command{"change", "Gives a task that has never started other arguments, priority or due time",
            &prepare_change},
    command{"pause", "Starts no more tasks of these queues", &prepare_pause},
    command{"resume", "Starts tasks of paused queues again", &prepare_resume},
    command{"perform", "Submits a task by its handler's wire name", &prepare_perform},
    command{"outbox", "The outbox of a database: what waits in it, and its tables", &prepare_outbox},
    command{"doctor", "Checks that all the store keeps agrees with itself, and repairs it", &prepare_doctor},
    command{"completion", "Prints a completion script for a shell", &prepare_completion},
    command{"version", "The version of this program", &prepare_version},
};

}  // namespace

std::span<const command> commands() noexcept { return rows; }

}  // namespace errand::cli
