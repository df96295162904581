// The commands that tell of all queues and workers, and those that pause queues.
#include "cli/commands.hpp"
#include "cli/session.hpp"
#include "cli/terminal.hpp"
#include "cli/text.hpp"
#include "cli/views.hpp"

#include <CLI/CLI.hpp>

#include <map>
#include <memory>
#include <string>
#include <vector>

namespace errand::cli {
namespace {

// Two calls each.
constexpr std::size_t most_queues_asked = 50;

// The limits that keep the next task from starting, by queue.
std::map<std::string, std::vector<std::string>> held_back(session& on,
                                                          const std::vector<queue_info>& queues) {
    std::map<std::string, std::vector<std::string>> all;
    std::size_t asked = 0;
    for (const auto& one : queues) {
        if (one.paused || one.count(state::ready) == 0) continue;
        if (++asked > most_queues_asked) break;
        const task_filter ready{.state = state::ready, .queue = one.name};
        const auto first = on.run(on.inspect().list(ready, {}, 1, list_order::oldest_first));
        if (first.tasks.empty()) continue;
        const auto next = on.run(on.inspect().find(first.tasks.front().id));
        if (next && !next->blocked_by.empty()) all.emplace(one.name, next->blocked_by);
    }
    return all;
}

void print_queues(const std::vector<queue_info>& queues,
                  const std::map<std::string, std::vector<std::string>>& limits) {
    print(queue_table(queues, clock_now()).text(line_width()));
    for (const auto& [queue, by] : limits)
        print(plain(queue + ": the task that is next does not start: " + joined(by, ", ")) + '\n');
}

void print_queues_as_json(const std::vector<queue_info>& queues,
                          const std::map<std::string, std::vector<std::string>>& limits) {
    auto all = json_list(queues);
    for (std::size_t at = 0; at < queues.size(); ++at) {
        boost::json::array by;
        const auto known = limits.find(queues[at].name);
        if (known != limits.end()) by = boost::json::array(known->second.begin(), known->second.end());
        all[at].as_object()["blocked_by"] = std::move(by);
    }
    print_document(boost::json::object{{"queues", std::move(all)}});
}

exit_code show_queues(session& on, bool names) {
    const auto queues = on.run(on.inspect().queues());
    if (on.json()) {
        print_queues_as_json(queues, held_back(on, queues));
    } else if (names) {
        for (const auto& one : queues) print(plain(one.name) + '\n');
    } else if (queues.empty()) {
        print("no queue has had a task yet\n");
    } else {
        print_queues(queues, held_back(on, queues));
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
