#include <errand/error.hpp>

#include "cli/commands.hpp"
#include "cli/output.hpp"
#include "cli/repair.hpp"
#include "cli/session.hpp"
#include "cli/text.hpp"

#include <CLI/CLI.hpp>

#include <memory>

namespace errand::cli {
namespace {

struct due_options {
    std::string in;
    std::string at;
    bool now = false;
};

time_point due_of(const due_options& how) {
    const int given = (how.in.empty() ? 0 : 1) + (how.at.empty() ? 0 : 1) + (how.now ? 1 : 0);
    if (given != 1) throw usage_error{"say when: one of --in 5m, --at 2026-12-01T08:00:00Z and --now"};
    if (how.now) return time_point{};
    return how.in.empty() ? need_instant("--at", how.at) : clock_now() + need_length("--in", how.in);
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
    line.add_option("--in", how->in, "Due so long from now, such as 5m")->type_name("TIME");
    line.add_option("--at", how->at, "Due then, such as 2026-12-01T08:00:00Z")->type_name("INSTANT");
    line.add_flag("--now", how->now, "Due at once");
    return [which, how](session& on) { return run_repair(on, kind_for(due_of(*how)), *which); };
}

}  // namespace errand::cli
