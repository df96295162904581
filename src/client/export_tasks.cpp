#include "client/export_tasks.hpp"

#include "client/listing.hpp"
#include "core/import_lines.hpp"
#include "core/iso_time.hpp"
#include "runtime/caller_loop.hpp"
#include "runtime/stored_info.hpp"

#include <boost/json/array.hpp>

namespace errand {

namespace json = boost::json;

namespace {

std::string instant_of(time_point at) { return iso_time_text(at) + 'Z'; }

json::value instant_or_null(const std::optional<time_point>& at) {
    return at ? json::value{instant_of(*at)} : json::value{};
}

json::array texts_of(const std::vector<std::string>& all) { return json::array(all.begin(), all.end()); }

void add_length(json::object& line, std::string_view name, const std::optional<duration>& length) {
    if (length) line[name] = length->count();
}

std::string_view name_of_rule(on_failed rule) {
    switch (rule) {
    case on_failed::wait: return "wait";
    case on_failed::run: return "run";
    default: return "cancel";
    }
}

// What the submission said, not what followed from policies: those are the importing programs' own.
json::object line_of(const task_body& body, const task_info& info) {
    json::object line{{"handler", body.handler}, {"args", info.args}, {"queue", body.queue}};
    if (body.biz_id) line["biz_id"] = *body.biz_id;
    const bool waits_for_time = info.state == state::delayed || info.state == state::retry;
    if (waits_for_time && info.due_at) line["at"] = instant_of(*info.due_at);
    if (!waits_for_time && body.due_at) line["at"] = instant_of(*body.due_at);
    if (const int one = shown_priority(body.priority); one > 0) line["priority"] = one;
    if (body.max_retry) line["max_retry"] = *body.max_retry;
    add_length(line, "timeout_ms", body.timeout);
    if (!body.policy_expires) add_length(line, "expires_after_ms", body.expires_after);
    if (!body.policy_retains) add_length(line, "retention_ms", body.retention);
    if (!info.after.empty()) {
        line["after"] = texts_of(info.after);
        line["on_failed_dependency"] = name_of_rule(body.rule);
    }
    if (!body.headers.empty()) {
        json::object headers;
        for (const auto& [name, text] : body.headers) headers[name] = text;
        line["headers"] = std::move(headers);
    }
    if (!body.tags.empty()) line["tags"] = texts_of(body.tags);
    return line;
}

json::object past_of(const task_info& info) {
    json::object was{{"id", info.id},
                     {"state", to_string(info.state)},
                     {"attempt", info.attempt},
                     {"submitted_at", instant_or_null(info.submitted_at)},
                     {"started_at", instant_or_null(info.started_at)},
                     {"finished_at", instant_or_null(info.finished_at)},
                     {"result", info.result}};
    if (!info.errors.empty()) {
        was["error_type"] = info.errors.back().type;
        was["error"] = info.errors.back().message;
    }
    return was;
}

awaitable<export_page> export_on(loop& there, task_filter which, std::string after, std::size_t limit,
                                 list_order order) {
    auto found = co_await list_page(there.tasks(), std::move(which), std::move(after), limit, order);
    export_page page{.lines = {}, .next = std::move(found.next)};
    for (const auto& task : found.tasks) {
        const auto info = info_of(task);
        if (!info) continue;
        if (info->unreadable) {
            ++page.unreadable;
            continue;
        }
        auto line = line_of(decode_body(task.body), *info);
        line[exported_from] = past_of(*info);
        page.lines.push_back(std::move(line));
    }
    co_return page;
}

}  // namespace

awaitable<export_page> export_tasks(detail::app_core& app, task_filter which, std::string after,
                                    std::size_t limit, list_order order) {
    return on_caller_loop(&app, [which = std::move(which), after = std::move(after), limit, order](
                                    loop& there) { return export_on(there, which, after, limit, order); });
}

}  // namespace errand
