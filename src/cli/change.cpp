#include <errand/error.hpp>

#include "cli/commands.hpp"
#include "cli/due.hpp"
#include "cli/output.hpp"
#include "cli/session.hpp"
#include "cli/text.hpp"

#include <CLI/CLI.hpp>

#include <memory>

namespace errand::cli {

namespace json = boost::json;

namespace {

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

std::string why_not(session& on, const std::string& id) {
    const auto task = on.run(on.inspect().find(id));
    if (!task) return "no task has this id";
    if (is_end(task->state)) return "it has ended as " + std::string{to_string(task->state)};
    return "it has started before, or is a group: errand reschedule gives it another due time";
}

exit_code change(session& on, const change_options& how) {
    const bool changed = on.run(on.inspect().change(how.id, change_of(how)));
    const auto reason = changed ? std::string{} : why_not(on, how.id);
    if (!changed) complain(how.id + ": " + reason);
    if (on.json()) {
        print_document(json::object{
            {"id", how.id}, {"changed", changed}, {"reason", changed ? json::value{} : json::value{reason}}});
    } else if (changed) {
        print("changed " + how.id + '\n');
    }
    return changed ? exit_code::done : exit_code::undone;
}

}  // namespace

runner prepare_change(CLI::App& line) {
    const auto how = std::make_shared<change_options>();
    line.add_option("id", how->id, "The task")->required()->type_name("ID");
    line.add_option("--args", how->args, "Other arguments: one JSON array")->type_name("JSON");
    line.add_option("--priority", how->priority, "Another priority: 0 to 9, higher first")->type_name("N");
    declare_due(line, how->due);
    return [how](session& on) { return change(on, *how); };
}

}  // namespace errand::cli
