#include "cli/commands.hpp"
#include "cli/output.hpp"
#include "cli/session.hpp"
#include "cli/task_text.hpp"

#include <CLI/CLI.hpp>

#include <memory>

namespace errand::cli {
namespace {

// What a ready task needs to be started by: two questions that other states do not raise.
surroundings around(session& on, const task_info& task) {
    surroundings all{.now = clock_now()};
    if (task.state != state::ready) return all;
    for (const auto& queue : on.run(on.inspect().queues())) {
        if (queue.name == task.queue) all.queue_is_paused = queue.paused;
    }
    for (const auto& worker : on.run(on.inspect().workers())) {
        for (const auto& queue : worker.queues) all.workers += queue == task.queue ? 1U : 0U;
    }
    return all;
}

exit_code show_task(session& on, const std::string& id) {
    const auto task = on.run(on.inspect().find(id));
    if (!task) {
        complain("no task has the id " + id +
                 ": it never was, is no longer kept, or is in another namespace");
        return exit_code::undone;
    }
    const auto why = why_text(*task, around(on, *task));
    if (on.json()) {
        auto document = json_of(*task);
        document["why"] = why;
        print_document(document);
    } else {
        print(task_text(*task, why));
    }
    return exit_code::done;
}

}  // namespace

runner prepare_show(CLI::App& line) {
    const auto id = std::make_shared<std::string>();
    line.add_option("id", *id, "The task")->required()->type_name("ID");
    return [id](session& on) { return show_task(on, *id); };
}

}  // namespace errand::cli
