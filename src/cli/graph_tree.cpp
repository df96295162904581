#include "cli/graph_tree.hpp"

#include "cli/text.hpp"

#include <vector>

namespace errand::cli {
namespace {

std::string line_of(const task_graph& graph, std::size_t at) {
    const auto& node = graph.nodes[at];
    std::string text =
        (at == 0 ? "* " : "- ") + (node.handler.empty() ? "(not submitted)" : plain(node.handler));
    if (node.biz_id) text += " \"" + plain(*node.biz_id) + '"';
    return text + "  " + std::string{node.state ? to_string(*node.state) : "unknown"} + "  " + node.id;
}

}  // namespace

std::string tree_text(const task_graph& graph) {
    std::vector<std::vector<std::size_t>> below(graph.nodes.size());
    std::vector<bool> has_parent(graph.nodes.size(), false);
    for (const auto& edge : graph.edges) {
        below[edge.from].push_back(edge.to);
        has_parent[edge.to] = true;
    }
    struct entry {
        std::size_t node;
        std::size_t depth;
    };
    // A stack of its own: chains of thousands of tasks are deeper than the program's. Below the tasks that wait for none lie
    // all others, for those on a cycle that is about to be refused.
    std::vector<entry> open;
    for (const bool with_parent : {true, false}) {
        for (auto at = graph.nodes.size(); at-- > 0;) {
            if (has_parent[at] == with_parent) open.push_back({at, 0});
        }
    }
    std::vector<bool> shown(graph.nodes.size(), false);
    std::string out;
    while (!open.empty()) {
        const auto [node, depth] = open.back();
        open.pop_back();
        const bool again = shown[node];
        if (again && depth == 0) continue;
        out += std::string(depth * 2, ' ') + line_of(graph, node) +
               (again && !below[node].empty() ? "  (above)\n" : "\n");
        if (again) continue;
        shown[node] = true;
        for (auto next = below[node].rbegin(); next != below[node].rend(); ++next)
            open.push_back({*next, depth + 1});
    }
    return out;
}

}  // namespace errand::cli
