// The commands that give tasks something else: reschedule a due time, to any number of tasks that have not ended; change also
// arguments and priority, to one that has never started, or arguments to one that is dead.
#include <errand/error.hpp>

#include "cli/commands.hpp"
#include "cli/find_task.hpp"
#include "cli/options.hpp"
#include "cli/session.hpp"
#include "cli/task_action.hpp"

#include <boost/json/object.hpp>

#include <CLI/CLI.hpp>

#include <memory>

namespace errand::cli {

namespace json = boost::json;

namespace {

time_point need_due(const due_options& how) {
    if (const auto due = due_of(how)) return *due;
    throw usage_error{"say when: one of --in 5m, --at 2026-12-01T08:00:00Z and --now"};
}

// The inspector has no such repair. A task that is due then already is passed over: so one that comes up again, because it
// has moved to where the list is still to be read, is not counted twice, and a second run goes on where the first ended.
awaitable<repair_progress> reschedule_all(const inspector& in, task_filter which, repair_options how,
                                          time_point due) {
    constexpr std::size_t tasks_per_page = 200;
    repair_progress done;
    std::string next;
    do {
        auto page = co_await in.list(which, std::move(next), tasks_per_page, list_order::oldest_first);
        next = std::move(page.next);
        done.looked_at += page.looked_at;
        for (const auto& task : page.tasks) {
            if (task.due_at == due || done.matched == how.most) continue;
            ++done.matched;
            if (how.dry_run || co_await in.reschedule(task.id, due)) ++done.changed;
        }
        if (how.progress && !how.progress(done)) break;
    } while (!next.empty() && done.matched < how.most);
    co_return done;
}

task_action reschedule_to(time_point due) {
    return {.verb = "reschedule",
            .past = "rescheduled",
            .fits = {state::delayed, state::retry, state::ready, state::waiting},
            .usual = state::delayed,
            .one = [due](const inspector& in, std::string id) { return in.reschedule(std::move(id), due); },
            .all =
                [due](const inspector& in, task_filter which, repair_options how) {
                    return reschedule_all(in, std::move(which), std::move(how), due);
                }};
}

struct change_options {
    std::string id;
    std::string args;
    std::optional<int> priority;
    due_options due;
};

task_change change_of(const change_options& how) {
    task_change what{.args = {}, .priority = how.priority, .due_at = due_of(how.due)};
    if (!how.args.empty()) what.args = need_args(how.args);
    if (!what.args && !what.priority && !what.due_at)
        throw usage_error{"say what is to be another: --args, --priority, or when with --in, --at or --now"};
    return what;
}

std::string why_unchanged(session& on, const std::string& id) {
    const auto task = on.run(on.inspect().find(id));
    if (!task) return unknown_task;
    if (task->state == state::dead) {
        return "it is dead: other arguments (--args, without a time) start it again, and errand revive starts it as it "
               "was";
    }
    if (is_end(task->state)) {
        return "it has ended as " + std::string{to_string(task->state)} +
               ", and what has started keeps its arguments: errand perform " + task->handler +
               " submits another one";
    }
    return "it has started before, or is a group: errand reschedule gives it another due time; other arguments it can get when "
           "it is dead, or errand cancel ends it and errand perform " +
           task->handler + " submits another one";
}

exit_code change(session& on, const change_options& how) {
    const auto what = change_of(how);
    const auto id = id_of_task(on, how.id);
    const bool changed = on.run(on.inspect().change(id, what));
    const auto reason = changed ? std::string{} : why_unchanged(on, id);
    if (!changed) complain(id + ": " + reason);
    if (on.json()) {
        print_document(json::object{
            {"id", id}, {"changed", changed}, {"reason", changed ? json::value{} : json::value{reason}}});
    } else if (changed) {
        print("changed " + id + '\n');
    }
    return changed ? exit_code::done : exit_code::undone;
}

}  // namespace

runner prepare_reschedule(CLI::App& line) {
    const auto which = std::make_shared<task_selection>();
    const auto how = std::make_shared<due_options>();
    declare_selection(line, reschedule_to({}), *which);
    declare_due(line, *how);
    return [which, how](session& on) { return act(on, reschedule_to(need_due(*how)), *which); };
}

runner prepare_change(CLI::App& line) {
    const auto how = std::make_shared<change_options>();
    line.add_option("id", how->id, "The task: its id, its biz_id, or handler:biz_id")
        ->required()
        ->type_name("ID");
    line.add_option("--args", how->args, "Other arguments: one JSON array")->type_name("JSON");
    line.add_option("--priority", how->priority, "Another priority: 0 to 9, higher first")->type_name("N");
    declare_due(line, how->due);
    return [how](session& on) { return change(on, *how); };
}

}  // namespace errand::cli
