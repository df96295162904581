// Types: what is set of them, and how many of their tasks there are.
#include <errand/error.hpp>
#include <errand/inspect.hpp>
#include <errand/policy.hpp>

#include "client/listing.hpp"
#include "core/settings_record.hpp"
#include "service/calls.hpp"
#include "service/flow/backoff_text.hpp"
#include "service/flow/calls.hpp"
#include "service/flow/places.hpp"
#include "service/refusal.hpp"
#include "service/rule_values.hpp"
#include "service/values.hpp"

#include <boost/json/array.hpp>

#include <algorithm>
#include <array>
#include <limits>
#include <set>

namespace errand::flow {

namespace json = boost::json;
using web::field;
using web::kind;

namespace {

constexpr std::int64_t longest_interval = 86'400'000;
constexpr std::int64_t shortest_retention = 60'000;
constexpr std::int64_t longest_kept = std::int64_t{3650} * 86'400'000;
constexpr std::size_t most_stages = 1000;
constexpr int most_rounds = 50;
// A look at the stages stops here unless all are asked for: they are looked at one by one.
constexpr std::size_t most_looked_at = 10'000;

constexpr std::array rules_members{
    field{"batch", kind::integer, "1 to 1000: tasks of one hold that names no limit (100)"},
    field{
        "interval_ms", kind::integer,
        "What a worker is to wait between two holds, and how long an outcome `again` waits that says nothing (1000)"},
    field{"lease_ms", kind::integer,
          "1000 to 86400000: what is not reported, and not extended, so long after its hold is lost (30000)"},
    field{"max_retry", kind::integer, "Retries of a stage, or of a task (3)"},
    field{
        "backoff", kind::object,
        "`{\"kind\": \"progressive\", \"first_ms\", \"cap_ms\"}` (first, twice that, … up to the cap; 1000 and 10000), "
        "`{\"kind\": \"uniform\", \"first_ms\"}` or `{\"kind\": \"polynomial\"}` (n^4 + 15 + random·30·(n+1) seconds)"},
    field{"retry_scope", kind::text,
          "`stage`: each stage has its retries; `task`: all have them together (`stage`)"},
    field{"priority", kind::integer, "0 to 9: of tasks that are created without one (0)"},
    field{"retention_ms", kind::integer, "60000 or more: kept so long after its end (180 days)"},
    field{"expires_after_ms", kind::integer,
          "Not held so long after it was due: it ends, `expired`; 0: never (0)"},
    field{"max_content", kind::integer, "Bytes of a content as JSON (1048576)"},
    field{"log_runs", kind::integer, "1 to 32 attempts that the log of a task keeps (32)"},
    field{"stages", kind::texts, "The stages that there are: another one is refused. None: any name goes"},
    field{"max_running", kind::integer, "So many are held at once, over all workers; 0: none (not limited)"},
    field{"rate", kind::object,
          "`{\"count\", \"per_ms\", \"burst\"}`: so many are held in a time (not limited)"},
    field{"paused", kind::boolean, "Nothing is held; creation goes on (false)"},
};

constexpr std::array delete_parameters{
    field{"cancel", kind::text, "`true`: what has not ended is cancelled first"},
};

constexpr std::array count_parameters{
    field{
        "by_stage", kind::text,
        "`all`: every task that has not ended is looked at for `by_stage`, which takes some seconds for a million. Else ten thousand"},
};

// ---- reading ----

bool is_null(const json::object& from, std::string_view name) {
    const auto* value = from.if_contains(name);
    return value && value->is_null();
}

std::vector<std::string> read_stages(const web::members& given) {
    auto names = given.texts("stages");
    for (const auto& one : names) check_name(one, "stage", given.path_of("stages"));
    if (names.size() > most_stages)
        throw web::bad_request("a type has 1000 stages at most", given.path_of("stages"));
    if (std::set<std::string>{names.begin(), names.end()}.size() != names.size())
        throw web::bad_request("a stage is named twice", given.path_of("stages"));
    return names;
}

bool read_paused(const web::members& given) {
    const auto* value = given.any("paused");
    if (value && !value->is_bool())
        throw web::bad_request("\"paused\" is to be true or false", given.path_of("paused"));
    return value && value->get_bool();
}

handler_settings usual_tries() {
    handler_settings tries;
    tries.max_retry = 3;
    tries.backoff = backoff::exponential(std::chrono::seconds{1}, std::chrono::seconds{10});
    tries.priority = 0;
    tries.retention = policy{}.retention;
    return tries;
}

// What is said of how its tasks are tried; `from` tells a null from what is not there.
void read_tries(const web::members& given, const json::object& from, handler_settings& into) {
    const auto usual = usual_tries();
    if (is_null(from, "max_retry")) into.max_retry = usual.max_retry;
    if (is_null(from, "backoff")) into.backoff = usual.backoff;
    if (is_null(from, "priority")) into.priority = usual.priority;
    if (is_null(from, "retention_ms")) into.retention = usual.retention;
    if (is_null(from, "expires_after_ms")) into.expires_after.reset();
    if (is_null(from, "max_running")) into.max_running.reset();
    if (is_null(from, "rate")) into.rate.reset();
    if (is_null(from, "paused")) into.paused = false;
    if (const auto one = given.integer("max_retry", 0, 1'000'000)) into.max_retry = static_cast<int>(*one);
    if (auto rule = read_backoff(given, "backoff")) into.backoff = std::move(rule);
    if (const auto one = given.integer("priority", 0, 9)) into.priority = static_cast<int>(*one);
    if (const auto one = given.integer("retention_ms", shortest_retention, longest_kept))
        into.retention = duration{*one};
    if (const auto one = given.integer("expires_after_ms", 0, longest_kept)) {
        into.expires_after = duration{*one};
        if (*one == 0) into.expires_after.reset();
    }
    if (const auto one = web::small_number(given, "max_running")) into.max_running = one;
    if (const auto one = web::read_rate(given, "rate")) into.rate = one;
    if (given.has("paused")) into.paused = read_paused(given);
}

void read_rules(const web::members& given, const json::object& from, flow_rules& into) {
    constexpr std::array<std::string_view, 2> scopes{"stage", "task"};
    const flow_rules usual;
    if (is_null(from, "batch")) into.batch = usual.batch;
    if (is_null(from, "interval_ms")) into.interval = usual.interval;
    if (is_null(from, "lease_ms")) into.lease = usual.lease;
    if (is_null(from, "retry_scope")) into.retries_per_stage = usual.retries_per_stage;
    if (is_null(from, "max_content")) into.max_content = usual.max_content;
    if (is_null(from, "log_runs")) into.log_runs = usual.log_runs;
    if (is_null(from, "stages")) into.stages.clear();
    if (const auto one = given.integer("batch", 1, 1000)) into.batch = *one;
    if (const auto one = given.integer("interval_ms", 0, longest_interval)) into.interval = duration{*one};
    if (const auto one = given.integer("lease_ms", shortest_lease, longest_lease))
        into.lease = duration{*one};
    if (const auto scope = given.text("retry_scope"))
        into.retries_per_stage = web::choice_of(*scope, scopes, given.path_of("retry_scope")) == 0;
    if (const auto one = given.integer("max_content", 1, std::int64_t{1} << 30))
        into.max_content = static_cast<std::size_t>(*one);
    if (const auto one = given.integer("log_runs", 1, std::int64_t{flow_notes::most_runs}))
        into.log_runs = static_cast<std::size_t>(*one);
    if (given.has("stages")) into.stages = read_stages(given);
}

// ---- changing ----

struct new_type {
    flow_rules rules{};
    handler_settings tries{};
};

// What `alter` makes of what is there, against whatever others change meanwhile. It throws where nothing is to be changed.
using alteration = std::function<std::optional<new_type>(const stored_type&)>;

awaitable<stored_type> change_type(office at, std::string name, alteration alter) {
    for (int tries = 0; tries < most_rounds; ++tries) {
        auto seen = co_await read_type(at.core, at.home, name);
        auto made = alter(seen);
        auto rules = made ? std::optional{std::move(made->rules)} : std::nullopt;
        auto how = made ? std::move(made->tries) : handler_settings{};
        if (co_await write_type(at.core, at.home, name, seen, std::move(rules), std::move(how)))
            co_return seen;
    }
    throw conflict("others change this type again and again: try once more");
}

web::refusal no_such_type() { return web::not_found("there is no such type; PUT one first"); }

const std::string& need_name(const web::call& c) {
    const auto& name = c.part("type");
    check_name(name, "type", "type");
    return name;
}

awaitable<web::answer> set_paused(web::call& c, bool paused) {
    const web::parameters none{c.in, {}};
    const auto name = need_name(c);
    const auto at = office_of(c);
    co_await change_type(at, name, [paused](const stored_type& seen) -> std::optional<new_type> {
        if (!seen.rules) throw no_such_type();
        new_type made{.rules = *seen.rules, .tries = seen.tries};
        made.tries.paused = paused;
        return made;
    });
    co_return web::json_answer(json_of(need_type(at.core, name)));
}

// ---- counting ----

constexpr std::array unfinished{state::ready, state::delayed, state::retry, state::waiting, state::working};

// How many of those that have not ended are at each stage, as far as they are among the first ones.
struct stage_counts {
    std::map<std::string, std::size_t> by_stage{};
    bool complete = true;
};

awaitable<stage_counts> count_stages(web::call& c, office at, std::string type, std::size_t most) {
    stage_counts counts;
    std::size_t looked_at = 0;
    const auto enough = [&] { return looked_at >= most || c.at.stopping(); };
    for (const auto where : unfinished) {
        const task_filter which{.state = where, .queue = type, .handler = type};
        std::string next;
        do {
            auto page =
                co_await list_page(at.home.tasks(), which, std::move(next), 500, list_order::oldest_first);
            next = std::move(page.next);
            looked_at += page.looked_at;
            for (auto& task : page.tasks) {
                if (const auto one = seen(std::move(task)))
                    ++counts.by_stage[stage_of(one->body, one->notes)];
            }
            if (enough() && !next.empty()) counts.complete = false;
        } while (!next.empty() && !enough());
    }
    co_return counts;
}

awaitable<queue_info> queue_of(web::call& c, std::string type) {
    const auto all = co_await c.at.app().inspect().queues();
    const auto at = std::ranges::find(all, type, &queue_info::name);
    co_return at == all.end() ? queue_info{} : *at;
}

}  // namespace

const web::fields type_fields{rules_members};
const web::fields delete_type_query{delete_parameters};
const web::fields count_type_query{count_parameters};

awaitable<flow_type> type_of(office at, std::string name, std::string path) {
    check_type(at, name);
    check_name(name, "type", path);
    if (!at.types_appear || find_type(at.core, name)) co_return need_type(at.core, name);
    for (int tries = 0; tries < most_rounds; ++tries) {
        const auto seen = co_await read_type(at.core, at.home, name);
        if (seen.rules) {
            // Somebody has made it just now.
            co_await at.home.learn_settings();
            break;
        }
        auto how = is_nothing(seen.tries) ? usual_tries() : seen.tries;
        if (co_await write_type(at.core, at.home, name, seen, flow_rules{}, std::move(how))) break;
    }
    co_return need_type(at.core, name);
}

awaitable<web::answer> put_type(web::call& c) {
    const web::parameters none{c.in, {}};
    const auto body = web::body_object(c.in);
    const web::members given{body, rules_members};
    const auto name = need_name(c);
    new_type made{.rules = {}, .tries = usual_tries()};
    read_rules(given, body, made.rules);
    read_tries(given, body, made.tries);
    const auto at = office_of(c);
    const auto before =
        co_await change_type(at, name, [&made](const stored_type& seen) -> std::optional<new_type> {
            auto one = made;
            one.tries.timeout = seen.tries.timeout;
            return one;
        });
    co_return web::json_answer(json_of(need_type(at.core, name)), before.rules ? 200 : 201);
}

awaitable<web::answer> patch_type(web::call& c) {
    const web::parameters none{c.in, {}};
    const auto body = web::body_object(c.in);
    const web::members given{body, rules_members};
    const auto name = need_name(c);
    const auto at = office_of(c);
    co_await change_type(at, name, [&](const stored_type& seen) -> std::optional<new_type> {
        if (!seen.rules) throw no_such_type();
        new_type made{.rules = *seen.rules, .tries = seen.tries};
        read_rules(given, body, made.rules);
        read_tries(given, body, made.tries);
        return made;
    });
    co_return web::json_answer(json_of(need_type(at.core, name)));
}

awaitable<web::answer> list_types(web::call& c) {
    const web::parameters none{c.in, {}};
    const auto at = office_of(c);
    co_await at.home.ready();
    json::array all;
    for (const auto& one : all_types(at.core)) all.emplace_back(json_of(one));
    co_return web::json_answer(json::object{{"types", std::move(all)}});
}

awaitable<web::answer> show_type(web::call& c) {
    const web::parameters none{c.in, {}};
    const auto at = office_of(c);
    co_await at.home.ready();
    co_return web::json_answer(json_of(need_type(at.core, c.part("type"))));
}

awaitable<web::answer> pause_type(web::call& c) {
    auto done = co_await set_paused(c, true);
    co_return done;
}

awaitable<web::answer> resume_type(web::call& c) {
    auto done = co_await set_paused(c, false);
    co_return done;
}

awaitable<web::answer> count_type(web::call& c) {
    const web::parameters query{c.in, count_parameters};
    constexpr std::array<std::string_view, 1> words{"all"};
    const auto said = query.text("by_stage");
    if (said) web::choice_of(*said, words, "by_stage");
    const auto most = said ? std::numeric_limits<std::size_t>::max() : most_looked_at;
    const auto at = office_of(c);
    co_await at.home.ready();
    const auto type = need_type(at.core, c.part("type"));
    const auto queue = co_await queue_of(c, type.name);
    const auto stages = co_await count_stages(c, at, type.name, most);
    json::object by_stage;
    for (const auto& [stage, n] : stages.by_stage) by_stage[stage] = n;
    const auto delayed = queue.count(state::delayed) + queue.count(state::retry);
    co_return web::json_answer(json::object{
        {"pending", queue.count(state::ready) + queue.count(state::waiting) + delayed},
        {"delayed", delayed},
        {"processing", queue.count(state::working)},
        {"success", queue.count(state::success)},
        {"failed", queue.count(state::dead) + queue.count(state::cancelled) + queue.count(state::expired)},
        {"by_stage", std::move(by_stage)},
        {"by_stage_complete", stages.complete},
        {"oldest_pending_ms", queue.oldest ? json::value{queue.oldest->count()} : json::value{}}});
}

awaitable<web::answer> delete_type(web::call& c) {
    const web::parameters query{c.in, delete_parameters};
    constexpr std::array<std::string_view, 2> words{"true", "false"};
    const auto said = query.text("cancel");
    const bool cancel = said && web::choice_of(*said, words, "cancel") == 0;
    const auto at = office_of(c);
    co_await at.home.ready();
    const auto type = need_type(at.core, c.part("type"));
    const auto inspect = c.at.app().inspect();
    for (const auto where : unfinished) {
        const task_filter which{.state = where, .queue = type.name, .handler = type.name};
        if (cancel) {
            co_await inspect.repair_all(which, repair::cancel, {});
            continue;
        }
        const auto page = co_await list_page(at.home.tasks(), which, {}, 1, list_order::oldest_first);
        if (!page.tasks.empty())
            throw conflict(
                "the type has tasks that have not ended: let them end, or cancel them with ?cancel=true");
    }
    co_await change_type(at, type.name, [](const stored_type& seen) -> std::optional<new_type> {
        if (!seen.rules) throw no_such_type();
        return std::nullopt;
    });
    co_return web::json_answer(json::object{{"name", type.name}, {"deleted", true}});
}

}  // namespace errand::flow
