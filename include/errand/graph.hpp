/// The tasks that depend on each other, as a graph.
#pragma once

#include <errand/state.hpp>

#include <cstddef>
#include <optional>
#include <string>
#include <vector>

namespace errand {

/// A task in a graph.
struct graph_node {
    std::string id;                      ///< the task's id
    std::string handler;                 ///< empty for a task that is not there (yet)
    std::optional<std::string> biz_id;   ///< when it has one
    std::optional<errand::state> state;  ///< nullopt: the store does not know it (yet, or any more)
};

/// `to` depends on `from`.
struct graph_edge {
    std::size_t from = 0;  ///< position in `nodes`
    std::size_t to = 0;    ///< position in `nodes`
};

/// What `app.graph(id)` found: all tasks that are connected with one by dependencies. A copy.
struct task_graph {
    std::vector<graph_node> nodes;  ///< the task that was asked for first
    std::vector<graph_edge> edges;  ///< between those nodes
    bool complete = true;           ///< false: there are more tasks than were asked for

    /// As text for Graphviz.
    [[nodiscard]] std::string dot() const;
    /// As text for Mermaid.
    [[nodiscard]] std::string mermaid() const;
};

}  // namespace errand
