#include "cli/repair_runs.hpp"

#include <errand/error.hpp>

#include "cli/interrupt.hpp"
#include "cli/output.hpp"
#include "cli/progress.hpp"
#include "cli/session.hpp"
#include "cli/terminal.hpp"
#include "cli/text.hpp"

#include <boost/json/array.hpp>

#include <algorithm>
#include <cstdio>
#include <iostream>

namespace errand::cli {

namespace json = boost::json;

namespace {

// The ids in the order given, "-" replaced by the words of standard input.
std::vector<std::string> all_ids(const std::vector<std::string>& given) {
    std::vector<std::string> ids;
    for (const auto& one : given) {
        if (one != "-") {
            ids.push_back(one);
            continue;
        }
        for (std::string word; std::cin >> word;) ids.push_back(word);
    }
    return ids;
}

// Why nothing was done to a task; empty when a dry run would do it.
std::string misfit(session& on, const repair_kind& what, const std::string& id) {
    const auto task = on.run(on.inspect().find(id));
    if (!task) return "no task has this id";
    if (!fits(what, task->state)) {
        return "it is " + std::string{to_string(task->state)} + ", and only " + names_of(what.fits) +
               " tasks are " + what.past;
    }
    return {};
}

// Why it was not done; empty when it was.
std::string attempt(session& on, const repair_kind& what, const std::string& id, bool dry_run) {
    try {
        if (!dry_run && on.run(what.one(on.inspect(), id))) return {};
        const auto why = misfit(on, what, id);
        return dry_run || !why.empty() ? why : "it changed meanwhile, or is a group: nothing was done";
    } catch (const usage_error& why) {
        return why.what();
    }
}

// "revived 3 of 4 tasks"
std::string sum_text(const repair_kind& what, bool dry_run, std::size_t done, std::size_t of) {
    return (dry_run ? "would have " : "") + what.past + ' ' + std::to_string(done) + " of " + tasks_text(of);
}

// How many tasks may have to be looked at: what the bar and the question are about.
std::size_t at_most(session& on, const repair_choice& which, errand::state where) {
    std::size_t all = 0;
    for (const auto& queue : on.run(on.inspect().queues())) {
        if (which.filter.queue.empty() || which.filter.queue == queue.name) all += queue.count(where);
    }
    return all;
}

std::string described(const repair_choice& which, errand::state where) {
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

bool agreed(const repair_kind& what, const repair_choice& which, errand::state where, std::size_t most) {
    std::fprintf(stderr, "%s %s (%s at most)? [y/N] ", what.verb.c_str(), described(which, where).c_str(),
                 tasks_text(most).c_str());
    std::string answer;
    std::getline(std::cin, answer);
    return answer == "y" || answer == "Y" || answer == "yes";
}

// The bar is gone when it returns: the answer takes its line.
repair_progress run_with_bar(session& on, const repair_kind& what, const repair_choice& which,
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
    return on.run(what.all(on.inspect(), which.filter.in(where), how));
}

exit_code tell(session& on, const repair_kind& what, const repair_choice& which, const repair_progress& got,
               bool stopped) {
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
    if (!stopped) return exit_code::done;
    complain("stopped; the same command goes on with the rest");
    return exit_code::interrupted;
}

}  // namespace

bool fits(const repair_kind& what, errand::state in) { return std::ranges::count(what.fits, in) > 0; }

std::string names_of(const std::vector<errand::state>& states) {
    std::string text;
    for (std::size_t at = 0; at < states.size(); ++at) {
        if (at > 0) text += at + 1 == states.size() ? " and " : ", ";
        text += to_string(states[at]);
    }
    return text;
}

exit_code repair_named(session& on, const repair_kind& what, const repair_choice& which) {
    const auto ids = all_ids(which.ids);
    json::array done;
    json::array failed;
    const interruptible signal;
    for (const auto& id : ids) {
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

exit_code repair_matching(session& on, const repair_kind& what, const repair_choice& which,
                          errand::state where) {
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
    return tell(on, what, which, got, stopped);
}

}  // namespace errand::cli
