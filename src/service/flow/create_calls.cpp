// Creating tasks: one, or many of which each has an answer of its own.
#include <errand/detail/engine.hpp>
#include <errand/detail/json_read.hpp>
#include <errand/proxy.hpp>

#include "client/submit_steps.hpp"
#include "core/head_start.hpp"
#include "core/limit_rules.hpp"
#include "service/calls.hpp"
#include "service/flow/backoff_text.hpp"
#include "service/flow/calls.hpp"
#include "service/flow/places.hpp"
#include "service/flow/refusals.hpp"
#include "service/items.hpp"
#include "service/refusal.hpp"
#include "service/target.hpp"
#include "service/values.hpp"

#include <boost/json/serialize.hpp>

#include <array>

namespace errand::flow {

namespace json = boost::json;
using web::field;
using web::kind;

namespace {

constexpr std::int64_t most_retries = 1'000'000;
constexpr std::size_t longest_text = 255;

constexpr std::array task_members{
    field{"type", kind::text,
          "The type, which `PUT …/types/{type}` has made, or which appears where that is allowed", true},
    field{"id", kind::text,
          "1 to 200 bytes; by this the task is known, and created once however often it is asked for. "
          "Without: errand makes one"},
    field{"user", kind::text, "Whose it is, 1 to 128 of `A-Z a-z 0-9 - _ .`: lists find it by that"},
    field{"stage", kind::text, "The stage that it begins with (`start`)"},
    field{"content", kind::any, "Any JSON: what its stages work on. Kept between them, never read"},
    field{"priority", kind::integer, "0 to 9 inside its type, higher first (as the type says)"},
    field{
        "head_start_ms", kind::integer,
        "In a type without a priority, and in place of one: it goes before tasks that fell due less than that before it"},
    field{"delay_ms", kind::integer, "Due so long from now; negative: at once"},
    field{"due_at", kind::instant, "Due then; in the past: at once. Not together with `delay_ms`"},
    field{"max_retry", kind::integer, "Retries of a stage (as the type says, also when that changes)"},
    field{"backoff", kind::object,
          "`{\"kind\": \"progressive\", \"first_ms\", \"cap_ms\"}`, `{\"kind\": \"uniform\", "
          "\"first_ms\"}` or "
          "`{\"kind\": \"polynomial\"}` (as the type says)"},
    field{"expires_after_ms", kind::integer, "Not held so long after it was due: it ends, `expired`"},
    field{"trace", kind::text, "A trace that it belongs to: its header `traceparent`"},
};

constexpr std::array batch_members{
    field{"tasks", kind::objects, "1 to 1000 tasks, each as `POST /flow/v1/{namespace}/tasks` takes it",
          true},
};

constexpr std::array create_parameters{
    field{
        "strict", kind::text,
        "With it: a task that is there with this id and another content is a conflict (409), and not the answer"},
};

void add_header(options& to, std::string_view name, const std::optional<std::string>& value) {
    if (value) to.headers.emplace(std::string{name}, *value);
}

std::optional<std::string> read_name(const web::members& given, std::string_view member,
                                     std::string_view what) {
    auto name = given.text(member);
    if (name) check_name(*name, what, given.path_of(member));
    return name;
}

options options_of(const web::members& given, const flow_type& type) {
    options extra;
    extra.queue = type.name;
    extra.biz_id = given.text("id");
    if (extra.biz_id) check_id(*extra.biz_id, given.path_of("id"));
    extra.delay = given.delay("delay_ms");
    extra.at = given.instant("due_at");
    if (extra.delay && extra.at)
        throw web::bad_request("give one of \"delay_ms\" and \"due_at\"", given.path_of("due_at"));
    if (const auto one = given.integer("priority", 0, 9)) extra.priority = static_cast<int>(*one);
    if (const auto one = given.integer("max_retry", 0, most_retries))
        extra.max_retry = static_cast<int>(*one);
    extra.expires_after = given.length("expires_after_ms");
    if (extra.expires_after == duration{0}) extra.expires_after.reset();
    const auto user = read_name(given, "user", "user");
    if (user) extra.tags.push_back(user_tag(*user));
    add_header(extra, user_header, user);
    const auto stage = read_name(given, "stage", "stage");
    check_stage(type, stage.value_or(std::string{first_stage}), given.path_of("stage"), stage.has_value());
    add_header(extra, stage_header, stage);
    if (const auto rule = read_backoff(given, "backoff")) add_header(extra, backoff_header, rule->text());
    const auto trace = given.text("trace");
    if (trace && (trace->empty() || trace->size() > longest_text))
        throw web::bad_request("\"trace\" has 1 to 255 bytes", given.path_of("trace"));
    add_header(extra, trace_header, trace);
    return extra;
}

// Zero: it has none.
duration head_start_of(const web::members& given, bool has_priority) {
    const auto asked = given.integer("head_start_ms", 0, longest_head_start.count()).value_or(0);
    if (asked > 0 && has_priority)
        throw web::bad_request("give one of \"priority\" and \"head_start_ms\"",
                               given.path_of("head_start_ms"));
    return duration{asked};
}

struct created {
    std::string id;
    std::string type;
    bool made = false;
};

// Repeated it changes nothing; by `strict` what is there has to be the same.
awaitable<void> check_same(office at, const created& one, const std::string& args, const std::string& path) {
    const auto there = co_await find_task(at, one.type, one.id);
    if (!there) co_return;
    if (detail::parse_json(there->body.args, "args") == detail::parse_json(args, "args")) co_return;
    throw web::refusal{409, "conflict", "a task with this id is there, and was created with another content",
                       path};
}

awaitable<created> create(office at, const json::object& from, std::string path, bool strict) {
    const web::members given{from, task_members, path};
    const auto type = co_await type_of(at, *given.text("type"), given.path_of("type"));
    detail::draft draft;
    draft.app = &at.core;
    draft.wire_name = type.name;
    const auto* content = given.any("content");
    const auto text = content ? json::serialize(*content) : std::string{"null"};
    check_content(at.core, type, text, given.path_of("content"));
    draft.args = '[' + text + ']';
    draft.extra = std::make_shared<const options>(options_of(given, type));
    const auto head_start = head_start_of(given, draft.extra->priority.has_value());
    if (!at.core.submit_wrappers.empty()) draft = co_await detail::wrapped(std::move(draft));
    const auto args = draft.args;
    auto ready = prepare(std::move(draft));
    if (head_start > duration{0}) {
        if (ready.body.priority > 0)
            throw web::bad_request("the type " + type.name + " has the priority " +
                                       std::to_string(ready.body.priority) +
                                       ": a head start is for tasks without one; say \"priority\"",
                                   given.path_of("head_start_ms"));
        ready.body.priority = ahead_priority;
        ready.body.head_start = head_start;
    }
    const auto id = ready.body.biz_id;
    // However that has ended: it has the id as long as it is kept.
    if (id) ready.conflict = on_conflict::where_free;
    const auto ref = co_await detail::submit_prepared(at.core, std::move(ready));
    created one{.id = id ? *id : detail::id_text(ref), .type = type.name, .made = !detail::is_duplicate(ref)};
    if (strict && !one.made) co_await check_same(at, one, args, given.path_of("content"));
    co_return one;
}

json::object json_of(const created& one) { return {{"id", one.id}, {"created", one.made}}; }

}  // namespace

const web::fields create_fields{task_members};
const web::fields create_batch_fields{batch_members};
const web::fields create_query{create_parameters};

void check_stage(const flow_type& type, const std::string& stage, const std::string& path, bool named) {
    if (type.has_stage(stage)) return;
    const auto what = named ? "\"" + stage + "\" is no stage of the type " + type.name
                            : "the type " + type.name + " has no stage \"start\": say which it begins with";
    throw web::bad_request(what, path);
}

void check_content(const detail::app_core& core, const flow_type& type, const std::string& text,
                   const std::string& path) {
    const auto limit = std::min(type.rules.max_content, core.settings.max_payload - 2);
    if (text.size() <= limit) return;
    throw web::refusal{413, "too_large",
                       "the content has " + std::to_string(text.size()) +
                           " bytes as JSON, and the limit is " + std::to_string(limit) +
                           ": keep it elsewhere, and a reference to it here",
                       path};
}

awaitable<web::answer> create_task(web::call& c) {
    const web::parameters query{c.in, create_parameters};
    const auto body = web::body_object(c.in);
    const auto at = office_of(c);
    co_await at.home.ready();
    const auto done = co_await create(at, body, {}, query.text("strict").has_value());
    auto out = web::json_answer(json_of(done), done.made ? 201 : 200);
    out.headers.push_back({"Location", "/flow/v1/" + web::percent_encoded(c.part("namespace")) + "/tasks/" +
                                           done.type + '/' + web::percent_encoded(done.id)});
    co_return out;
}

awaitable<web::answer> create_batch(web::call& c) {
    const web::parameters query{c.in, create_parameters};
    const auto body = web::body_object(c.in);
    const web::members given{body, batch_members};
    const auto& items = web::need_items(given, "tasks");
    const auto at = office_of(c);
    co_await at.home.ready();
    const bool strict = query.text("strict").has_value();
    auto results = co_await web::each_item(
        items, "tasks",
        [at, strict](const json::value& item, std::string path) -> awaitable<json::object> {
            const auto done = co_await create(at, web::need_object(item, path), path, strict);
            co_return json_of(done);
        },
        error_of);
    co_return web::json_answer(json::object{{"results", std::move(results)}});
}

}  // namespace errand::flow
