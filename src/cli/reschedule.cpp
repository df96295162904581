#include <errand/error.hpp>

#include "cli/commands.hpp"
#include "cli/due.hpp"
#include "cli/repair.hpp"
#include "cli/session.hpp"

#include <CLI/CLI.hpp>

#include <memory>

namespace errand::cli {
namespace {

time_point need_due(const due_options& how) {
    if (const auto due = due_of(how)) return *due;
    throw usage_error{"say when: one of --in 5m, --at 2026-12-01T08:00:00Z and --now"};
}

awaitable<bool> one(inspector in, std::string id, time_point due) {
    co_return co_await in.reschedule(std::move(id), due);
}

// The inspector has no such repair. A task that is due then already is passed over: so one that comes up again, because it
// has moved to where the list is still to be read, is not counted twice, and a second run goes on where the first ended.
awaitable<repair_progress> all(inspector in, task_filter which, repair_options how, time_point due) {
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

repair_kind kind_for(time_point due) {
    return {.verb = "reschedule",
            .past = "rescheduled",
            .fits = {state::delayed, state::retry, state::ready, state::waiting},
            .usual = state::delayed,
            .one = [due](inspector in, std::string id) { return one(in, std::move(id), due); },
            .all = [due](inspector in, task_filter which,
                         repair_options how) { return all(in, std::move(which), std::move(how), due); }};
}

}  // namespace

runner prepare_reschedule(CLI::App& line) {
    const auto which = std::make_shared<repair_choice>();
    const auto how = std::make_shared<due_options>();
    declare_repair(line, kind_for({}), *which);
    declare_due(line, *how);
    return [which, how](session& on) { return run_repair(on, kind_for(need_due(*how)), *which); };
}

}  // namespace errand::cli
