#include "service/flow/task_view.hpp"

#include <errand/detail/json_read.hpp>
#include <errand/error.hpp>

#include "core/attempt_rules.hpp"
#include "core/sealed_records.hpp"
#include "service/instant.hpp"
#include "service/refusal.hpp"
#include "service/values.hpp"

#include <boost/json/array.hpp>
#include <boost/json/serialize.hpp>

#include <algorithm>
#include <array>

namespace errand::flow {

namespace json = boost::json;

namespace {

constexpr std::array<std::string_view, 21> member_names{
    "id",         "type",       "user",        "status",  "state",   "stage",       "stage_number",
    "priority",   "content",    "result",      "attempt", "retries", "max_retry",   "due_at",
    "created_at", "changed_at", "finished_at", "version", "worker",  "lease_until", "log"};

json::value parsed(const std::string& text) {
    try {
        return detail::parse_json(text, "stored");
    } catch (const bad_data&) {
        return json::value(text.c_str());
    }
}

json::value instant_or_null(const std::optional<time_point>& at) {
    return at ? json::value{instant_text(*at)} : json::value{};
}

json::value or_null(std::string_view text) { return text.empty() ? json::value{} : json::value{text}; }

std::string_view word_of(flow_outcome outcome) {
    switch (outcome) {
    case flow_outcome::next: return "next";
    case flow_outcome::again: return "again";
    case flow_outcome::done: return "done";
    case flow_outcome::failed: return "failed";
    case flow_outcome::dead: return "dead";
    case flow_outcome::give_back: return "give_back";
    }
    return "?";
}

json::object json_of_run(const flow_run& run) {
    return {{"at", instant_text(run.at)},      {"stage", run.stage},          {"attempt", run.attempt},
            {"outcome", word_of(run.outcome)}, {"cost_ms", run.cost.count()}, {"worker", or_null(run.worker)},
            {"trace", or_null(run.trace)},     {"error", or_null(run.error)}};
}

// What workers of other kinds, and leases that have ended, have left.
json::object json_of_error(const attempt_error& error, const std::string& stage) {
    const bool lost = error.type == "errand::lease_lost";
    const auto cost = error.started_at ? json::value{(error.at - *error.started_at).count()} : json::value{};
    return {{"at", instant_text(error.at)},
            {"stage", stage},
            {"attempt", error.attempt},
            {"outcome", "failed"},
            {"cost_ms", cost},
            {"worker", or_null(error.worker)},
            {"trace", nullptr},
            {"error", lost ? std::string{"lease ended"} : error.message}};
}

// At which stage it was then: the next report tells.
std::string stage_at(const seen_task& of, time_point at) {
    if (of.notes.flow) {
        for (const auto& run : of.notes.flow->runs) {
            if (run.at >= at) return run.stage;
        }
    }
    return stage_of(of.body, of.notes);
}

json::array log_of(const detail::app_core& app, seen_task of) {
    const auto type = find_type(app, of.body.handler);
    const auto most = type ? type->rules.log_runs : flow_notes::most_runs;
    name_what_is_sealed(of.notes);
    static const std::vector<flow_run> none;
    const auto& runs = of.notes.flow ? of.notes.flow->runs : none;
    struct entry {
        time_point at;
        json::object text;
    };
    std::vector<entry> all;
    for (const auto& run : runs) all.push_back({run.at, json_of_run(run)});
    for (const auto& error : of.notes.errors) {
        const bool told = std::ranges::any_of(runs, [&](const flow_run& run) {
            return run.started_at == error.started_at && run.worker == error.worker;
        });
        // Older than the oldest report that is kept: that one told it, and went.
        const bool gone = runs.size() >= most && error.at < runs.front().at;
        if (!told && !gone) all.push_back({error.at, json_of_error(error, stage_at(of, error.at))});
    }
    std::ranges::stable_sort(all, {}, &entry::at);
    const auto over = all.size() - std::min(all.size(), most);
    json::array log;
    for (auto at = over; at < all.size(); ++at) log.push_back(std::move(all[at].text));
    return log;
}

time_point changed_at(const seen_task& of) {
    auto at = of.body.submitted_at();
    if (of.notes.flow && !of.notes.flow->runs.empty()) at = std::max(at, of.notes.flow->runs.back().at);
    if (!of.notes.errors.empty()) at = std::max(at, of.notes.errors.back().at);
    if (of.task.claimed_at) at = std::max(at, *of.task.claimed_at);
    if (of.task.finished_at) at = std::max(at, *of.task.finished_at);
    return at;
}

// When it fell due last, or will: of one that waits no more what was asked for, or what the last attempt was answered with.
time_point due_at(const seen_task& of) {
    if (of.task.due_at) return *of.task.due_at;
    auto due = of.body.due_at.value_or(of.body.submitted_at());
    const auto later = [&](const std::optional<time_point>& at) {
        // One that is still to come was changed meanwhile.
        if (at && *at <= of.task.now) due = std::max(due, *at);
    };
    if (!of.notes.errors.empty()) later(of.notes.errors.back().at);
    if (of.notes.flow && !of.notes.flow->runs.empty()) later(of.notes.flow->runs.back().due_at);
    return due;
}

int attempt_of(const seen_task& of) {
    const int running = of.task.where == state::working ? 1 : 0;
    if (of.notes.flow) return of.notes.flow->deliveries + running;
    return (of.outcome ? of.outcome->attempts : of.notes.attempts) + running;
}

// Of those at which the attempts of its stage have ended, all but the first were retries once it has ended.
int retries_of(const seen_task& of) {
    const bool by_report = of.outcome && (of.task.where == state::success || of.task.where == state::dead);
    return by_report ? std::max(of.outcome->attempts - 1, 0) : of.notes.attempts;
}

int max_retry_of(const detail::app_core& app, const seen_task& of) {
    if (of.notes.flow && of.notes.flow->max_retry) return *of.notes.flow->max_retry;
    const auto* known = handlers::find(of.body.handler);
    const auto set = app.overrides.of(known, of.body.handler);
    return (known ? terms_of(known->policy, of.body, set.get()) : terms_of(of.body, set.get())).max_retry;
}

json::value lease_end(const seen_task& of, const web::attempt* held) {
    if (!held || of.task.where != state::working) return nullptr;
    return json::value{instant_text(held->lease_until)};
}

}  // namespace

std::string user_tag(std::string_view user) { return "user:" + std::string{user}; }

std::string_view status_of(state in) noexcept {
    switch (in) {
    case state::working: return "processing";
    case state::success: return "success";
    case state::dead:
    case state::cancelled:
    case state::expired: return "failed";
    default: return "pending";
    }
}

std::optional<seen_task> seen(found_task task) {
    seen_task one{.task = std::move(task), .body = {}, .notes = {}};
    one.body = decode_body(one.task.body);
    if (!one.task.notes.empty()) one.notes = decode_notes(one.task.notes);
    if (one.task.outcome.empty()) return one;
    if (one.task.finished_at && retention_is_over(one.task.outcome, *one.task.finished_at, one.task.now))
        return std::nullopt;
    one.outcome = decode_outcome(one.task.outcome);
    if (is_remnant(*one.outcome)) return std::nullopt;
    if (one.outcome->notes) one.notes = *one.outcome->notes;
    return one;
}

std::string id_of(const seen_task& of) { return of.body.biz_id ? *of.body.biz_id : to_text(of.task.id); }

std::string header_of(const task_body& body, std::string_view name) {
    const auto at = body.headers.find(std::string{name});
    return at == body.headers.end() ? std::string{} : at->second;
}

std::string stage_of(const task_body& body, const task_notes& notes) {
    if (notes.flow && !notes.flow->stage.empty()) return notes.flow->stage;
    auto first = header_of(body, stage_header);
    return first.empty() ? std::string{first_stage} : first;
}

std::int64_t version_of(const seen_task& of) noexcept {
    const bool aside = is_end(of.task.where) && !(of.outcome && of.outcome->notes);
    return flow_version(of.notes.flow, of.task.where == state::working, aside);
}

std::string content_of(const task_body& body, const task_notes& notes) {
    if (notes.flow && notes.flow->content) return *notes.flow->content;
    const auto args = parsed(body.args);
    const auto* all = args.if_array();
    return all && all->size() == 1 ? json::serialize(all->front()) : body.args;
}

shown_fields read_shown(const std::vector<std::string>& names, const std::string& path) {
    shown_fields shown;
    for (const auto& name : names) {
        web::choice_of(name, member_names, path);
        shown.insert(name);
    }
    return shown;
}

shown_fields read_shown(std::string_view text) {
    std::vector<std::string> names;
    for (std::size_t from = 0; from < text.size();) {
        const auto end = std::min(text.find(',', from), text.size());
        names.emplace_back(text.substr(from, end - from));
        from = end + 1;
    }
    return read_shown(names, "fields");
}

json::object json_of(const detail::app_core& app, const seen_task& of, const web::attempt* held,
                     const shown_fields& shown) {
    const bool working = of.task.where == state::working;
    const auto runner = working && held ? held->worker : working ? of.task.worker : std::string{};
    const auto result = of.outcome ? of.outcome->result : std::string{};
    json::object all{{"id", id_of(of)},
                     {"type", of.body.handler},
                     {"user", or_null(header_of(of.body, user_header))},
                     {"status", status_of(of.task.where)},
                     {"state", to_string(of.task.where)},
                     {"stage", stage_of(of.body, of.notes)},
                     {"stage_number", of.notes.flow ? of.notes.flow->number : 1},
                     {"priority", shown_priority(of.body.priority)},
                     {"content", nullptr},
                     {"result", result.empty() ? json::value{} : parsed(result)},
                     {"attempt", attempt_of(of)},
                     {"retries", retries_of(of)},
                     {"max_retry", max_retry_of(app, of)},
                     {"due_at", instant_text(due_at(of))},
                     {"created_at", instant_text(of.body.submitted_at())},
                     {"changed_at", instant_text(changed_at(of))},
                     {"finished_at", instant_or_null(of.task.finished_at)},
                     {"version", version_of(of)},
                     {"worker", or_null(runner)},
                     {"lease_until", lease_end(of, held)},
                     {"log", nullptr}};
    const auto wanted = [&](std::string_view name) { return shown.empty() || shown.contains(name); };
    if (wanted("content")) all["content"] = parsed(content_of(of.body, of.notes));
    if (wanted("log")) all["log"] = log_of(app, of);
    if (shown.empty()) return all;
    json::object some;
    for (auto& [name, value] : all) {
        if (wanted(name)) some[name] = std::move(value);
    }
    return some;
}

}  // namespace errand::flow
