#include "cli/commands.hpp"
#include "cli/output.hpp"
#include "cli/session.hpp"
#include "cli/terminal.hpp"
#include "cli/views.hpp"

#include <boost/json/array.hpp>

#include <CLI/CLI.hpp>

#include <memory>

namespace errand::cli {
namespace {

exit_code show_workers(session& on, bool tasks) {
    const auto workers = on.run(on.inspect().workers());
    const auto now = clock_now();
    if (on.json()) {
        boost::json::array all;
        for (const auto& one : workers) all.push_back(json_of(one, now));
        print_document(boost::json::object{{"workers", std::move(all)}});
        return exit_code::done;
    }
    if (workers.empty()) {
        print("no worker is alive\n");
        return exit_code::done;
    }
    print(worker_table(workers, now).text(line_width()));
    if (tasks) {
        const auto running = running_table(workers, now);
        print(running.empty() ? "\nnothing runs\n" : '\n' + running.text(line_width()));
    }
    return exit_code::done;
}

}  // namespace

runner prepare_workers(CLI::App& line) {
    const auto tasks = std::make_shared<bool>(false);
    line.add_flag("--tasks", *tasks, "Also what they run, and for how long");
    return [tasks](session& on) { return show_workers(on, *tasks); };
}

}  // namespace errand::cli
