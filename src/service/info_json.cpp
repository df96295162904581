#include "service/info_json.hpp"

#include "service/instant.hpp"

namespace errand {

namespace json = boost::json;

namespace {

json::array strings(const std::vector<std::string>& all) { return json::array(all.begin(), all.end()); }

// Without the exponent that serialize() gives every double: 0 and not 0E0.
json::value number_of(double value) {
    const auto whole = static_cast<std::int64_t>(value);
    if (static_cast<double>(whole) == value) return whole;
    return value;
}

json::value or_null(const std::string& text) { return text.empty() ? json::value{} : json::value{text}; }

}  // namespace

json::value json_of(const std::optional<time_point>& at) {
    return at ? json::value{instant_text(*at)} : json::value{};
}

json::value json_of(const std::optional<duration>& length) {
    return length ? json::value{length->count()} : json::value{};
}

json::object json_of(const task_error& error) {
    return {{"attempt", error.attempt},     {"started_at", json_of(error.started_at)},
            {"at", instant_text(error.at)}, {"worker", or_null(error.worker)},
            {"type", error.type},           {"message", error.message}};
}

json::object json_of(const task_stage& stage) {
    return {{"name", stage.name},
            {"attempt", stage.attempt},
            {"started_at", instant_text(stage.started_at)},
            {"length_ms", stage.length.count()},
            {"result", stage.result}};
}

json::object json_of(const task_info& task) {
    json::object headers;
    for (const auto& [name, text] : task.headers) headers[name] = text;
    return {{"id", task.id},
            {"handler", task.handler},
            {"queue", task.queue},
            {"state", to_string(task.state)},
            {"biz_id", task.biz_id ? json::value{*task.biz_id} : json::value{}},
            {"attempt", task.attempt},
            {"max_retry", task.max_retry},
            {"submitted_at", json_of(task.submitted_at)},
            {"due_at", json_of(task.due_at)},
            {"started_at", json_of(task.started_at)},
            {"finished_at", json_of(task.finished_at)},
            {"worker", or_null(task.worker)},
            {"progress", number_of(task.progress)},
            {"progress_text", task.progress_text},
            {"args", task.args},
            {"result", task.result},
            {"errors", json_array_of(task.errors)},
            {"stages", json_array_of(task.stages)},
            {"stage", or_null(task.stage)},
            {"headers", std::move(headers)},
            {"tags", strings(task.tags)},
            {"after", strings(task.after)},
            {"waits_for", strings(task.waits_for)},
            {"waits_for_count", task.waits_for_count},
            {"failed_dependencies", task.failed_dependencies},
            {"blocked_by", strings(task.blocked_by)},
            {"log", strings(task.log)},
            {"kept_until", json_of(task.kept_until)},
            {"encrypted_with", or_null(task.encrypted_with)},
            {"unreadable", task.unreadable}};
}

json::object json_of(const queue_info& queue) {
    json::object tasks;
    for (const auto name : detail::state_names) tasks[name] = queue.count(*parse_state(name));
    return {{"name", queue.name},
            {"tasks", std::move(tasks)},
            {"paused", queue.paused},
            {"paused_since", json_of(queue.paused_since)},
            {"oldest_ms", json_of(queue.oldest)},
            {"finished_per_second", number_of(queue.finished_per_second)},
            {"failed_per_second", number_of(queue.failed_per_second)},
            {"idle_workers", queue.idle_workers},
            {"finished", queue.finished},
            {"failed", queue.failed}};
}

json::object json_of(const worker_info& worker, time_point now) {
    json::array running;
    for (const auto& one : worker.running) {
        running.push_back(json::object{
            {"id", one.id},
            {"handler", one.handler},
            {"queue", one.queue},
            {"attempt", one.attempt},
            {"started_at", json_of(one.started_at)},
            {"running_ms", one.started_at ? json::value{(now - *one.started_at).count()} : json::value{}}});
    }
    return {{"name", worker.name},
            {"host", worker.host},
            {"pid", worker.pid},
            {"version", worker.version},
            {"queues", strings(worker.queues)},
            {"handlers", strings(worker.handlers)},
            {"concurrency", worker.concurrency},
            {"started_at", json_of(worker.started_at)},
            {"alive_until", instant_text(worker.alive_until)},
            {"stopping", worker.stopping},
            {"blocking", strings(worker.blocking)},
            {"running", std::move(running)}};
}

json::object json_of(const day_info& day) {
    return {{"day", day.day},      {"queue", day.queue},         {"success", day.success},
            {"dead", day.dead},    {"cancelled", day.cancelled}, {"expired", day.expired},
            {"failed", day.failed}};
}

json::object json_of(const task_graph& graph) {
    json::array nodes;
    for (const auto& node : graph.nodes) {
        nodes.push_back(json::object{
            {"id", node.id},
            {"handler", or_null(node.handler)},
            {"biz_id", node.biz_id ? json::value{*node.biz_id} : json::value{}},
            {"state", node.state ? json::value{to_string(*node.state)} : json::value{}}});
    }
    json::array edges;
    for (const auto& edge : graph.edges) {
        edges.push_back(json::object{{"from", graph.nodes[edge.from].id}, {"to", graph.nodes[edge.to].id}});
    }
    return {{"nodes", std::move(nodes)}, {"edges", std::move(edges)}, {"complete", graph.complete}};
}

json::object json_of(const finding& one) {
    return {{"kind", one.kind}, {"subject", one.subject}, {"text", one.text}, {"repaired", one.repaired}};
}

json::object json_of(const checkup& seen) {
    return {{"looked_at", seen.looked_at},
            {"found", seen.found},
            {"repaired", seen.repaired},
            {"findings", json_array_of(seen.findings)}};
}

}  // namespace errand
