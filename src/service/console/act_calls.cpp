// What an operator does. Each is written down: who, what, to what, and what came of it.
#include <errand/detail/json_read.hpp>
#include <errand/error.hpp>
#include <errand/schedule.hpp>

#include "core/utf8.hpp"
#include "runtime/app_core.hpp"
#include "service/calls.hpp"
#include "service/console/calls.hpp"
#include "service/console/filter.hpp"
#include "service/console/office.hpp"
#include "service/refusal.hpp"
#include "service/values.hpp"

#include <boost/json/array.hpp>
#include <boost/json/object.hpp>

#include <spdlog/logger.h>

#include <algorithm>
#include <array>
#include <optional>

namespace errand::console {

namespace json = boost::json;

namespace {

constexpr std::size_t most_named = 200;

constexpr std::array act_members{
    web::field{"action", web::kind::text, "run_now, revive, cancel, remove or reschedule", true},
    web::field{"ids", web::kind::texts, "Of which tasks, 200 at most", true},
    web::field{"at", web::kind::instant, "Of reschedule: due then"},
};
constexpr std::array edit_members{
    web::field{"id", web::kind::text, "Which task", true},
    web::field{"args", web::kind::text,
               "Other arguments: the text of a JSON array, in which numbers stay as they are"},
    web::field{"priority", web::kind::integer, "0 to 9"},
    web::field{"at", web::kind::instant, "Due then"},
};
constexpr std::array switch_members{
    web::field{"action", web::kind::text, "pause, resume; of schedules also cancel and run", true},
    web::field{"of", web::kind::text, "Which queue, handler, or schedule by its id", true},
};
constexpr std::array run_members{
    web::field{"action", web::kind::text,
               "run_now, revive, cancel, remove, reschedule; check or repair of the store", true},
    web::field{"at", web::kind::instant, "Of reschedule: due then; a dry run needs none"},
    web::field{"state", web::kind::text, "Of tasks in this state"},
    web::field{"queue", web::kind::text, "Only of this queue"},
    web::field{"handler", web::kind::text, "Only of this handler"},
    web::field{"biz_id", web::kind::text, "Only with this biz_id"},
    web::field{"tag", web::kind::text, "Only with this tag"},
    web::field{"error", web::kind::text, "Only with this in the last error"},
    web::field{"cause", web::kind::text, "Only with this cause, as failures are grouped by"},
    web::field{"dry_run", web::kind::boolean, "Only counts"},
    web::field{"most", web::kind::integer, "So many at most"},
    web::field{"rate", web::kind::integer, "So many a second"},
};
constexpr std::array stop_members{web::field{"id", web::kind::text, "Which run", true}};

void write_down(web::call& c, std::string what, std::string on, std::string came) {
    auto& core = detail::core_of(c.at.app());
    core.log->info("console: {} {} {}: {} (request {})", c.in.who.empty() ? "somebody" : c.in.who, what, on,
                   came, c.in.id);
    auto& office = office_of(c.at.shared());
    office.whole.forget();
    office.streams.hurry();
    office.actions.add({.who = c.in.who,
                        .request = c.in.id,
                        .what = std::move(what),
                        .on = std::move(on),
                        .came = std::move(came)});
}

repair need_repair(const std::string& action) {
    const auto what = repair_named(action);
    if (!what) throw web::bad_request("there is run_now, revive, cancel, remove and reschedule", "action");
    return *what;
}

// "pause" of what else may be done.
std::string need_action(const web::members& given, std::initializer_list<std::string_view> known) {
    auto action = given.text("action").value_or("");
    if (std::ranges::find(known, action) == known.end())
        throw web::bad_request("there is no such action here", "action");
    return action;
}

web::answer done(bool changed) { return web::json_answer(json::object{{"changed", changed}}); }

}  // namespace

const web::fields act_fields{act_members};
const web::fields edit_fields{edit_members};
const web::fields switch_fields{switch_members};
const web::fields run_fields{run_members};
const web::fields stop_fields{stop_members};

awaitable<web::answer> act_on_tasks(web::call& c) {
    const auto body = web::body_object(c.in);
    const web::members given{body, act_fields};
    const auto action = given.text("action").value_or("");
    const auto due_at = given.instant("at");
    const bool moves = action == "reschedule";
    if (moves && !due_at) throw web::bad_request("say when they are due", "at");
    const auto what = moves ? std::nullopt : std::optional{need_repair(action)};
    const auto ids = given.texts("ids");
    if (ids.empty() || ids.size() > most_named)
        throw web::bad_request("name 1 to 200 tasks; more are a run", "ids");
    json::array results;
    std::size_t changed = 0;
    for (const auto& id : ids) {
        bool did = false;
        if (what) {
            did = co_await act_on(c.at.app().inspect(), *what, id);
        } else {
            did = co_await c.at.app().inspect().reschedule(id, *due_at);
        }
        const auto task = co_await c.at.app().find(id);
        changed += did ? 1U : 0U;
        results.push_back(json::object{
            {"id", id},
            {"done", did},
            {"state", task ? json::value{to_string(task->state)} : json::value{}}});
    }
    write_down(c, action, ids.size() == 1 ? "task " + ids.front() : std::to_string(ids.size()) + " tasks",
               ids.size() == 1 ? (changed > 0 ? "done" : "it was in no state for that")
                               : std::to_string(changed) + " of them");
    co_return web::json_answer(json::object{{"results", std::move(results)}, {"changed", changed}});
}

awaitable<web::answer> edit_task(web::call& c) {
    const auto body = web::body_object(c.in);
    const web::members given{body, edit_fields};
    const auto id = given.text("id").value_or("");
    task_change what{.due_at = given.instant("at")};
    if (const auto priority = given.integer("priority", 0, 9)) what.priority = static_cast<int>(*priority);
    if (const auto text = given.text("args")) {
        const auto args = detail::parse_json(*text, "args");
        if (!args.is_array()) throw web::bad_request("arguments are a JSON array", "args");
        what.args = args.as_array();
    }
    const bool only_due = what.due_at && !what.args && !what.priority;
    const auto in = c.at.app().inspect();
    bool changed = false;
    if (only_due) {
        changed = co_await in.reschedule(id, *what.due_at);
    } else {
        changed = co_await in.change(id, std::move(what));
    }
    if (!changed) {
        throw web::refusal{409, "conflict",
                           only_due
                               ? "it runs, has ended or is not there: its due time stays"
                               : "it has started before or is not there: what it was submitted with stays"};
    }
    write_down(c, only_due ? "reschedule" : "change", "task " + id, "done");
    co_return done(true);
}

awaitable<web::answer> switch_queue(web::call& c) {
    const auto body = web::body_object(c.in);
    const web::members given{body, switch_fields};
    const auto action = need_action(given, {"pause", "resume"});
    const auto queue = given.text("of").value_or("");
    const auto in = c.at.app().inspect();
    bool changed = false;
    if (action == "pause") {
        changed = co_await in.pause(queue);
    } else {
        changed = co_await in.resume(queue);
    }
    write_down(c, action, "queue " + queue, changed ? "done" : "it was so already");
    co_return done(changed);
}

awaitable<web::answer> switch_handler(web::call& c) {
    const auto body = web::body_object(c.in);
    const web::members given{body, switch_fields};
    const auto action = need_action(given, {"pause", "resume"});
    const auto handler = given.text("of").value_or("");
    const auto seen = co_await c.at.app().settings_of(handler);
    auto settings = seen.settings;
    const bool changed = settings.paused != (action == "pause");
    settings.paused = action == "pause";
    if (changed) {
        co_await c.at.app().configure(handler, std::move(settings),
                                      {.version = seen.version, .by = "console " + c.in.who});
    }
    write_down(c, action, "handler " + handler, changed ? "done" : "it was so already");
    co_return done(changed);
}

awaitable<web::answer> switch_schedule(web::call& c) {
    const auto body = web::body_object(c.in);
    const web::members given{body, switch_fields};
    const auto action = need_action(given, {"pause", "resume", "cancel", "run"});
    const auto which = given.text("of").value_or("");
    const auto one = co_await c.at.app().find_schedule(which);
    if (!one) throw web::not_found("no schedule has this id");
    bool changed = true;
    json::object document;
    if (action == "pause") {
        changed = co_await one->pause();
    } else if (action == "resume") {
        changed = co_await one->resume();
    } else if (action == "cancel") {
        changed = co_await one->cancel();
    } else {
        const auto task = co_await one->run_now();
        document["task"] = task.id();
    }
    document["changed"] = changed;
    write_down(c, action, "schedule " + which, changed ? "done" : "it was so already");
    co_return web::json_answer(document);
}

awaitable<web::answer> start_run(web::call& c) {
    const auto body = web::body_object(c.in);
    const web::members given{body, run_fields};
    const auto action = given.text("action").value_or("");
    const bool of_store = action == "check" || action == "repair";
    const bool moves = action == "reschedule";
    if (!of_store && !moves) need_repair(action);
    run_order what{.action = action, .who = c.in.who, .request = c.in.id};
    if (!of_store && !given.has("state")) throw web::bad_request("say of which state", "state");
    what.which = filter_of(given);
    what.cause = given.text("cause").value_or("");
    const auto* dry = given.any("dry_run");
    if (dry && !dry->is_bool() && !dry->is_null()) throw web::bad_request("true or false", "dry_run");
    what.dry_run = dry && dry->is_bool() && dry->as_bool();
    what.due_at = given.instant("at");
    if (moves && !what.due_at && !what.dry_run) throw web::bad_request("say when they are due", "at");
    if (moves && !may_be_rescheduled(what.which.state))
        throw web::bad_request("what runs or has ended is not due any more", "state");
    what.most = static_cast<std::size_t>(given.integer("most", 0, 1'000'000'000).value_or(0));
    what.rate = static_cast<std::size_t>(given.integer("rate", 0, 1'000'000).value_or(0));
    auto& office = office_of(c.at.shared());
    const auto on = of_store ? std::string{"the store"} : std::string{to_string(what.which.state)} + " tasks";
    const auto name = (what.dry_run ? "begin to count for " : "begin to ") + action;
    const auto id = office.bulk.start(std::move(what));
    write_down(c, name, on, "run " + id);
    co_return web::json_answer(office.bulk.document_of(id), 202);
}

awaitable<web::answer> stop_run(web::call& c) {
    const auto body = web::body_object(c.in);
    const web::members given{body, stop_fields};
    auto& office = office_of(c.at.shared());
    const auto id = given.text("id").value_or("");
    const bool stopped = office.bulk.stop(id);
    write_down(c, "stop", "run " + id, stopped ? "done" : "it had ended");
    co_return done(stopped);
}

}  // namespace errand::console
