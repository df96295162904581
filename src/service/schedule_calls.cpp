// Recurring tasks: declared, looked at, paused and made up for.
#include <errand/detail/engine.hpp>
#include <errand/error.hpp>
#include <errand/handle.hpp>
#include <errand/schedule.hpp>

#include "runtime/app_core.hpp"
#include "service/calls.hpp"
#include "service/info_json.hpp"
#include "service/refusal.hpp"
#include "service/target.hpp"
#include "service/task_options.hpp"
#include "service/values.hpp"

#include <boost/json/array.hpp>
#include <boost/json/object.hpp>
#include <boost/json/serialize.hpp>

#include <array>
#include <limits>

namespace errand::web {

namespace json = boost::json;

namespace {

constexpr std::array<std::string_view, 4> schedule_states{"active", "paused", "finished", "cancelled"};

constexpr std::array schedule_parameters{
    field{"handler", kind::text, "Only of this handler, by its wire name"},
    field{"state", kind::text, "Only `active`, `paused`, `finished` or `cancelled`"},
    field{"limit", kind::integer, "So many at most, 1 to 1000 (100)"},
    field{"cursor", kind::text, "`next` of the page before"},
};

constexpr std::array schedule_members{
    field{"handler", kind::text, "The wire name of the handler", true},
    field{"args", kind::array, "The arguments of its runs, in order. `[]` when left out"},
    field{
        "key", kind::text,
        "What tells it from other schedules of the handler: declared again it is changed. Without: made of timing and "
        "arguments"},
    field{"every_ms", kind::integer, "The interval. This or `cron`"},
    field{
        "mode", kind::text,
        "Of `every_ms`: `blocking_interval` (the interval begins when a run has ended), `fixed_rate` or `once` "
        "(`blocking_interval`)"},
    field{"cron", kind::text, "A line as [schedules.md](schedules.md) says"},
    field{"timezone", kind::text, "Of `cron`, as `Europe/Berlin` (UTC)"},
    field{"begin", kind::instant, "No tick before it"},
    field{"end", kind::instant, "No tick at it or after it"},
    field{"max_runs", kind::integer, "It is finished after so many"},
    field{
        "overlap", kind::text,
        "What a tick does while the last run has not ended: `allow`, `skip`, `queue_one` or `cancel_running` (`allow`)"},
    field{"missed", kind::text,
          "What becomes of ticks that nobody fired in time: `run_once`, `run_all` or `skip` (`run_once`)"},
    field{
        "missed_cap", kind::integer,
        "How many of them `run_all` runs, 1 to 1000 (100); where runs may not overlap it runs the newest alone"},
    field{"jitter_ms", kind::integer, "A run is put off by up to so much (0)"},
    field{"paused", kind::boolean, "It begins paused; nothing to one that is there (false)"},
    field{"pause_on_dead", kind::boolean, "A run that ends dead pauses it (false)"},
    field{"run", kind::object,
          "What its runs do otherwise than the policy: `queue`, `priority`, `timeout_ms`, `max_retry`, "
          "`expires_after_ms`, `retention_ms`, `headers`, `tags`"},
};

constexpr std::array run_members{
    field{"queue", kind::text, "The queue"},
    priority_member,
    timeout_member,
    retries_member,
    expires_member,
    retention_member,
    headers_member,
    tags_member,
};

constexpr std::array backfill_members{
    field{"from", kind::instant, "The first tick is not before it", true},
    field{"to", kind::instant, "The last one is before it", true},
};

constexpr std::array<std::string_view, 3> mode_names{"blocking_interval", "fixed_rate", "once"};
constexpr std::array<std::string_view, 4> overlap_names{"allow", "skip", "queue_one", "cancel_running"};
constexpr std::array<std::string_view, 3> missed_names{"run_once", "run_all", "skip"};

// The one of these that is named; nullopt: none is.
template <class T, std::size_t N>
std::optional<T> choice_in(const members& given, std::string_view name,
                           const std::array<std::string_view, N>& names) {
    const auto text = given.text(name);
    if (!text) return std::nullopt;
    return static_cast<T>(choice_of(*text, names, given.path_of(name)));
}

options runs_of(const members& given) {
    options run;
    const auto* object = given.object("run");
    if (!object) return run;
    const members of{*object, run_members, given.path_of("run")};
    read_task_options(of, run);
    return run;
}

void set_timing(detail::schedule_draft& one, const members& given) {
    const auto every = given.length("every_ms");
    one.cron = given.text("cron");
    if (every.has_value() == one.cron.has_value())
        throw bad_request("give one of \"every_ms\" and \"cron\"", given.path_of("every_ms"));
    const auto mode = choice_in<schedule_mode>(given, "mode", mode_names);
    if (one.cron && mode) throw bad_request("\"mode\" goes with \"every_ms\"", given.path_of("mode"));
    if (mode) one.how.mode = *mode;
    one.how.timezone = given.text("timezone").value_or("");
    if (every) one.interval = *every;
}

detail::schedule_draft read_schedule(errand::app& app, const json::object& from) {
    const members given{from, schedule_members};
    detail::schedule_draft one;
    one.run.app = &detail::core_of(app);
    one.run.wire_name = *given.text("handler");
    if (one.run.wire_name.empty())
        throw bad_request("the name of a handler is not empty", given.path_of("handler"));
    const auto* args = given.array("args");
    one.run.args = args ? json::serialize(*args) : "[]";
    set_timing(one, given);
    auto& how = one.how;
    how.key = given.text("key").value_or("");
    how.begin = given.instant("begin");
    how.end = given.instant("end");
    how.max_runs = given.integer("max_runs", 1, std::numeric_limits<std::int64_t>::max());
    how.overlap = choice_in<overlap_rule>(given, "overlap", overlap_names).value_or(how.overlap);
    how.missed = choice_in<missed_rule>(given, "missed", missed_names).value_or(how.missed);
    how.missed_cap = static_cast<int>(given.integer("missed_cap", 1, 1000).value_or(how.missed_cap));
    how.jitter = given.length("jitter_ms").value_or(how.jitter);
    how.paused = given.flag("paused").value_or(false);
    how.pause_on_dead = given.flag("pause_on_dead").value_or(false);
    how.run = runs_of(given);
    return one;
}

awaitable<schedule> need_schedule(call& c) {
    auto found = co_await c.at.app().find_schedule(c.part("schedule"));
    if (!found) throw not_found("no schedule has this id: it never was, or is no longer kept");
    co_return *found;
}

awaitable<answer> schedule_answer(const schedule& of) {
    auto document = errand::json_of(co_await of.info());
    json::array ticks;
    for (const auto& tick : co_await of.upcoming()) ticks.emplace_back(errand::json_of(std::optional{tick}));
    document["upcoming"] = std::move(ticks);
    co_return json_answer(document);
}

enum class schedule_switch : unsigned char { pause, resume, cancel };

awaitable<answer> switch_schedule(call& c, schedule_switch how) {
    const parameters none{c.in, {}};
    const auto of = co_await need_schedule(c);
    bool changed = false;
    switch (how) {
    case schedule_switch::pause: changed = co_await of.pause(); break;
    case schedule_switch::resume: changed = co_await of.resume(); break;
    case schedule_switch::cancel: changed = co_await of.cancel(); break;
    }
    const auto seen = co_await of.info();
    co_return json_answer(json::object{
        {"id", seen.id}, {"state", to_string(seen.state)}, {"changed", changed}});
}

}  // namespace

const fields schedule_query{schedule_parameters};
const fields schedule_fields{schedule_members};
const fields backfill_fields{backfill_members};

awaitable<answer> list_schedules(call& c) {
    const parameters given{c.in, schedule_parameters};
    schedule_filter which;
    which.handler = given.text("handler").value_or("");
    if (const auto state = given.text("state"))
        which.state = static_cast<schedule_state>(choice_of(*state, schedule_states, "state"));
    which.limit = static_cast<std::size_t>(given.integer("limit", 1, 1000).value_or(100));
    const auto page = co_await c.at.app().schedules(which, given.text("cursor").value_or(""));
    co_return json_answer(json::object{{"schedules", json_array_of(page.schedules)},
                                       {"next", page.next.empty() ? json::value{} : json::value{page.next}}});
}

awaitable<answer> show_schedule(call& c) {
    const parameters none{c.in, {}};
    const auto of = co_await need_schedule(c);
    co_return co_await schedule_answer(of);
}

awaitable<answer> pause_schedule(call& c) { return switch_schedule(c, schedule_switch::pause); }
awaitable<answer> resume_schedule(call& c) { return switch_schedule(c, schedule_switch::resume); }
awaitable<answer> cancel_schedule(call& c) { return switch_schedule(c, schedule_switch::cancel); }

awaitable<answer> run_schedule(call& c) {
    const parameters none{c.in, {}};
    const auto of = co_await need_schedule(c);
    const auto run = co_await of.run_now();
    co_return json_answer(json::object{{"id", run.id()}}, 201);
}

awaitable<answer> declare_schedule(call& c) {
    const parameters none{c.in, {}};
    const auto body = body_object(c.in);
    auto one = read_schedule(c.at.app(), body);
    const auto made = co_await detail::declare_schedule(std::move(one));
    auto out = co_await schedule_answer(made);
    out.headers.push_back({"Location",
                           "/v1/" + percent_encoded(c.part("namespace")) + "/schedules/" + made.id()});
    co_return out;
}

awaitable<answer> backfill_schedule(call& c) {
    const parameters none{c.in, {}};
    const auto body = body_object(c.in);
    const members given{body, backfill_members};
    const auto of = co_await need_schedule(c);
    const auto runs = co_await of.backfill(*given.instant("from"), *given.instant("to"));
    co_return json_answer(json::object{{"id", of.id()}, {"runs", runs}});
}

}  // namespace errand::web
