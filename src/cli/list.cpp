#include <errand/error.hpp>

#include "cli/commands.hpp"
#include "cli/filter.hpp"
#include "cli/output.hpp"
#include "cli/paging.hpp"
#include "cli/session.hpp"
#include "cli/terminal.hpp"
#include "cli/views.hpp"

#include <boost/json/serialize.hpp>

#include <CLI/CLI.hpp>

#include <memory>

namespace errand::cli {
namespace {

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

}  // namespace errand::cli
