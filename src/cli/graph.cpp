#include <errand/error.hpp>

#include "cli/commands.hpp"
#include "cli/graph_tree.hpp"
#include "cli/output.hpp"
#include "cli/session.hpp"

#include <CLI/CLI.hpp>

#include <memory>

namespace errand::cli {
namespace {

struct graph_options {
    std::string id;
    bool dot = false;
    bool mermaid = false;
    std::size_t most = 1000;
};

exit_code show_graph(session& on, const graph_options& how) {
    if (how.dot + how.mermaid + on.json() > 1) throw usage_error{"choose one of --dot, --mermaid and --json"};
    const auto graph = on.run(on.app().graph(how.id, how.most));
    if (!graph) {
        complain("no task has the id " + how.id +
                 ": it never was, is no longer kept, or is in another namespace");
        return exit_code::undone;
    }
    if (on.json()) {
        print_document(json_of(*graph));
    } else {
        print(how.dot ? graph->dot() : how.mermaid ? graph->mermaid() : tree_text(*graph));
    }
    if (!graph->complete) complain("there are more tasks: give a larger --most");
    return exit_code::done;
}

}  // namespace

runner prepare_graph(CLI::App& line) {
    const auto how = std::make_shared<graph_options>();
    line.add_option("id", how->id, "Any task of the graph")->required()->type_name("ID");
    line.add_flag("--dot", how->dot, "For Graphviz");
    line.add_flag("--mermaid", how->mermaid, "For Mermaid");
    line.add_option("--most", how->most, "So many tasks at most (1000)")->type_name("N");
    return [how](session& on) { return show_graph(on, *how); };
}

}  // namespace errand::cli
