// The notation: "string", "integer", "number", "boolean", "time" and "any"; "$Task" for a shared one; "?" behind any of these: or
// null. An array holds what its elements are. An object has its members, those with a "?" behind their name not always, and under "*"
// what the members are whose names say something themselves. {"|": […]}: one of these; {"=": […]}: one of these texts.
#include "service/answer_shapes.hpp"

#include <boost/json/array.hpp>
#include <boost/json/parse.hpp>

#include <string>

namespace errand::web {

namespace json = boost::json;

namespace {

constexpr std::string_view shared_texts = R"({
"Fault": {"code": "string", "message": "string", "path?": "string", "retry_after_ms?": "integer"},
"Status": {"status": {"=": ["ok"]}},
"State": {"=": ["waiting", "delayed", "ready", "working", "retry", "success", "dead", "cancelled", "expired"]},
"Submitted": {"id": "string", "created": "boolean"},
"TaskState": {"id": "string", "state": "$State"},
"Failed": {"error": "$Fault"},
"Attempt": {"attempt": "integer", "started_at": "time?", "at": "time", "worker": "string?", "type": "string",
    "message": "string"},
"Stage": {"name": "string", "attempt": "integer", "started_at": "time", "length_ms": "integer", "result": "any"},
"Task": {"id": "string", "handler": "string", "queue": "string", "state": "$State", "biz_id": "string?", "attempt": "integer",
    "max_retry": "integer", "submitted_at": "time?", "due_at": "time?", "started_at": "time?", "finished_at": "time?",
    "worker": "string?", "progress": "number", "progress_text": "string", "args": "any", "result": "any",
    "errors": ["$Attempt"], "stages": ["$Stage"], "stage": "string?", "headers": {"*": "string"}, "tags": ["string"],
    "after": ["string"], "waits_for": ["string"], "waits_for_count": "integer", "failed_dependencies": "integer",
    "blocked_by": ["string"], "log": ["string"], "kept_until": "time?", "encrypted_with": "string?", "unreadable": "boolean"},
"Claimed": {"id": "string", "claim": "string", "handler": "string", "queue": "string", "attempt": "integer",
    "max_retry": "integer", "priority": "integer", "biz_id": "string?", "submitted_at": "time", "started_at": "time",
    "lease_until": "time", "timeout_ms": "integer", "args": ["any"], "headers": {"*": "string"}, "tags": ["string"],
    "last_error": {"|": ["null", {"type": "string", "message": "string"}]},
    "schedule": {"|": ["null", {"id": "string", "key": "string", "tick": "time", "missed": "integer", "runs": "integer"}]}},
"Queue": {"name": "string", "tasks": {"*": "integer"}, "paused": "boolean", "paused_since": "time?", "oldest_ms": "integer?",
    "finished_per_second": "number", "failed_per_second": "number", "idle_workers": "integer", "finished": "integer",
    "failed": "integer"},
"Worker": {"name": "string", "host": "string", "pid": "integer", "version": "string", "queues": ["string"],
    "handlers": ["string"], "concurrency": "integer", "started_at": "time?", "alive_until": "time", "stopping": "boolean",
    "blocking": ["string"], "running": [{"id": "string", "handler": "string", "queue": "string", "attempt": "integer",
        "started_at": "time?", "running_ms": "integer?"}]},
"Times": {"count": "integer", "p50_us": "integer", "p90_us": "integer", "p95_us": "integer", "p99_us": "integer",
    "most_us": "integer"},
"HandlerFigures": {"handler": "string?", "runs": "integer", "failures": "integer", "dead": "integer", "lost": "integer",
    "runs_per_second": "number", "backlog": "integer", "oldest_ms": "integer?", "wait": "$Times", "run": "$Times", "total": "$Times"},
"Rate": {"count": "integer", "per_ms": "integer", "burst": "integer"},
"Schedule": {"id": "string", "handler": "string", "key": "string", "timing": "string", "timezone": "string?",
    "state": "string", "next_at": "time?", "last_tick": "time?", "last_run": "string?", "runs": "integer",
    "skipped": "integer", "missed": "integer", "max_runs": "integer?", "begin": "time?", "end": "time?", "queue": "string",
    "args": "any", "created_at": "time", "upcoming?": ["time"]},
"ScheduleState": {"id": "string", "state": "string", "changed": "boolean"},
"Rule": {"max_running": "integer?", "rate": "$Rate?"},
"Limit": {"name": "string", "rule": "$Rule?", "declared": "$Rule?", "set": "$Rule?", "running": "integer",
    "waiting": "integer", "opens_at": "time?", "throttled_ms": "integer"},
"Quota": {"quota": {"max_queued": "integer?", "submit_rate": "$Rate?", "max_running": "integer?", "max_schedules": "integer?",
        "max_payload": "integer?"},
    "queued": "integer", "version": "integer", "by": "string", "at": "time?"},
"Settings": {"max_retry": "integer?", "timeout_ms": "integer?", "backoff": "string?", "priority": "integer?",
    "retention_ms": "integer?", "expires_after_ms": "integer?", "max_running": "integer?", "rate": "$Rate?", "batch": "integer?",
    "interval_ms": "integer?", "paused": "boolean"},
"HandlerSettings": {"handler": "string", "settings": "$Settings", "version": "integer", "by": "string?", "at": "time?"},
"Run": {"id": "string", "action": "string", "on": "string", "state": {"=": ["running", "done", "stopped", "failed"]},
    "stopping": "boolean", "looked_at": "integer", "matched": "integer", "changed": "integer", "dry_run": "boolean",
    "most": "integer", "rate": "integer", "who": "string", "started_at": "time", "ended_at": "time?", "trouble": "string",
    "findings?": [{"kind": "string", "subject": "string", "text": "string", "repaired": "boolean"}]},
"Token": {"id": "string", "name": "string", "scopes": ["string"], "queues": {"|": ["null", ["string"]]},
    "rate": {"|": ["null", {"count": "integer", "per_ms": "integer"}]}, "expires_at": "time?",
    "kept_in": {"=": ["store", "file"]}, "token?": "string"},
"FlowRun": {"at": "time", "stage": "string", "attempt": "integer", "outcome": "string", "cost_ms": "integer?", "worker": "string?",
    "trace": "string?", "error": "string?"},
"FlowTask": {"id?": "string", "type?": "string", "user?": "string?", "status?": "$FlowStatus", "state?": "$State",
    "stage?": "string", "stage_number?": "integer", "priority?": "integer", "content?": "any", "result?": "any",
    "attempt?": "integer", "retries?": "integer", "max_retry?": "integer", "due_at?": "time", "created_at?": "time",
    "changed_at?": "time", "finished_at?": "time?", "version?": "integer", "worker?": "string?", "lease_until?": "time?",
    "log?": ["$FlowRun"], "claim?": "string"},
"FlowStatus": {"=": ["pending", "processing", "success", "failed"]},
"FlowReported": {"status": "$FlowStatus", "state": "$State", "stage": "string", "due_at": "time?", "version": "integer",
    "cancel?": "boolean"},
"FlowTaskState": {"id": "string", "status": "$FlowStatus", "state": "$State", "version": "integer"},
"FlowConfig": {"batch": "integer", "interval_ms": "integer", "lease_ms": "integer", "version": "integer"},
"FlowConfigs": {"|": ["$FlowConfig", {"*": "$FlowConfig"}]},
"FlowHeld": {"tasks": ["$FlowTask"], "config": "$FlowConfigs"},
"FlowType": {"name": "string", "batch": "integer", "interval_ms": "integer", "lease_ms": "integer", "max_retry": "integer",
    "backoff": "any", "retry_scope": {"=": ["stage", "task"]}, "priority": "integer", "retention_ms": "integer",
    "expires_after_ms": "integer?", "max_content": "integer", "log_runs": "integer", "stages": ["string"],
    "max_running": "integer?", "rate": "$Rate?", "paused": "boolean", "version": "integer"}
})";

