#include "cli/task_text.hpp"

#include "cli/text.hpp"
#include "core/sealing.hpp"

#include <boost/json/serialize.hpp>

#include <algorithm>
#include <vector>

namespace errand::cli {
namespace {

// How many there may be in all is written down with the first failure; before that its handler alone knows.
std::string attempt_text(const task_info& task) {
    if (task.attempt == 0 && task.errors.empty()) return "none yet";
    const auto number = std::to_string(task.attempt);
    if (task.errors.empty()) return number;
    return number + " of " + std::to_string(task.max_retry + 1);
}

void add_line(std::string& to, const std::string& name, const std::string& value) {
    if (value.empty()) return;
    to += name + std::string(name.size() < 13 ? 13 - name.size() : 1, ' ') + plain(value) + '\n';
}

void add_line(std::string& to, const std::string& name, const std::optional<time_point>& at) {
    if (at) add_line(to, name, instant_text(*at));
}

// What is encrypted with a key that is not here is long, and says nothing.
std::string value_text(const boost::json::value& value) {
    auto text = boost::json::serialize(value);
    return read_sealed(text) ? "(encrypted)" : text;
}

std::string key_text(const task_info& task) {
    if (task.encrypted_with.empty()) return {};
    return "with the key " + task.encrypted_with +
           (task.unreadable ? ", which is not among those of ERRAND_ENCRYPTION_KEYS here" : "");
}

void add_errors(std::string& to, const task_info& task) {
    if (task.errors.empty()) return;
    to += "\nfailed attempts\n";
    for (const auto& one : task.errors) {
        const auto took = one.started_at ? " after " + length_text(one.at - *one.started_at) : std::string{};
        const auto who = one.worker.empty() ? std::string{} : " on " + one.worker;
        to += "  " + std::to_string(one.attempt) + "  " + instant_text(one.at) + took + plain(who) + '\n';
        to += "     " + plain(one.type + (one.type.empty() ? "" : ": ") + one.message) + '\n';
    }
}

void add_stages(std::string& to, const task_info& task) {
    if (task.stages.empty()) return;
    to += "\nstages\n";
    for (const auto& one : task.stages) {
        to += "  " + plain(one.name) + "  " + length_text(one.length) + ", attempt " +
              std::to_string(one.attempt) + ", " + instant_text(one.started_at) + "  " +
              plain(value_text(one.result)) + '\n';
    }
    if (!task.stage.empty() && !is_end(task.state)) to += "  " + plain(task.stage) + "  comes next\n";
}

void add_log(std::string& to, const task_info& task) {
    if (task.log.empty()) return;
    to += "\nlog\n";
    for (const auto& one : task.log) to += "  " + plain(one) + '\n';
}

std::string node_text(const task_graph& graph, std::size_t at) {
    const auto& node = graph.nodes[at];
    std::string text =
        (at == 0 ? "* " : "- ") + (node.handler.empty() ? "(not submitted)" : plain(node.handler));
    if (node.biz_id) text += " \"" + plain(*node.biz_id) + '"';
    return text + "  " + std::string{node.state ? to_string(*node.state) : "unknown"} + "  " + node.id;
}

}  // namespace

std::string task_text(const task_info& task, const std::string& why) {
    std::string out;
    add_line(out, "id", task.id);
    add_line(out, "handler", task.handler);
    add_line(out, "queue", task.queue);
    add_line(out, "state", std::string{to_string(task.state)});
    add_line(out, "why", why);
    for (const auto& limit : task.blocked_by) add_line(out, "blocked by", limit);
    add_line(out, "biz_id", task.biz_id.value_or(""));
    add_line(out, "attempt", attempt_text(task));
    add_line(out, "submitted", task.submitted_at);
    add_line(out, "due", task.due_at);
    add_line(out, "started", task.started_at);
    add_line(out, "finished", task.finished_at);
    add_line(out, "kept until", task.kept_until);
    add_line(out, "worker", task.worker);
    if (task.progress > 0 || !task.progress_text.empty()) {
        add_line(out, "progress",
                 std::to_string(static_cast<int>(task.progress * 100)) + "% " + task.progress_text);
    }
    add_line(out, "arguments", value_text(task.args));
    if (task.state == state::success) add_line(out, "result", value_text(task.result));
    add_line(out, "encrypted", key_text(task));
    add_line(out, "tags", joined(task.tags, ", "));
    for (const auto& [name, text] : task.headers) add_line(out, "header", name + ": " + text);
    add_line(out, "after", joined(task.after, ", "));
    add_errors(out, task);
    add_stages(out, task);
    add_log(out, task);
    return out;
}

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
        out += std::string(depth * 2, ' ') + node_text(graph, node) +
               (again && !below[node].empty() ? "  (above)\n" : "\n");
        if (again) continue;
        shown[node] = true;
        for (auto next = below[node].rbegin(); next != below[node].rend(); ++next)
            open.push_back({*next, depth + 1});
    }
    return out;
}

}  // namespace errand::cli
