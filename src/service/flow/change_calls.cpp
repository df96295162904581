// What users change of a task: they cancel it, change what it works on or when it is due, or start one again that has failed.
#include <errand/error.hpp>

#include "client/edit_task.hpp"
#include "runtime/parent_links.hpp"
#include "service/calls.hpp"
#include "service/flow/calls.hpp"
#include "service/flow/places.hpp"
#include "service/instant.hpp"
#include "service/refusal.hpp"
#include "service/values.hpp"

#include <boost/json/serialize.hpp>

#include <array>
#include <charconv>

namespace errand::flow {

namespace json = boost::json;
using web::field;
using web::kind;

namespace {

// Others may change the task between the look and the step; each time one of them gets ahead.
constexpr int most_tries = 50;

constexpr std::array patch_members{
    field{"priority", kind::integer, "0 to 9 inside its type"},
    field{"due_at", kind::instant, "Due then; in the past: at once"},
    field{"content", kind::any, "Another content"},
};
constexpr std::array patch_header{
    field{"If-Match", kind::text, "The version that was seen: of another one nothing is changed (409)"},
};
constexpr std::array revive_members{
    field{"stage", kind::text, "It begins again at this stage (the one at which it failed)"},
    field{"max_retry", kind::integer, "Retries that it has from now on"},
    field{"content", kind::any, "Another content"},
};

web::refusal in_state(const std::string& message, const seen_task& of) {
    return conflict(message + ": the task is " + std::string{to_string(of.task.where)});
}

std::optional<std::int64_t> version_wanted(const web::request& in) {
    constexpr auto header = "If-Match";
    const auto* text = in.find_header(header);
    if (!text || *text == "*") return std::nullopt;
    std::string_view digits = *text;
    if (digits.size() >= 2 && digits.front() == '"' && digits.back() == '"')
        digits = digits.substr(1, digits.size() - 2);
    std::int64_t version = 0;
    const auto [stop, error] = std::from_chars(digits.data(), digits.data() + digits.size(), version);
    if (error != std::errc{} || stop != digits.data() + digits.size())
        throw web::bad_request("If-Match is to be a version, as ETag says it", header);
    return version;
}

flow_notes& flow_of(task_notes& notes) {
    if (!notes.flow) notes.flow.emplace();
    return *notes.flow;
}

struct patch_asked {
    std::optional<std::int64_t> version{};
    std::optional<int> priority{};
    std::optional<time_point> due_at{};
    std::optional<std::string> content{};
};

// What is put in place of the task that was seen. Not yet with its body.
edit_call edit_of(const patch_asked& asked, const seen_task& task) {
    auto body = task.body;
    auto notes = task.notes;
    edit_call call{
        .id = task.task.id, .seen = task.task.body, .body = {}, .due_at = asked.due_at, .expires_at = {}};
    if (asked.priority) body.priority = static_cast<std::uint8_t>(*asked.priority);
    // A retry has its own time; the one for which the task was asked stays.
    if (asked.due_at && task.task.where != state::retry) body.due_at = asked.due_at;
    if (asked.due_at && body.expires_after) call.expires_at = *asked.due_at + *body.expires_after;
    if (asked.content) {
        // What it was created with, as long as no worker has put another in its place.
        if (notes.flow && notes.flow->content)
            notes.flow->content = asked.content;
        else
            body.args = '[' + *asked.content + ']';
    }
    count_change(flow_of(notes));
    call.body = encode(body);
    call.notes = encode(notes);
    call.seen_notes = task.task.notes;
    return call;
}

}  // namespace

const web::fields patch_fields{patch_members};
const web::fields patch_headers{patch_header};
const web::fields revive_fields{revive_members};

awaitable<web::answer> cancel_flow_task(web::call& c) {
    const web::parameters none{c.in, {}};
    const auto at = office_of(c);
    const auto type = c.part("type");
    const auto id = c.part("id");
    const auto task = co_await need_task(at, type, id);
    if (!is_end(task.task.where)) {
        const auto set = at.core.overrides.of(task.body.handler);
        const auto kept = set && set->retention ? *set->retention : policy{}.retention;
        co_await cancel_on(at.home.tasks(), task.task.id, task.body.life, kept);
    }
    const auto now = co_await need_task(at, type, id);
    co_return web::json_answer(json::object{{"id", id_of(now)},
                                            {"status", status_of(now.task.where)},
                                            {"state", to_string(now.task.where)},
                                            {"version", version_of(now)}});
}

awaitable<web::answer> patch_task(web::call& c) {
    const web::parameters none{c.in, {}};
    const auto body = web::body_object(c.in);
    const web::members given{body, patch_members};
    patch_asked asked{.version = version_wanted(c.in), .due_at = given.instant("due_at")};
    if (const auto one = given.integer("priority", 0, 9)) asked.priority = static_cast<int>(*one);
    // A content may be null.
    if (const auto* content = body.if_contains("content")) asked.content = json::serialize(*content);
    if (!asked.priority && !asked.due_at && !asked.content)
        throw web::bad_request("say what is to be another: \"priority\", \"due_at\" or \"content\"");
    const auto at = office_of(c);
    const auto type_name = c.part("type");
    const auto id = c.part("id");
    for (int tries = 0; tries < most_tries; ++tries) {
        const auto task = co_await need_task(at, type_name, id);
        const auto type = need_type(at.core, type_name);
        if (asked.content) check_content(at.core, type, *asked.content, "content");
        const bool fixed = is_end(task.task.where) || task.task.where == state::working;
        if (fixed) throw in_state("it is held or has ended, so it is not changed", task);
        if (asked.version && *asked.version != version_of(task))
            throw conflict("the task has another version by now: " + std::to_string(version_of(task)));
        const auto verdict = co_await at.home.tasks().edit(edit_of(asked, task));
        // Whoever got ahead is seen by the next look.
        if (verdict != edit_verdict::done) continue;
        const auto now = co_await need_task(at, type_name, id);
        auto out = web::json_answer(json_of(at.core, now, nullptr, {}));
        out.headers.push_back({"ETag", '"' + std::to_string(version_of(now)) + '"'});
        co_return out;
    }
    throw conflict("others change this task again and again: try once more");
}

awaitable<web::answer> revive_flow_task(web::call& c) {
    const web::parameters none{c.in, {}};
    // Nothing need be said.
    const auto body = c.in.body.empty() ? json::object{} : web::body_object(c.in);
    const web::members given{body, revive_members};
    const auto stage = given.text("stage");
    if (stage) check_name(*stage, "stage", "stage");
    const auto retries = given.integer("max_retry", 0, 1'000'000);
    const auto at = office_of(c);
    const auto type_name = c.part("type");
    const auto id = c.part("id");
    const auto task = co_await need_task(at, type_name, id);
    const auto type = need_type(at.core, type_name);
    if (stage) check_stage(type, *stage, "stage", true);
    if (!is_end(task.task.where) || task.task.where == state::success)
        throw in_state("only tasks that have failed are revived", task);
    auto notes = task.notes;
    notes.attempts = notes.lost_leases = 0;
    notes.snoozed = false;
    notes.revived = true;
    auto& flow = flow_of(notes);
    if (stage && *stage != stage_of(task.body, task.notes)) ++flow.number;
    if (stage) flow.stage = *stage;
    if (retries) flow.max_retry = static_cast<int>(*retries);
    if (const auto* content = body.if_contains("content")) {
        flow.content = json::serialize(*content);
        check_content(at.core, type, *flow.content, "content");
    }
    count_change(flow);
    auto& in = at.home.tasks();
    const auto record = encode(notes);
    const bool revived = co_await in.revive(task.task.id, task.body.life, *task.task.finished_at, record);
    if (revived) co_await revive_dependents(in, task.task.id);
    const auto now = co_await need_task(at, type_name, id);
    if (!revived) throw in_state("only tasks that have failed are revived", now);
    co_return web::json_answer(json_of(at.core, now, nullptr, {}));
}

}  // namespace errand::flow
