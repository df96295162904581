// Walking the dependencies of tasks, in both directions.
#include "client/handle.hpp"
#include "runtime/caller_loop.hpp"

#include <algorithm>
#include <set>
#include <unordered_map>

namespace errand {

namespace {

class graph_walk {
public:
    graph_walk(store& in, std::size_t most) : in_{in}, most_{most} {}

    awaitable<task_graph> run(task_id from) {
        index_of(from);
        for (std::size_t at = 0; at < ids_.size(); ++at) {
            co_await look_up(at);
            co_await look_down(at, link::tells);
            co_await look_down(at, link::served);
        }
        for (const auto& [parent, child] : edges_) found_.edges.push_back({parent, child});
        co_return std::move(found_);
    }

private:
    // Its index in the graph, made now if there is none and room.
    std::optional<std::size_t> index_of(const task_id& id) {
        if (const auto known = indexes_.find(id); known != indexes_.end()) return known->second;
        if (ids_.size() == most_) {
            found_.complete = false;
            return std::nullopt;
        }
        indexes_[id] = ids_.size();
        ids_.push_back(id);
        found_.nodes.push_back({.id = to_text(id), .handler = {}, .biz_id = {}, .state = {}});
        return ids_.size() - 1;
    }

    // What it is, and what it depends on.
    awaitable<void> look_up(std::size_t at) {
        const task_id id = ids_[at];
        const auto found = co_await in_.find(id);
        if (!found) co_return;
        const auto body = decode_body(found->body);
        auto& node = found_.nodes[at];
        node.handler = body.handler;
        node.biz_id = body.biz_id;
        node.state = found->where;
        for (const auto& parent : body.after) {
            if (const auto from = index_of(parent)) edges_.emplace(*from, at);
        }
    }

    awaitable<void> look_down(std::size_t at, link kind) {
        links_from from{ids_[at]};
        for (bool more = true; more;) {
            const auto pages = co_await in_.links(kind, {&from, 1}, false);
            // The edge is the child's: what it depends on now, its record says.
            for (const auto& child : pages.at(0).others) index_of(child);
            more = pages.at(0).more && found_.complete;
            if (more) from.after = pages.at(0).others.back();
        }
    }

    store& in_;
    std::size_t most_;
    std::vector<task_id> ids_;  // as the nodes
    std::unordered_map<task_id, std::size_t> indexes_;
    std::set<std::pair<std::size_t, std::size_t>> edges_;
    task_graph found_;
};

awaitable<std::optional<task_graph>> walk_graph(loop& there, task_id from, std::size_t most) {
    auto graph = co_await graph_walk{there.tasks(), std::max<std::size_t>(most, 1)}.run(from);
    if (graph.nodes.size() == 1 && !graph.nodes.front().state) co_return std::nullopt;
    co_return graph;
}

}  // namespace

namespace detail {

awaitable<std::optional<task_graph>> find_graph(app_core& app, std::string id, std::size_t most) {
    const auto from = parse_task_id(id);
    if (!from) co_return std::nullopt;
    auto executor = co_await boost::asio::this_coro::executor;
    co_return co_await on_loop(caller_loop(executor, core_for(executor, app)),
                               [=](loop& there) { return walk_graph(there, *from, most); });
}

}  // namespace detail
}  // namespace errand
