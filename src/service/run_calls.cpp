// What is done to all tasks that match, by the service: begun, looked at, stopped. It is the console's, too.
#include "runtime/app_core.hpp"
#include "service/calls.hpp"
#include "service/console/filter.hpp"
#include "service/console/office.hpp"
#include "service/refusal.hpp"
#include "service/target.hpp"
#include "service/values.hpp"

#include <boost/json/array.hpp>
#include <boost/json/object.hpp>

#include <spdlog/logger.h>

#include <array>

namespace errand::web {

namespace json = boost::json;

namespace {

constexpr std::array bulk_members{
    field{
        "action", kind::text,
        "Of tasks: `run_now` (delayed and retrying ones are due now), `revive`, `cancel`, `remove`. Of the store: `check` "
        "(whether all that it keeps agrees with itself), `repair` (and what does not is put right)",
        true},
    field{"state", kind::text,
          "Tasks in this state; needed but for `check` and `repair`, which take none of these"},
    field{"queue", kind::text, "Only of this queue"},
    field{"handler", kind::text, "Only of this handler, by its wire name"},
    field{"biz_id", kind::text, "Only with this biz_id"},
    field{"tag", kind::text, "Only with this tag"},
    field{"error", kind::text, "Only with this in the type or text of the last error"},
    field{"dry_run", kind::boolean, "Only counts (false)"},
    field{"most", kind::integer, "So many at most (all)"},
    field{"rate", kind::integer, "So many a second (as fast as it goes)"},
};

void write_down(call& c, const std::string& what, const std::string& on, const std::string& came) {
    auto& core = detail::core_of(c.at.app());
    core.log->info("{} {} {}: {} (request {})", c.in.who.empty() ? "somebody" : c.in.who, what, on, came,
                   c.in.id);
    console::office_of(c.at.shared())
        .actions.add({.at = {}, .who = c.in.who, .request = c.in.id, .what = what, .on = on, .came = came});
}

refusal no_such_run() {
    return not_found("this service knows no such run: it was of another one, or is long over");
}

// Without what pages alone need.
json::object run_document(const json::value& of) {
    json::object one = of.as_object();
    one.erase("state_of_tasks");
    return one;
}

json::value need_run(call& c) {
    auto found = console::office_of(c.at.shared()).bulk.document_of(c.part("run"));
    if (!found.is_object()) throw no_such_run();
    return found;
}

}  // namespace

const fields run_fields{bulk_members};

awaitable<answer> start_run(call& c) {
    const parameters none{c.in, {}};
    const auto body = body_object(c.in);
    const members given{body, bulk_members};
    console::run_order what{.action = *given.text("action"), .who = c.in.who, .request = c.in.id};
    const bool of_store = what.action == "check" || what.action == "repair";
    if (!of_store && !console::repair_named(what.action))
        throw bad_request("there is run_now, revive, cancel, remove, check and repair", "action");
    if (of_store && given.has("state")) throw bad_request("the store is checked as a whole", "state");
    if (!of_store && !given.has("state")) throw bad_request("say of which state", "state");
    for (const auto* name : {"queue", "handler", "biz_id", "tag", "error", "dry_run", "most", "rate"}) {
        if (of_store && given.has(name)) throw bad_request("the store is checked as a whole", name);
    }
    for (const auto* name : {"queue", "handler", "biz_id", "tag", "error"}) {
        // Of the filter it would mean all, which nobody says who was to fill in one.
        if (given.text(name) == "") throw bad_request("an empty text is none: leave it out for all", name);
    }
    what.which = console::filter_of(given);
    what.dry_run = given.flag("dry_run").value_or(false);
    what.most = static_cast<std::size_t>(given.integer("most", 1, 1'000'000'000).value_or(0));
    what.rate = static_cast<std::size_t>(given.integer("rate", 1, 1'000'000).value_or(0));
    auto& office = console::office_of(c.at.shared());
    const auto on = of_store ? std::string{"the store"} : std::string{to_string(what.which.state)} + " tasks";
    const auto name = (what.dry_run ? "begin to count for " : "begin to ") + what.action;
    const auto id = office.bulk.start(std::move(what));
    write_down(c, name, on, "run " + id);
    auto out = json_answer(run_document(office.bulk.document_of(id)), 202);
    out.headers.push_back({"Location", "/v1/" + percent_encoded(c.part("namespace")) + "/runs/" + id});
    co_return out;
}

awaitable<answer> list_runs(call& c) {
    const parameters none{c.in, {}};
    json::array all;
    for (const auto& one : console::office_of(c.at.shared()).bulk.document())
        all.emplace_back(run_document(one));
    co_return json_answer(json::object{{"runs", std::move(all)}});
}

awaitable<answer> show_run(call& c) {
    const parameters none{c.in, {}};
    co_return json_answer(run_document(need_run(c)));
}

awaitable<answer> stop_run(call& c) {
    const parameters none{c.in, {}};
    need_run(c);
    const bool stopped = console::office_of(c.at.shared()).bulk.stop(c.part("run"));
    write_down(c, "stop", "run " + c.part("run"), stopped ? "done" : "it had ended");
    co_return json_answer(run_document(need_run(c)));
}

}  // namespace errand::web
