#include "runtime/stored_info.hpp"

#include <errand/detail/json_read.hpp>
#include <errand/error.hpp>

#include "core/sealed_records.hpp"
#include "core/stage_record.hpp"
#include "runtime/handlers.hpp"

#include <algorithm>

namespace errand {

namespace json = boost::json;

namespace {

json::value parsed(const std::string& text) {
    try {
        return detail::parse_json(text, "stored");
    } catch (const bad_data&) {
        return json::value(text.c_str());  // what is not JSON is shown as it is
    }
}

int max_retry_of(const task_body& body) {
    if (body.max_retry) return *body.max_retry;
    const auto* handler = handlers::find(body.handler);
    return handler ? handler->policy.max_retry : policy{}.max_retry;
}

void add_body(task_info& info, const task_body& body) {
    info.handler = body.handler;
    info.queue = body.queue;
    info.biz_id = body.biz_id;
    info.max_retry = max_retry_of(body);
    info.submitted_at = body.submitted_at();
    info.due_at = body.due_at ? body.due_at : info.submitted_at;
    info.headers = body.headers;
    info.tags = body.tags;
    for (const auto& id : body.after) info.after.push_back(to_text(id));
    if (const auto sealed = read_sealed(body.args)) {
        info.encrypted_with = sealed->key;
        info.unreadable = true;
    }
    auto args = parsed(body.args);
    if (args.is_array()) info.args = std::move(args.get_array());
}

// What its workers have said takes the place of its argument.
void add_flow(task_info& info, const flow_notes& flow) {
    info.stage = flow.stage;
    if (flow.content) {
        info.args = {parsed(*flow.content)};
        const auto sealed = read_sealed(*flow.content);
        info.unreadable = sealed.has_value();
        if (sealed) info.encrypted_with = sealed->key;
    }
    for (const auto& one : flow.finished)
        info.stages.push_back({one.name, one.attempt, one.started_at, one.length, {}});
}

void add_notes(task_info& info, task_notes notes) {
    name_what_is_sealed(notes);
    info.attempt = notes.attempts;
    info.max_retry = notes.max_retry;
    info.progress = notes.progress;
    info.progress_text = notes.progress_text;
    for (const auto& one : notes.errors)
        info.errors.push_back({one.attempt, one.at, one.type, one.message, one.started_at, one.worker});
    info.log = notes.log;
    if (notes.started_at) info.started_at = notes.started_at;
    if (!notes.worker.empty()) info.worker = notes.worker;
    if (notes.flow) add_flow(info, *notes.flow);
}

void add_stages(task_info& info, const found_task& found) {
    for (auto& one : decode_stages(found.stages, incarnation_of(found.body))) {
        auto result = one.result.empty() ? json::value{} : parsed(one.result);
        info.stages.push_back({std::move(one.name), one.attempt, one.started_at, one.length,
                               std::move(result)});
    }
}

void add_outcome(task_info& info, const task_outcome& outcome) {
    if (outcome.notes) add_notes(info, *outcome.notes);
    info.attempt = outcome.attempts;
    if (outcome.started_at) info.started_at = outcome.started_at;
    if (!outcome.worker.empty()) info.worker = outcome.worker;
    if (!outcome.result.empty()) info.result = parsed(outcome.result);
}

}  // namespace

task_info info_of(const task_id& id, const task_body& body, const task_notes& notes) {
    task_info info;
    info.id = to_text(id);
    add_body(info, body);
    add_notes(info, notes);
    return info;
}

namespace {

std::string wait_text(duration wait) {
    const auto ms = std::max<std::int64_t>(wait.count(), 0);
    if (ms < 10'000) return std::to_string(ms) + " ms";
    if (ms < 600'000) return std::to_string(ms / 1000) + " s";
    return std::to_string(ms / 60'000) + " min";
}

std::string closed_text(const closed_gate& gate, time_point now) {
    auto text = gate.limit + (gate.keyed ? " (its key): " : ": ");
    if (gate.max_running) {
        return text + std::to_string(gate.running) + " of " + std::to_string(*gate.max_running) + " running" +
               (gate.shared ? " in its shard" : "");
    }
    if (gate.opens_at) return text + "next start in " + wait_text(*gate.opens_at - now);
    return text + "others come first";
}

}  // namespace

std::optional<task_info> info_of(const found_task& found) {
    task_info info;
    info.id = to_text(found.id);
    info.state = found.where;
    for (const auto& id : found.needs) info.waits_for.push_back(to_text(id));
    info.waits_for_count = found.needed;
    info.failed_dependencies = found.failed;
    for (const auto& gate : found.closed) info.blocked_by.push_back(closed_text(gate, found.now));
    add_body(info, decode_body(found.body));
    if (info.encrypted_with.empty()) info.encrypted_with = found.sealed_with;
    if (!found.notes.empty()) add_notes(info, decode_notes(found.notes));
    add_stages(info, found);
    if (found.due_at) info.due_at = found.due_at;
    info.finished_at = found.finished_at;
    if (!found.outcome.empty()) {
        const auto outcome = decode_outcome(found.outcome);
        if (found.finished_at && retention_is_over(found.outcome, *found.finished_at, found.now))
            return std::nullopt;
        if (is_remnant(outcome)) return std::nullopt;
        add_outcome(info, outcome);
        if (found.finished_at) info.kept_until = *found.finished_at + outcome.retention;
    } else if (found.where == state::working) {
        info.worker = found.worker;
        info.attempt += 1;  // the one that runs; the notes count those that have ended
        if (!info.started_at) info.started_at = found.claimed_at;
    }
    return info;
}

}  // namespace errand
