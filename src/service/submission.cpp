#include "service/submission.hpp"

#include <errand/detail/json_read.hpp>
#include <errand/handle.hpp>

#include "core/json_quote.hpp"
#include "core/trace_context.hpp"
#include "runtime/app_core.hpp"
#include "runtime/handlers.hpp"
#include "runtime/task_gates.hpp"
#include "service/calls.hpp"
#include "service/queue_bounds.hpp"
#include "service/refusal.hpp"
#include "service/task_options.hpp"

#include <boost/json/array.hpp>
#include <boost/json/serialize.hpp>

#include <algorithm>
#include <array>

namespace errand::web {

namespace json = boost::json;

namespace {

constexpr std::size_t longest_key = 255;
constexpr std::size_t longest_biz_id = 512;

constexpr std::array submission_members{
    field{"handler", kind::text, "The wire name of the handler", true},
    field{"args", kind::array, "The arguments of `perform`, in order. `[]` when left out"},
    field{"biz_id", kind::text,
          "The business identity: of equal ones of one handler only one runs. 1 to 512 bytes"},
    field{"queue", kind::text,
          "The queue; else that of the handler where this program has it, else `default`"},
    field{"delay_ms", kind::integer, "Due so long from now; negative: at once"},
    field{"at", kind::instant, "Due then; in the past: at once. Not together with `delay_ms`"},
    priority_member,
    timeout_member,
    retries_member,
    expires_member,
    retention_member,
    field{"after", kind::texts, "Ids of the tasks that it waits for"},
    field{
        "after_biz_ids", kind::objects,
        "Tasks that it waits for by who they are, also such as are submitted later: `{\"handler\", \"biz_id\"}`"},
    field{"on_failed_dependency", kind::text,
          "When one of those ends otherwise than by `success`: `cancel` (it is cancelled), `wait` or `run`"},
    field{
        "on_duplicate", kind::text,
        "When another task holds the biz_id: `keep_first` (that one is answered), `replace` (arguments and due time of "
        "one that has never started) or `reject` (409)"},
    headers_member,
    tags_member,
};

constexpr std::array named_members{
    field{"handler", kind::text, "The wire name of its handler", true},
    field{"biz_id", kind::text, "Its business identity", true},
};

constexpr std::array key_header{
    field{
        "Idempotency-Key", kind::text,
        "1 to 255 printable characters. Requests with the same key submit once, for as long as the task is kept: "
        "the later ones are answered with the same id. Not for tasks with a biz_id, which says the same by itself"},
};

constexpr std::array<std::string_view, 3> duplicate_names{"keep_first", "replace", "reject"};
constexpr std::array duplicate_rules{duplicate_rule::keep_first, duplicate_rule::replace,
                                     duplicate_rule::reject};
constexpr std::array<std::string_view, 3> dependency_names{"cancel", "wait", "run"};
constexpr std::array dependency_rules{dependency_rule::cancel_dependents, dependency_rule::wait,
                                      dependency_rule::run};

// As proxy::ref() has it.
std::string id_of_named(const errand::app& app, const members& of) {
    const auto handler = *of.text("handler");
    const auto biz_id = *of.text("biz_id");
    if (biz_id.empty() || biz_id.size() > longest_biz_id)
        throw bad_request("a biz_id has 1 to 512 bytes", of.path_of("biz_id"));
    const auto* known = handlers::find(handler);
    const auto id = derive_task_id(known ? known->identity : handler, biz_id);
    return to_text(known ? placed_id(*known, id, app.settings().shards) : id);
}

void add_named_parents(const errand::app& app, const members& given, options& to) {
    const auto* all = given.array("after_biz_ids");
    if (!all) return;
    for (std::size_t i = 0; i < all->size(); ++i) {
        const auto path = given.path_of("after_biz_ids") + '[' + std::to_string(i) + ']';
        const auto* object = (*all)[i].if_object();
        if (!object) throw bad_request("this is to be an object", path);
        to.after.emplace_back(id_of_named(app, members{*object, named_members, path}));
    }
}

options options_of(const errand::app& app, const members& given) {
    options extra;
    read_task_options(given, extra);
    extra.biz_id = given.text("biz_id");
    extra.delay = given.delay("delay_ms");
    extra.at = given.instant("at");
    if (extra.delay && extra.at)
        throw bad_request("give one of \"delay_ms\" and \"at\"", given.path_of("at"));
    for (auto& id : given.texts("after")) {
        if (!parse_task_id(id))
            throw bad_request(detail::quoted_extract(id) + " is no task's id", given.path_of("after"));
        extra.after.emplace_back(std::move(id));
    }
    add_named_parents(app, given, extra);
    if (const auto rule = given.text("on_failed_dependency")) {
        extra.on_failed_dependency =
            dependency_rules[choice_of(*rule, dependency_names, given.path_of("on_failed_dependency"))];
    }
    if (const auto rule = given.text("on_duplicate")) {
        extra.on_duplicate =
            duplicate_rules[choice_of(*rule, duplicate_names, given.path_of("on_duplicate"))];
    }
    return extra;
}

// Who asks is part of a trace, perhaps; a task that names one itself is of that.
void join_trace(const request& in, options& extra) {
    if (extra.headers.contains(traceparent_header)) return;
    const auto* parent = in.find_header(traceparent_header);
    const auto* state = in.find_header(tracestate_header);
    const auto asked = parent ? parse_traceparent(*parent, state ? *state : std::string{}) : std::nullopt;
    if (asked) put_trace(*asked, extra.headers);
}

std::string canonical(const std::string& handler) {
    const auto* known = handlers::find(handler);
    return known ? known->name : handler;
}

}  // namespace

const fields submission_fields{submission_members};
const fields submit_headers{key_header};

detail::draft read_submission(errand::app& app, const request& in, const members& given) {
    detail::draft one;
    one.app = &detail::core_of(app);
    one.wire_name = given.text("handler").value_or("");
    if (one.wire_name.empty())
        throw bad_request("the name of a handler is not empty", given.path_of("handler"));
    const auto* args = given.array("args");
    one.args = args ? json::serialize(*args) : "[]";
    const auto limit = app.settings().max_payload;
    if (one.args.size() > limit) {
        throw refusal{413, "too_large",
                      "the arguments have " + std::to_string(one.args.size()) +
                          " bytes as JSON, and the limit is " + std::to_string(limit) +
                          ": pass a reference to the data instead",
                      given.path_of("args")};
    }
    auto extra = options_of(app, given);
    keep_to_queues(in, given, one.wire_name, extra);
    join_trace(in, extra);
    one.extra = std::make_shared<const options>(std::move(extra));
    return one;
}

std::optional<std::string> key_of(const request& in) {
    constexpr auto header = "Idempotency-Key";
    const auto* key = in.find_header(header);
    if (!key) return std::nullopt;
    const bool plain = std::ranges::all_of(*key, [](char c) { return c > 0x20 && c < 0x7f; });
    if (key->empty() || key->size() > longest_key || !plain || in.count_headers(header) > 1)
        throw bad_request("an Idempotency-Key is one text of 1 to 255 printable characters of ASCII", header);
    if (in.only_queues.empty()) return *key;
    // A key says nothing of what others have submitted by the same one to queues that are none of this token's.
    auto own = *key;
    for (const auto& queue : in.only_queues) own.append("\nqueue\n").append(queue);
    return own;
}

void refuse_biz_id_of(const detail::draft& one) {
    if (!one.extra->biz_id) return;
    throw bad_request("a task with a biz_id takes no Idempotency-Key: repeated, it counts once by its biz_id",
                      "Idempotency-Key");
}

task_id keyed_id(const prepared_submission& one, const std::string& key) {
    const auto id = derive_task_id({}, key);
    const auto* known = handlers::find(one.body.handler);
    return known ? placed_id(*known, id, one.shards) : id;
}

void check_same(const task_info& there, const said& now) {
    // What cannot be read here cannot be compared.
    if (there.unreadable) return;
    const auto args = detail::parse_json(now.args, "args");
    if (canonical(there.handler) == now.handler && there.args == args) return;
    throw refusal{
        422, "key_reused",
        "this Idempotency-Key was used for another handler or other arguments: a new submission needs a "
        "new key",
        "Idempotency-Key"};
}

}  // namespace errand::web
