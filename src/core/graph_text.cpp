// Graphs of tasks as text for drawing programs.
#include <errand/graph.hpp>

namespace errand {
namespace {

// What would end a quoted text in either language; a line break is one.
std::string escaped(const std::string& text, std::string_view quote) {
    std::string out;
    for (const char c : text) {
        if (c == '"') {
            out += quote;
        } else if (c == '\\') {
            out += "\\\\";
        } else if (static_cast<unsigned char>(c) < 0x20) {
            out += ' ';
        } else {
            out += c;
        }
    }
    return out;
}

std::string label_of(const graph_node& node, std::string_view quote, std::string_view line_break) {
    auto text = node.handler.empty() ? std::string{"not submitted"} : escaped(node.handler, quote);
    text += line_break;
    text += node.biz_id ? escaped(*node.biz_id, quote) : node.id;
    if (node.state) {
        text += line_break;
        text += to_string(*node.state);
    }
    return text;
}

std::string_view colour_of(const graph_node& node) {
    if (!node.state) return "#eeeeee";
    switch (*node.state) {
    case state::success: return "#c8e6c9";
    case state::dead:
    case state::expired: return "#ffcdd2";
    case state::cancelled: return "#e0e0e0";
    case state::working: return "#bbdefb";
    default: return "#fff9c4";
    }
}

std::string name_of(std::size_t node) { return 't' + std::to_string(node); }

}  // namespace

std::string task_graph::dot() const {
    std::string out = "digraph tasks {\n    rankdir=LR;\n    node [shape=box, style=filled];\n";
    for (std::size_t at = 0; at < nodes.size(); ++at) {
        out += "    " + name_of(at) + " [label=\"" + label_of(nodes[at], "\\\"", "\\n") + "\", fillcolor=\"" +
               std::string{colour_of(nodes[at])} + "\"];\n";
    }
    for (const auto& edge : edges) out += "    " + name_of(edge.from) + " -> " + name_of(edge.to) + ";\n";
    return out + "}\n";
}

std::string task_graph::mermaid() const {
    std::string out = "flowchart LR\n";
    for (std::size_t at = 0; at < nodes.size(); ++at) {
        out += "    " + name_of(at) + "[\"" + label_of(nodes[at], "#quot;", "<br/>") + "\"]\n";
        out += "    style " + name_of(at) + " fill:" + std::string{colour_of(nodes[at])} + '\n';
    }
    for (const auto& edge : edges) out += "    " + name_of(edge.from) + " --> " + name_of(edge.to) + '\n';
    return out;
}

}  // namespace errand