constexpr std::string_view answer_texts = R"({
"alive": "$Status",
"ready": "$Status",
"openapi": {"openapi": "string", "*": "any"},
"submit_task": "$Submitted",
"submit_batch": {"results": [{"|": ["$Submitted", "$Failed"]}]},
"submit_plan": {"tasks": [{"id": "string", "created": "boolean", "name?": "string"}]},
"wait_for_tasks": {"settled": "boolean", "first": "string?", "tasks": [{"|": [
    {"id": "string", "state": "$State", "result": "any", "last_error": "$Attempt?", "left_out?": "boolean"},
    {"id": "string", "error": "$Fault"}]}]},
"list_tasks": {"tasks": ["$Task"], "next": "string?", "complete": "boolean"},
"show_task": "$Task",
"change_task": "$Task",
"reschedule_task": "$Task",
"cancel_task": "$TaskState",
"revive_task": "$TaskState",
"list_queues": {"queues": ["$Queue"], "complete": "boolean"},
"list_workers": {"workers": ["$Worker"], "complete": "boolean"},
"claim_tasks": {"tasks": ["$Claimed"]},
"report_batch": {"results": [{"|": ["$TaskState", "$Failed"]}], "tasks?": ["$Claimed"], "claim_error?": "$Fault"},
"extend_batch": {"results": [{"|": [{"id": "string", "lease_until": "time"}, "$Failed"]}]},
"report_task": "$TaskState",
"extend_task": {"id": "string", "lease_until": "time"},
"tell_progress": {"id": "string"},
"add_log": {"id": "string"},
"keep_stage": "$Stage",
"read_stages": {"stages": ["$Stage"]},
"remove_task": {"id": "string", "removed": "boolean"},
"show_graph": {"nodes": [{"id": "string", "handler": "string?", "biz_id": "string?", "state": "$State?"}],
    "edges": [{"from": "string", "to": "string"}], "complete": "boolean"},
"show_history": {"days": [{"day": "string", "queue": "string", "success": "integer", "dead": "integer", "cancelled": "integer",
    "expired": "integer", "failed": "integer"}]},
"show_figures": {"over_ms": "integer", "backlog": "integer", "oldest_ms": "integer?", "estimated": "boolean", "all": "$HandlerFigures",
    "handlers": ["$HandlerFigures"]},
