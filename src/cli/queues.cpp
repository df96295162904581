// The commands that tell of all queues and workers, and those that pause queues.
#include "cli/commands.hpp"
#include "cli/session.hpp"
#include "cli/terminal.hpp"
#include "cli/text.hpp"
#include "cli/views.hpp"

#include <CLI/CLI.hpp>

#include <memory>

namespace errand::cli {
namespace {

exit_code show_queues(session& on, bool names) {
    const auto queues = on.run(on.inspect().queues());
    if (on.json()) {
        print_document(boost::json::object{{"queues", json_list(queues)}});
    } else if (names) {
        for (const auto& one : queues) print(plain(one.name) + '\n');
    } else if (queues.empty()) {
        print("no queue has had a task yet\n");
    } else {
        print(queue_table(queues, clock_now()).text(line_width()));
    }
    return on.seen();
}

exit_code show_workers(session& on, bool tasks) {
    const auto workers = on.run(on.inspect().workers());
    const auto now = clock_now();
    if (on.json()) {
        print_document(boost::json::object{{"workers", json_list(workers, now)}});
        return on.seen();
    }
    if (workers.empty()) {
        print("no worker is alive\n");
        return on.seen();
    }
    print(worker_table(workers, now).text(line_width()));
    if (tasks) {
        const auto running = running_table(workers, now);
        print(running.empty() ? "\nnothing runs\n" : '\n' + running.text(line_width()));
    }
    return on.seen();
}

exit_code show_history(session& on, int days) {
    const auto happened = on.run(on.inspect().history(days));
    if (on.json()) {
        print_document(boost::json::object{{"days", json_list(happened)}});
    } else if (happened.empty()) {
        print("nothing ended or failed on these days\n");
    } else {
        print(day_table(happened).text(line_width()));
    }
    return on.seen();
}

exit_code pause_queues(session& on, const std::vector<std::string>& queues, bool paused) {
    boost::json::array all;
    for (const auto& queue : queues) {
        const auto inspect = on.inspect();
        const bool changed = on.run(paused ? inspect.pause(queue) : inspect.resume(queue));
        all.push_back(boost::json::object{{"queue", queue}, {"paused", paused}, {"changed", changed}});
        if (on.json()) continue;
        const std::string now = paused ? "paused" : "not paused";
        print(plain("queue " + queue + (changed ? " is " + now : " was " + now + " already")) + '\n');
    }
    if (on.json()) print_document(boost::json::object{{"queues", std::move(all)}});
    return exit_code::done;
}

}  // namespace

runner prepare_queues(CLI::App& line) {
    const auto names = std::make_shared<bool>(false);
    line.add_flag("--names", *names, "Only their names, one a line");
    return [names](session& on) { return show_queues(on, *names); };
}

runner prepare_workers(CLI::App& line) {
    const auto tasks = std::make_shared<bool>(false);
    line.add_flag("--tasks", *tasks, "Also what they run, and for how long");
    return [tasks](session& on) { return show_workers(on, *tasks); };
}

runner prepare_history(CLI::App& line) {
    const auto days = std::make_shared<int>(10);
    line.add_option("--days", *days, "So many days, today included (10; at most 400)")->type_name("N");
    return [days](session& on) { return show_history(on, *days); };
}

preparer set_paused(bool paused) {
    return [paused](CLI::App& line) -> runner {
        const auto queues = std::make_shared<std::vector<std::string>>();
        line.add_option("queues", *queues, "The queues")->required()->type_name("QUEUE");
        return [queues, paused](session& on) { return pause_queues(on, *queues, paused); };
    };
}

}  // namespace errand::cli
