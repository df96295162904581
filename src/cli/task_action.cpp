#include "cli/task_action.hpp"

#include <errand/error.hpp>

#include "cli/find_task.hpp"
#include "cli/session.hpp"
#include "cli/terminal.hpp"
#include "cli/text.hpp"
#include "core/task_id.hpp"

#include <boost/json/array.hpp>
#include <boost/json/object.hpp>

#include <CLI/CLI.hpp>

#include <algorithm>
#include <cstdio>
#include <iostream>
#include <memory>
#include <sstream>

namespace errand::cli {

namespace json = boost::json;

namespace {

bool fits(const task_action& what, errand::state in) { return std::ranges::count(what.fits, in) > 0; }

// "dead, cancelled and expired"
std::string names_of(const std::vector<errand::state>& states) {
    std::string text;
    for (std::size_t at = 0; at < states.size(); ++at) {
        if (at > 0) text += at + 1 == states.size() ? " and " : ", ";
        text += to_string(states[at]);
    }
    return text;
}

// "revived 3 of 4 tasks"
std::string sum_text(const task_action& what, bool dry_run, std::size_t done, std::size_t of) {
    return (dry_run ? "would have " : "") + what.past + ' ' + std::to_string(done) + " of " + tasks_text(of);
}

void check_selection(const task_action& what, const task_selection& which) {
    if (which.all && !which.ids.empty()) throw usage_error{"give ids or --all, not both"};
    if (!which.all && which.ids.empty()) {
        throw usage_error{"say which tasks to " + what.verb +
                          ": their ids, - for ids from standard input, or --all"};
    }
    if (which.all) return;
    if (which.filter.any() || !which.state.empty() || which.limit > 0) {
        throw usage_error{"--state, --limit and the options of the filter go with --all only"};
    }
}

// --- those that are named ---

// Ids may stand side by side; any other line is one biz_id, blanks and all.
void add_line(const std::string& line, std::vector<std::string>& names) {
    std::istringstream text{line};
    std::vector<std::string> words;
    for (std::string word; text >> word;) words.push_back(word);
    if (words.empty()) return;
    const bool all_are_ids =
        std::ranges::all_of(words, [](const auto& word) { return parse_task_id(word).has_value(); });
    if (all_are_ids || words.size() == 1)
        names.insert(names.end(), words.begin(), words.end());
    else
        names.push_back(line);
}

// In the order given, "-" replaced by what standard input names.
std::vector<std::string> all_ids(const std::vector<std::string>& given) {
    std::vector<std::string> ids;
    for (const auto& one : given) {
        if (one != "-") {
            ids.push_back(one);
            continue;
        }
        for (std::string line; std::getline(std::cin, line);) add_line(line, ids);
    }
    return ids;
}

// The command that was probably meant.
std::string other_way(const task_action& what, errand::state in, const std::string& id) {
    const bool is_lost = is_end(in) && in != errand::state::success;
    if (what.verb == "retry" && is_lost) return "; errand revive " + id + " starts it again";
    const bool is_to_come = in == errand::state::retry || in == errand::state::delayed;
    if (what.verb == "revive" && is_to_come) return "; errand retry " + id + " runs it now";
    return {};
}

// Why nothing was done to a task; empty when a dry run would do it.
std::string misfit(session& on, const task_action& what, const std::string& id) {
    const auto task = on.run(on.inspect().find(id));
    if (!task) return unknown_task;
    if (fits(what, task->state)) return {};
    return "it is " + std::string{to_string(task->state)} + ", and only " + names_of(what.fits) +
           " tasks are " + what.past + other_way(what, task->state, id);
}

// Why it was not done; empty when it was. Of a biz_id the id takes its place.
std::string attempt(session& on, const task_action& what, std::string& id, bool dry_run) {
    try {
        id = id_of_task(on, id);
        const auto inspect = on.inspect();
        if (!dry_run && on.run(what.one(inspect, id))) return {};
        const auto why = misfit(on, what, id);
        return dry_run || !why.empty() ? why : "it changed meanwhile, or is a group: nothing was done";
    } catch (const usage_error& why) {
        return why.what();
    }
}

exit_code act_on_named(session& on, const task_action& what, const task_selection& which) {
    auto ids = all_ids(which.ids);
    json::array done;
    json::array failed;
    const interruptible signal;
    for (auto& id : ids) {
        if (signal.asked()) break;
        const auto why = attempt(on, what, id, which.dry_run);
        if (why.empty()) {
            done.emplace_back(id);
        } else {
            complain(id + ": " + why);
            failed.push_back(json::object{{"id", id}, {"reason", why}});
        }
    }
    const bool stopped = done.size() + failed.size() < ids.size();
    const bool complete = failed.empty();
    if (on.json()) {
        print_document(json::object{{"action", what.verb},
                                    {"dry_run", which.dry_run},
                                    {"done", std::move(done)},
                                    {"failed", std::move(failed)},
                                    {"interrupted", stopped}});
    } else {
        print(sum_text(what, which.dry_run, done.size(), ids.size()) + '\n');
    }
    if (stopped) return exit_code::interrupted;
    return complete ? exit_code::done : exit_code::undone;
}

// --- all that match ---

errand::state chosen_state(const task_action& what, const task_selection& which) {
    if (which.state.empty()) {
        if (what.usual) return *what.usual;
        throw usage_error{what.verb + " --all: say with --state which of " + names_of(what.fits)};
    }
    const auto state = need_state(which.state);
    if (!fits(what, state)) {
        throw usage_error{what.verb + " does nothing to " + which.state + " tasks, only to " +
                          names_of(what.fits) + " ones"};
    }
    return state;
}

// How many tasks may have to be looked at: what the bar and the question are about.
std::size_t at_most(session& on, const task_selection& which, errand::state where) {
    std::size_t all = 0;
    for (const auto& queue : on.run(on.inspect().queues())) {
        if (which.filter.queue.empty() || which.filter.queue == queue.name) all += queue.count(where);
    }
    return all;
}

std::string described(const task_selection& which, errand::state where) {
    std::string text = "all tasks that are " + std::string{to_string(where)};
    const auto add = [&](const char* word, const std::string& value) {
        if (!value.empty()) text += std::string{", "} + word + " \"" + value + '"';
    };
    add("queue", which.filter.queue);
    add("handler", which.filter.handler);
    add("biz_id", which.filter.biz_id);
    add("tag", which.filter.tag);
    add("error with", which.filter.error);
    return text;
}

bool agreed(const task_action& what, const task_selection& which, errand::state where, std::size_t most) {
    std::fprintf(stderr, "%s %s (%s at most)? [y/N] ", what.verb.c_str(), described(which, where).c_str(),
                 tasks_text(most).c_str());
    std::string answer;
    std::getline(std::cin, answer);
    return answer == "y" || answer == "Y" || answer == "yes";
}

// The bar is gone when it returns: the answer takes its line.
repair_progress run_with_bar(session& on, const task_action& what, const task_selection& which,
                             errand::state where, std::size_t total, bool& stopped) {
    const interruptible signal;
    progress_bar bar{total};
    repair_options how{.dry_run = which.dry_run};
    if (which.limit > 0) how.most = which.limit;
    how.progress = [&](const repair_progress& so_far) {
        bar.show(so_far.looked_at, what.past + ' ' + std::to_string(so_far.changed));
        stopped = signal.asked();
        return !stopped;
    };
    const auto inspect = on.inspect();
    return on.run(what.all(inspect, which.filter.in(where), how));
}

exit_code act_on_matching(session& on, const task_action& what, const task_selection& which) {
    const auto where = chosen_state(what, which);
    const bool asks = !which.yes && !which.dry_run;
    if (asks && !input_is_terminal()) {
        throw usage_error{
            what.verb +
            " --all asks before it begins, and there is no terminal to ask: add --yes or --dry-run"};
    }
    const auto total = at_most(on, which, where);
    if (asks && !agreed(what, which, where, total)) {
        complain("nothing was done");
        return exit_code::undone;
    }
    bool stopped = false;
    const auto got = run_with_bar(on, what, which, where, total, stopped);
    if (on.json()) {
        print_document(json::object{{"action", what.verb},
                                    {"dry_run", which.dry_run},
                                    {"looked_at", got.looked_at},
                                    {"matched", got.matched},
                                    {"changed", got.changed},
                                    {"interrupted", stopped}});
    } else {
        print(sum_text(what, which.dry_run, got.changed, got.matched) + " that matched\n");
    }
    if (!stopped) return on.seen();
    complain("stopped; the same command goes on with the rest");
    return exit_code::interrupted;
}

}  // namespace

void declare_selection(CLI::App& line, const task_action& what, task_selection& values) {
    line.add_option("ids", values.ids,
                    "The tasks: ids, biz_ids or handler:biz_id; - reads them from standard input")
        ->type_name("ID");
    line.add_flag("--all", values.all, "All tasks that match");
    line.add_option("--state", values.state,
                    "With --all: tasks in this state (" + names_of(what.fits) +
                        (what.usual ? "; else " + std::string{to_string(*what.usual)} : "") + ')')
        ->type_name("STATE")
        ->group("Which tasks");
    declare_filter(line, values.filter);
    line.add_option("--limit", values.limit, "With --all: so many at most")->type_name("N");
    line.add_flag("--dry-run", values.dry_run, "Only says what would be done");
    line.add_flag("--yes", values.yes, "With --all: does not ask");
}

exit_code act(session& on, const task_action& what, const task_selection& which) {
    check_selection(what, which);
    return which.all ? act_on_matching(on, what, which) : act_on_named(on, what, which);
}

preparer on_tasks(task_action what) {
    return [what = std::move(what)](CLI::App& line) mutable -> runner {
        what.verb = line.get_name();
        const auto which = std::make_shared<task_selection>();
        declare_selection(line, what, *which);
        return [which, what](session& on) { return act(on, what, *which); };
    };
}

}  // namespace errand::cli