"pause_queue": {"queue": "string", "paused": "boolean", "changed": "boolean"},
"resume_queue": {"queue": "string", "paused": "boolean", "changed": "boolean"},
"start_run": "$Run",
"list_runs": {"runs": ["$Run"]},
"show_run": "$Run",
"stop_run": "$Run",
"list_schedules": {"schedules": ["$Schedule"], "next": "string?"},
"declare_schedule": "$Schedule",
"show_schedule": "$Schedule",
"pause_schedule": "$ScheduleState",
"resume_schedule": "$ScheduleState",
"cancel_schedule": "$ScheduleState",
"run_schedule": {"id": "string"},
"backfill_schedule": {"id": "string", "runs": "integer"},
"show_quota": "$Quota",
"set_quota": "$Quota",
"clear_quota": "$Quota",
"make_token": "$Token",
"list_tokens": {"tokens": ["$Token"]},
"revoke_token": {"revoked": "integer"},
"list_limits": {"limits": ["$Limit"]},
"set_limit": "$Limit",
"clear_limit": "$Limit",
"list_handlers": {"handlers": [{"name": "string", "settings": "$Settings", "version": "integer", "by": "string?", "at": "time?",
    "workers": ["string"], "in_force": "$Settings?"}]},
"show_settings": "$HandlerSettings",
"configure_handler": "$HandlerSettings",
"flow_create": "$Submitted",
"flow_create_batch": {"results": [{"|": ["$Submitted", "$Failed"]}]},
"flow_list": {"tasks": ["$FlowTask"], "next": "string?"},
"flow_look": "$FlowTask",
"flow_change": "$FlowTask",
"flow_revive": "$FlowTask",
"flow_cancel": "$FlowTaskState",
"flow_hold": "$FlowHeld",
"flow_hold_types": "$FlowHeld",
"flow_report": "$FlowReported",
"flow_reports": {"results": [{"|": ["$FlowReported", "$Failed"]}], "tasks?": ["$FlowTask"], "config?": "$FlowConfigs",
    "hold_error?": "$Fault"},
"flow_extend": {"results": [{"|": [{"lease_until": "time", "cancel?": "boolean"}, "$Failed"]}]},
"flow_put_type": "$FlowType",
"flow_patch_type": "$FlowType",
"flow_list_types": {"types": ["$FlowType"]},
"flow_show_type": "$FlowType",
"flow_pause_type": "$FlowType",
"flow_resume_type": "$FlowType",
"flow_count_type": {"pending": "integer", "delayed": "integer", "processing": "integer", "success": "integer",
    "failed": "integer", "by_stage": {"*": "integer"}, "by_stage_complete": "boolean", "oldest_pending_ms": "integer?"},
"flow_delete_type": {"name": "string", "deleted": "boolean"}
})";

json::object schema_in(const json::value& notation);

// Without the "?" behind it.
json::object schema_named(std::string_view name) {
    if (name == "any") return {};
    if (name == "time") return {{"type", "string"}, {"format", "date-time"}};
    if (name.starts_with('$')) return {{"$ref", "#/components/schemas/" + std::string{name.substr(1)}}};
    return {{"type", name}};
}

json::object schema_of_text(std::string_view text) {
    if (!text.ends_with('?')) return schema_named(text);
    return {{"anyOf",
             json::array{schema_named(text.substr(0, text.size() - 1)), json::object{{"type", "null"}}}}};
}

json::object schema_of_object(const json::object& members) {
    if (const auto* texts = members.if_contains("=")) return {{"type", "string"}, {"enum", *texts}};
    if (const auto* kinds = members.if_contains("|")) {
        json::array all;
        for (const auto& one : kinds->as_array()) all.emplace_back(schema_in(one));
        return {{"anyOf", std::move(all)}};
    }
    json::object schema{{"type", "object"}};
    json::object properties;
    json::array required;
    for (const auto& [name, notation] : members) {
        const std::string_view text = name;
        if (text == "*") {
            schema["additionalProperties"] = schema_in(notation);
        } else if (text.ends_with('?')) {
            properties[text.substr(0, text.size() - 1)] = schema_in(notation);
        } else {
            properties[text] = schema_in(notation);
            required.emplace_back(text);
        }
    }
    schema["properties"] = std::move(properties);
    if (!required.empty()) schema["required"] = std::move(required);
    return schema;
}

json::object schema_in(const json::value& notation) {
    if (const auto* text = notation.if_string()) return schema_of_text(*text);
    if (const auto* all = notation.if_array()) return {{"type", "array"}, {"items", schema_in(all->front())}};
    return schema_of_object(notation.as_object());
}

}  // namespace

json::object shared_shapes() {
    json::object all;
    const auto texts = json::parse(shared_texts);
    for (const auto& [name, notation] : texts.as_object()) all[name] = schema_in(notation);
    return all;
}

json::value shape_of_answer(std::string_view call) {
    static const auto texts = json::parse(answer_texts);
    const auto* notation = texts.as_object().if_contains(call);
    return notation ? json::value{schema_in(*notation)} : json::value{};
}

}  // namespace errand::web
