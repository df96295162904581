// Plans: tasks that wait for each other, accepted all or none.
#include <errand/proxy.hpp>

#include "client/plan_steps.hpp"
#include "client/submission_span.hpp"
#include "client/submit_steps.hpp"
#include "runtime/app_core.hpp"
#include "runtime/caller_loop.hpp"
#include "service/at_once.hpp"
#include "service/calls.hpp"
#include "service/plan_order.hpp"
#include "service/refusal.hpp"
#include "service/submission.hpp"
#include "service/values.hpp"

#include <boost/json/array.hpp>
#include <boost/json/object.hpp>

#include <algorithm>
#include <array>

namespace errand::web {

namespace json = boost::json;

namespace {

constexpr std::size_t most_tasks = 500;

constexpr std::array plan_members{
    field{
        "tasks", kind::planned,
        "1 to 500 tasks, in any order, each as `POST /v1/{namespace}/tasks` takes it, with what tells of the others: "
        "`name`, `after_names`, `result_of`, `group`. See [Plans](#plans)",
        true},
};

constexpr std::array own_members{
    field{"name", kind::text, "What others of this plan call it, 1 to 255 bytes"},
    field{"after_names", kind::texts, "Tasks of this plan that it waits for, by their names"},
    field{
        "result_of", kind::text,
        "The task of this plan, by its name, whose result is its first argument: it waits for that one, and `args` are "
        "the arguments that follow"},
    field{
        "group", kind::texts,
        "In place of a handler: a group of these tasks of this plan, by their names. It succeeds once all have, and its "
        "result is the array of theirs, in this order. Only with `name`"},
};

struct planned {
    std::string name{};
    std::string path{};
    detail::draft call{};
    std::vector<std::size_t> after{};  // places in the request
    bool is_group = false;
    bool takes_result = false;
};

using names = std::map<std::string, std::size_t, std::less<>>;

names read_names(const json::array& items) {
    constexpr std::size_t longest = 255;
    names all;
    for (std::size_t i = 0; i < items.size(); ++i) {
        const auto path = "tasks[" + std::to_string(i) + ']';
        const auto* object = items[i].if_object();
        if (!object) throw bad_request("a task is to be an object", path);
        const members given{*object, planned_fields(), path};
        const auto name = given.text("name");
        if (!name) continue;
        if (name->empty() || name->size() > longest)
            throw bad_request("a name has 1 to 255 bytes", given.path_of("name"));
        if (!all.emplace(*name, i).second)
            throw bad_request("two tasks of the plan have this name", given.path_of("name"));
    }
    return all;
}

std::size_t place_of(const names& all, const std::string& name, const std::string& path) {
    const auto at = all.find(name);
    if (at == all.end()) throw bad_request("no task of the plan has the name \"" + name + '"', path);
    return at->second;
}

void add_places(const names& all, const members& given, std::string_view member, planned& to) {
    const auto wanted = given.texts(member);
    for (std::size_t i = 0; i < wanted.size(); ++i)
        to.after.push_back(place_of(all, wanted[i], given.path_of(member) + '[' + std::to_string(i) + ']'));
}

void read_group(call& c, const names& all, const members& given, planned& to) {
    for (const auto& one : planned_fields()) {
        if (one.name != "name" && one.name != "group" && given.has(one.name))
            throw bad_request("a group is its members alone", given.path_of(one.name));
    }
    add_places(all, given, "group", to);
    if (to.after.empty()) throw bad_request("a group has members", given.path_of("group"));
    to.is_group = true;
    to.call = group_call(detail::core_of(c.at.app()), 0);
}

planned read_planned(call& c, const names& all, const json::object& from, std::string path) {
    const members given{from, planned_fields(), path};
    planned one{.name = given.text("name").value_or(""), .path = std::move(path)};
    if (given.has("group")) {
        read_group(c, all, given, one);
        return one;
    }
    if (!given.has("handler")) throw bad_request("this member is needed", given.path_of("handler"));
    one.call = read_submission(c.at.app(), c.in, given);
    add_places(all, given, "after_names", one);
    if (const auto before = given.text("result_of")) {
        const auto place = place_of(all, *before, given.path_of("result_of"));
        std::erase(one.after, place);
        one.after.push_back(place);
        one.takes_result = true;
        if (one.call.extra->on_failed_dependency == dependency_rule::run)
            throw bad_request("it would run without the result that it is given",
                              given.path_of("on_failed_dependency"));
    }
    return one;
}

// A task is not to wait for itself, by whatever way.
void refuse_cycle(const std::vector<planned>& all, std::size_t at) {
    throw bad_request("it waits for what waits for it", all[at].path);
}

std::vector<planned> in_order(std::vector<planned> all, std::vector<std::size_t>& places) {
    std::vector<std::vector<std::size_t>> after;
    for (const auto& one : all) after.push_back(one.after);
    std::optional<std::size_t> cycle;
    places = plan_order(after, cycle);
    if (cycle) refuse_cycle(all, *cycle);
    std::vector<std::size_t> now(all.size());
    for (std::size_t i = 0; i < places.size(); ++i) now[places[i]] = i;
    std::vector<planned> sorted;
    for (const auto place : places) {
        auto& one = all[place];
        for (auto& parent : one.after) parent = now[parent];
        sorted.push_back(std::move(one));
    }
    return sorted;
}

prepared_submission ready_to_go(planned& one, const std::vector<prepared_submission>& before) {
    const bool runs = one.call.extra && one.call.extra->on_failed_dependency == dependency_rule::run;
    const bool waits = one.call.extra && one.call.extra->on_failed_dependency == dependency_rule::wait;
    auto ready = prepare(std::move(one.call));
    // A rule that is said counts although what it is about is known to the plan alone.
    if (runs) ready.body.rule = on_failed::run;
    if (waits) ready.body.rule = on_failed::wait;
    if (one.is_group) ready.body.rule = on_failed::gather;
    for (const auto parent : one.after) wait_for(ready, before[parent].id);
    ready.body.takes_result = one.takes_result;
    keep_for_others(ready);
    return ready;
}

// Of another number of tasks it is another plan.
std::string key_in_plan(const std::string& key, std::size_t tasks, std::size_t place) {
    return key + "\nplan\n" + std::to_string(tasks) + '\n' + std::to_string(place);
}

struct plan_request {
    std::vector<planned> tasks;
    std::vector<std::size_t> places;  // where they stood
    std::optional<std::string> key;
};

awaitable<std::vector<prepared_submission>> prepared(call& c, plan_request& from) {
    std::vector<prepared_submission> all;
    auto& core = detail::core_of(c.at.app());
    for (std::size_t i = 0; i < from.tasks.size(); ++i) {
        auto& one = from.tasks[i];
        std::exception_ptr failed;
        try {
            if (from.key && !one.is_group) refuse_biz_id_of(one.call);
            if (!core.submit_wrappers.empty() && !one.is_group)
                one.call = co_await detail::wrapped(std::move(one.call));
            // What its first argument will be is not known, and so neither are its keys.
            if (one.takes_result) one.call.keys.emplace();
            all.push_back(ready_to_go(one, all));
        } catch (...) {
            failed = std::current_exception();
        }
        if (failed) throw refusal_of(failed, true, one.path);
        auto& ready = all.back();
        if (!from.key || ready.body.biz_id) continue;
        ready.conflict = on_conflict::where_free;
        ready.id = keyed_id(ready, key_in_plan(*from.key, from.tasks.size(), from.places[i]));
    }
    co_return all;
}

struct accepted {
    std::string id;
    bool created = false;
};

// Of a plan that was accepted as one step and comes again: all of it is there, or was. Nothing: it is new.
awaitable<std::vector<accepted>> accepted_before(call& c, const std::vector<prepared_submission>& all) {
    std::vector<std::optional<task_info>> there(all.size());
    co_await at_once(all.size(), [&](std::size_t i) -> awaitable<void> {
        there[i] = co_await c.at.app().find(to_text(all[i].id));
    });
    std::vector<accepted> known;
    if (std::ranges::none_of(there, [](const auto& one) { return one.has_value(); })) co_return known;
    for (std::size_t i = 0; i < all.size(); ++i) {
        if (there[i]) check_same(*there[i], {.handler = all[i].body.handler, .args = all[i].body.args});
        known.push_back({to_text(all[i].id), false});
    }
    co_return known;
}

awaitable<std::vector<accepted>> accepted_now(call& c, const plan_request& from,
                                              std::vector<prepared_submission> all) {
    auto& core = detail::core_of(c.at.app());
    const bool by_key =
        from.key && std::ranges::none_of(all, [](const auto& one) { return one.body.biz_id.has_value(); });
    if (by_key && is_one_step(all)) {
        auto known = co_await accepted_before(c, all);
        if (!known.empty()) co_return known;
    }
    const auto executor = co_await boost::asio::this_coro::executor;
    const auto seen = trace_submission(core, ambient_of(executor), all);
    const auto sent = co_await on_loop(caller_loop(executor, core),
                                       [&](loop& there) { return send_plan(there, core, all); });
    if (sent.refused) throw refusal_of(sent.refused, true, sent.at ? from.tasks[*sent.at].path : "");
    std::vector<accepted> done;
    for (const auto& one : sent.tasks) done.push_back({detail::id_text(one), !detail::is_duplicate(one)});
    co_return done;
}

}  // namespace

const fields plan_fields{plan_members};

fields planned_fields() {
    static const auto all = [] {
        std::vector<field> both{own_members.begin(), own_members.end()};
        both.insert(both.end(), submission_fields.begin(), submission_fields.end());
        for (auto& one : both) one.required = false;
        return both;
    }();
    return all;
}

awaitable<answer> submit_plan(call& c) {
    const parameters none{c.in, {}};
    const auto body = body_object(c.in);
    const members given{body, plan_members};
    const auto& items = *given.array("tasks");
    if (items.empty() || items.size() > most_tasks)
        throw bad_request("\"tasks\" is to be an array of 1 to 500 tasks", "tasks");
    const auto names = read_names(items);
    std::vector<planned> read;
    for (std::size_t i = 0; i < items.size(); ++i)
        read.push_back(read_planned(c, names, items[i].get_object(), "tasks[" + std::to_string(i) + ']'));
    plan_request from{.tasks = {}, .places = {}, .key = key_of(c.in)};
    from.tasks = in_order(std::move(read), from.places);
    auto all = co_await prepared(c, from);
    const auto done = co_await accepted_now(c, from, std::move(all));
    json::array tasks(items.size());
    bool created = false;
    for (std::size_t i = 0; i < done.size(); ++i) {
        json::object one{{"id", done[i].id}, {"created", done[i].created}};
        if (!from.tasks[i].name.empty()) one["name"] = from.tasks[i].name;
        tasks[from.places[i]] = std::move(one);
        created = created || done[i].created;
    }
    co_return json_answer(json::object{{"tasks", std::move(tasks)}}, created ? 201 : 200);
}

}  // namespace errand::web
