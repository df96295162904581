// The commands that tell of tasks: list by page, show and graph by id.
#include <errand/error.hpp>

#include "cli/commands.hpp"
#include "cli/find_task.hpp"
#include "cli/options.hpp"
#include "cli/session.hpp"
#include "cli/task_text.hpp"
#include "cli/terminal.hpp"
#include "cli/views.hpp"

#include <boost/json/serialize.hpp>

#include <CLI/CLI.hpp>

#include <algorithm>
#include <memory>

namespace errand::cli {
namespace {

// --- list ---

// Reads as many tasks of a list as were asked for, page by page.
class pager {
public:
    // @param after where to go on, empty for the beginning
    // @param most  so many tasks in all
    pager(session& on, task_filter which, std::string after, std::size_t most, list_order order)
        : on_{on}, which_{std::move(which)}, next_{std::move(after)}, left_{most}, order_{order} {}

    // The next page, never empty; an empty vector is the end.
    std::vector<task_info> page();

    // Where the next one goes on; empty when that was all.
    const std::string& next() const noexcept { return next_; }

private:
    session& on_;
    task_filter which_;
    std::string next_;
    std::size_t left_;
    list_order order_;
    bool ended_ = false;
};

std::vector<task_info> pager::page() {
    constexpr std::size_t largest = 500;
    // A filter that matches few gives pages without tasks: `next` alone says where the end is.
    while (!ended_ && left_ > 0) {
        auto got = on_.run(on_.inspect().list(which_, next_, std::min(left_, largest), order_));
        next_ = std::move(got.next);
        ended_ = next_.empty();
        // Of working tasks a page may have some more.
        left_ -= std::min(left_, got.tasks.size());
        if (!got.tasks.empty()) return std::move(got.tasks);
    }
    return {};
}

struct list_options {
    std::string state;
    filter_options filter;
    std::size_t limit = 50;
    std::string after;
    bool oldest_first = false;
    bool all = false;
    bool ids = false;
};

pager pages_of(session& on, const list_options& how) {
    if (how.limit == 0) throw usage_error{"--limit: give at least 1, or --all"};
    return {on, how.filter.in(need_state(how.state)), how.after,
            how.all ? static_cast<std::size_t>(-1) : how.limit,
            how.oldest_first ? list_order::oldest_first : list_order::newest_first};
}

// One document, written as the pages come: a list may be longer than the memory is large.
void print_json(pager& pages) {
    bool first = true;
    // Nothing is printed before the first page is there: a refusal prints no half of a document.
    auto page = pages.page();
    print(R"({"tasks":[)");
    for (; !page.empty(); page = pages.page()) {
        std::string text;
        for (const auto& one : page) {
            if (!std::exchange(first, false)) text += ',';
            text += boost::json::serialize(json_of(one));
        }
        print(text);
    }
    const auto next = pages.next().empty() ? boost::json::value{} : boost::json::value{pages.next()};
    print(R"(],"next":)" + boost::json::serialize(next) + "}\n");
}

void print_ids(pager& pages) {
    for (auto page = pages.page(); !page.empty(); page = pages.page()) {
        std::string text;
        for (const auto& one : page) text += one.id + '\n';
        print(text);
    }
}

void print_text(pager& pages, const std::string& state) {
    bool any = false;
    for (auto page = pages.page(); !page.empty(); page = pages.page()) {
        print(task_table(page, clock_now()).text(line_width()));
        any = true;
    }
    if (!any) print("no task is " + state + " and matches\n");
    if (!pages.next().empty()) print("more: --after=" + pages.next() + '\n');
}

exit_code show_list(session& on, const list_options& how) {
    auto pages = pages_of(on, how);
    if (on.json()) {
        print_json(pages);
    } else if (how.ids) {
        print_ids(pages);
    } else {
        print_text(pages, how.state);
    }
    return on.seen();
}

// --- show and graph ---

exit_code not_there(const std::string& id) {
    complain(
        "no task has the id or the biz_id " + id +
        ": it never was, is no longer kept, or is in another namespace; of many tasks say the handler too, as "
        "handler:biz_id");
    return exit_code::undone;
}

exit_code show_task(session& on, const std::string& id) {
    const auto task = find_task(on, id);
    if (!task) return not_there(id);
    const auto why = why_text(*task, on.run(surroundings_of(on.app(), *task)));
    if (on.json()) {
        auto document = json_of(*task);
        document["why"] = why;
        print_document(document);
    } else {
        print(task_text(*task, why));
    }
    return exit_code::done;
}

struct graph_options {
    std::string id;
    bool dot = false;
    bool mermaid = false;
    std::size_t most = 1000;
};

exit_code show_graph(session& on, const graph_options& how) {
    if (how.dot + how.mermaid + on.json() > 1) throw usage_error{"choose one of --dot, --mermaid and --json"};
    const auto task = find_task(on, how.id);
    if (!task) return not_there(how.id);
    const auto graph = on.run(on.app().graph(task->id, how.most));
    if (!graph) return not_there(how.id);
    if (on.json()) {
        print_document(json_of(*graph));
    } else {
        print(how.dot ? graph->dot() : how.mermaid ? graph->mermaid() : tree_text(*graph));
    }
    if (!graph->complete) complain("there are more tasks: give a larger --most");
    return exit_code::done;
}

}  // namespace

runner prepare_list(CLI::App& line) {
    const auto how = std::make_shared<list_options>();
    line.add_option("state", how->state, "Tasks in this state")->required()->type_name("STATE");
    declare_filter(line, how->filter);
    line.add_option("--limit", how->limit, "So many at most (50)")->type_name("N");
    line.add_option("--after", how->after, "Go on where an earlier page ended")->type_name("CURSOR");
    line.add_flag("--oldest-first", how->oldest_first, "The oldest first, not the newest");
    line.add_flag("--all", how->all, "All pages");
    line.add_flag("--ids", how->ids, "Only the ids, one a line, as `errand revive -` reads them");
    return [how](session& on) { return show_list(on, *how); };
}

runner prepare_show(CLI::App& line) {
    const auto id = std::make_shared<std::string>();
    line.add_option("id", *id, "The task: its id, its biz_id, or handler:biz_id")
        ->required()
        ->type_name("ID");
    return [id](session& on) { return show_task(on, *id); };
}

runner prepare_graph(CLI::App& line) {
    const auto how = std::make_shared<graph_options>();
    line.add_option("id", how->id, "Any task of the graph, as errand show takes it")
        ->required()
        ->type_name("ID");
    line.add_flag("--dot", how->dot, "For Graphviz");
    line.add_flag("--mermaid", how->mermaid, "For Mermaid");
    line.add_option("--most", how->most, "So many tasks at most (1000)")->type_name("N");
    return [how](session& on) { return show_graph(on, *how); };
}

}  // namespace errand::cli
