// Plans: tasks that wait for each other, accepted all or none.
#include <errand/proxy.hpp>

#include "client/plan_steps.hpp"
#include "client/submission_span.hpp"
#include "client/submit_steps.hpp"
#include "core/json_quote.hpp"
#include "runtime/app_core.hpp"
#include "runtime/caller_loop.hpp"
#include "runtime/each_at_once.hpp"
#include "runtime/stored_info.hpp"
#include "service/calls.hpp"
#include "service/plan_order.hpp"
#include "service/queue_bounds.hpp"
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

using named_places = std::map<std::string, std::size_t, std::less<>>;

named_places read_names(const json::array& items) {
    constexpr std::size_t longest = 255;
    named_places all;
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

std::size_t place_of(const named_places& all, const std::string& name, const std::string& path) {
    const auto at = all.find(name);
    if (at == all.end())
        throw bad_request("no task of the plan has the name " + detail::quoted_extract(name), path);
    return at->second;
}

void add_places(const named_places& all, const members& given, std::string_view member, planned& to) {
    const auto wanted = given.texts(member);
    if (wanted.size() > most_tasks)
        throw bad_request("one task names at most 500 others", given.path_of(member));
    for (std::size_t i = 0; i < wanted.size(); ++i)
        to.after.push_back(place_of(all, wanted[i], given.path_of(member) + '[' + std::to_string(i) + ']'));
}

void read_group(call& c, const named_places& all, const members& given, planned& to) {
    for (const auto& one : planned_fields()) {
        if (one.name != "name" && one.name != "group" && given.has(one.name))
            throw bad_request("a group is its members alone", given.path_of(one.name));
    }
    add_places(all, given, "group", to);
    if (to.after.empty()) throw bad_request("a group has members", given.path_of("group"));
    to.is_group = true;
    to.call = group_call(detail::core_of(c.at.app()), 0);
    if (c.in.only_queues.empty()) return;
    // Else who has submitted it could not look at it.
    options extra;
    extra.queue = c.in.only_queues.front();
    to.call.extra = std::make_shared<const options>(std::move(extra));
}

planned read_planned(call& c, const named_places& all, const json::object& from, std::string path) {
    const members given{from, planned_fields(), path};
    planned one{.name = given.text("name").value_or(""), .path = std::move(path)};
    if (given.has("group")) {
        read_group(c, all, given, one);
        return one;
    }
    given.need("handler");
    one.call = read_submission(c.at.app(), c.in, given);
    // The one that has it may be in another queue, and its result would be handed on.
    if (!c.in.only_queues.empty() && given.has("biz_id"))
        throw refusal{403, "forbidden", "in a plan of a token that is for some queues no task has a biz_id",
                      given.path_of("biz_id")};
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

// Groups of groups multiply: a short plan could be of more results than any memory holds.
void check_groups(const std::vector<planned>& sorted) {
    std::vector<std::size_t> results(sorted.size(), 1);
    for (std::size_t i = 0; i < sorted.size(); ++i) {
        const auto& one = sorted[i];
        if (!one.is_group) continue;
        results[i] = 0;
        for (const auto member : one.after) results[i] += results[member];
        if (results[i] > most_tasks) {
            throw bad_request("a group is of at most 500 results, those of the groups in it counted",
                              one.path + ".group");
        }
    }
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

bool is_keyed(const prepared_submission& one) { return !one.body.biz_id; }

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
            co_await check_waited_for(c.at.app(), c.in, one.call, one.path + ".after");
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
        // By its biz_id it may be one of those that it is to wait for.
        if (std::ranges::find(ready.body.after, ready.id) != ready.body.after.end())
            refuse_cycle(from.tasks, i);
        if (!from.key || !is_keyed(ready)) continue;
        ready.conflict = on_conflict::where_free;
        ready.id = keyed_id(ready, key_in_plan(*from.key, from.tasks.size(), from.places[i]));
    }
    co_return all;
}

// What the store has of a task of a plan that may have come before.
enum class standing : unsigned char {
    absent,
    incomplete,  // its submission is under way, or was given up
    kept,
};

// Throws refusal when another task has its id.
awaitable<standing> look_at(loop& there, const prepared_submission& one) {
    const auto found = co_await there.tasks().find(one.id);
    const auto info = found ? info_of(*found) : std::nullopt;
    if (!info) co_return standing::absent;
    check_same(*info, {.handler = one.body.handler, .args = one.body.args});
    const auto text = [](const task_id& id) { return to_text(id); };
    if (!std::ranges::equal(info->after, one.body.after, {}, {}, text)) {
        throw refusal{422, "key_reused",
                      "this Idempotency-Key was used for a plan in which other tasks wait for each other: a "
                      "new plan needs a new key",
                      "Idempotency-Key"};
    }
    co_return found->registering ? standing::incomplete : standing::kept;
}

awaitable<std::vector<standing>> look_at_all(detail::app_core& core,
                                             const std::vector<prepared_submission>& all) {
    const auto executor = co_await boost::asio::this_coro::executor;
    auto& home = caller_loop(executor, core);
    std::vector<standing> seen(all.size(), standing::absent);
    co_await each_at_once(all.size(), [&](std::size_t i) -> awaitable<void> {
        seen[i] = co_await on_loop(home, [&, i](loop& there) { return look_at(there, all[i]); });
    });
    co_return seen;
}

// Those that wait for tasks in other shards are confirmed in order, after all else is there: so the last of them tells. Nothing: none
// does.
std::optional<std::size_t> last_confirmed(const std::vector<prepared_submission>& all) {
    bool crosses = false;
    std::optional<std::size_t> last;
    for (std::size_t i = 0; i < all.size(); ++i) {
        const auto& one = all[i];
        if (one.after.empty()) continue;
        last = i;
        const auto home = shard_of_id(one.id, one.shards);
        crosses = crosses || std::ranges::any_of(one.after, [&](const parent_task& other) {
                      return shard_of_id(other.id, one.shards) != home;
                  });
    }
    return crosses ? last : std::nullopt;
}

// Whether all of the plan was accepted, although not all of it need be kept any more. When in doubt it was not: what is there is not
// begun anew.
bool was_accepted(const std::vector<prepared_submission>& all, const std::vector<standing>& seen) {
    const auto stands = [](standing one) { return one == standing::kept; };
    if (std::ranges::all_of(seen, stands)) return true;
    if (!is_one_step(all)) return false;
    if (all.front().shards <= 1) return std::ranges::any_of(seen, stands);
    const auto last = last_confirmed(all);
    return last && stands(seen[*last]);
}

struct accepted {
    std::string id;
    bool created = false;
};

awaitable<std::vector<accepted>> accepted_now(call& c, const plan_request& from,
                                              const std::vector<prepared_submission>& all) {
    auto& core = detail::core_of(c.at.app());
    auto leaving = all;
    const auto executor = co_await boost::asio::this_coro::executor;
    const auto seen = trace_submission(core, ambient_of(executor), leaving);
    const auto sent = co_await on_loop(caller_loop(executor, core), [&](loop& there) {
        return send_plan(there, core, std::move(leaving));
    });
    if (sent.refused) throw refusal_of(sent.refused, true, sent.at ? from.tasks[*sent.at].path : "");
    std::vector<accepted> done;
    for (const auto& one : sent.tasks) done.push_back({detail::id_text(one), !detail::is_duplicate(one)});
    co_return done;
}

// With a key, by which each of its tasks is known again.
awaitable<std::vector<accepted>> accepted_once(call& c, const plan_request& from,
                                               const std::vector<prepared_submission>& all) {
    auto& core = detail::core_of(c.at.app());
    const auto before = co_await look_at_all(core, all);
    std::vector<accepted> done;
    if (was_accepted(all, before)) {
        for (const auto& one : all) done.push_back({to_text(one.id), false});
        co_return done;
    }
    done = co_await accepted_now(c, from, all);
    bool met = false;
    for (std::size_t i = 0; i < done.size(); ++i)
        met = met || (!done[i].created && before[i] != standing::kept);
    // Another request with this key came in between.
    if (met) co_await look_at_all(core, all);
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
    check_groups(from.tasks);
    const auto all = co_await prepared(c, from);
    std::vector<accepted> done;
    if (from.key && std::ranges::all_of(all, is_keyed)) {
        done = co_await accepted_once(c, from, all);
    } else {
        done = co_await accepted_now(c, from, all);
    }
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
