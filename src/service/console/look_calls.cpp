// What pages ask: views, lists, failures by cause, a task by what a person types.
#include "core/task_id.hpp"
#include "core/utf8.hpp"
#include "service/calls.hpp"
#include "service/console/calls.hpp"
#include "service/console/causes.hpp"
#include "service/console/filter.hpp"
#include "service/console/office.hpp"
#include "service/info_json.hpp"
#include "service/refusal.hpp"
#include "service/values.hpp"

#include <boost/json/array.hpp>
#include <boost/json/object.hpp>

#include <algorithm>
#include <array>

namespace errand::console {

namespace json = boost::json;

namespace {

constexpr std::size_t newest_failures = 1000;

constexpr std::array view_parameters{
    web::field{"of", web::kind::text, "What it is a view of: a task's id, a queue"}};
constexpr std::array find_parameters{web::field{"text", web::kind::text, "An id, or handler:biz_id", true}};
constexpr std::array<std::string_view, 2> order_names{"newest_first", "oldest_first"};

view_call call_for(web::call& c, const std::string& which, look_cost& cost) {
    auto& hub = c.at.shared();
    return {c.at.app(), office_of(hub), which, hub.options.console.hide_args, cost};
}

const view& need_view(const web::call& c) {
    const auto* what = find_view(c.part("view"));
    if (!what) throw web::not_found("the console has no such view");
    return *what;
}

// What a list shows of a task: not what it carries, which may be large.
json::object row_of(const task_info& task) {
    auto row = json_of(task);
    for (const auto* name : {"args", "result", "errors", "stages", "headers", "log", "after", "waits_for"})
        row.erase(name);
    if (!task.errors.empty()) {
        const auto& error = task.errors.back();
        row["error_type"] = error.type;
        row["error"] = utf8_prefix(error.message, 4000);
    }
    return row;
}

awaitable<std::optional<task_info>> by_names(app& of, const std::string& handler, const std::string& biz_id) {
    const auto id = derive_task_id(handler, biz_id);
    auto found = co_await of.find(to_text(id));
    if (found || of.settings().shards < 2) co_return found;
    co_return co_await of.find(to_text(in_first_shard(id)));
}

}  // namespace

const web::fields view_query{view_parameters};
const web::fields find_query{find_parameters};

awaitable<web::answer> show_view(web::call& c) {
    const auto& what = need_view(c);
    const web::parameters given{c.in, view_query};
    const auto which = given.text("of").value_or("");
    look_cost not_repeated;
    co_return web::json_answer(co_await what.look(call_for(c, which, not_repeated)));
}

awaitable<web::answer> watch_view(web::call& c) {
    const auto& what = need_view(c);
    const web::parameters given{c.in, view_query};
    auto& hub = c.at.shared();
    auto& there = office_of(hub);
    co_return there.streams.watch(c, what, given.text("of").value_or(""), there,
                                  hub.options.console.hide_args);
}

// One page: `looked_at` tells of a filter that matches few how far the search is.
awaitable<web::answer> show_tasks(web::call& c) {
    const web::parameters given{c.in, tasks_query};
    const auto limit = static_cast<std::size_t>(given.integer("limit", 1, 200).value_or(50));
    const auto order = web::choice_of(given.text("order").value_or("newest_first"), order_names, "order");
    const auto page =
        co_await c.at.app().inspect().list(filter_of(given), given.text("after").value_or(""), limit,
                                           order == 0 ? list_order::newest_first : list_order::oldest_first);
    json::array rows;
    for (const auto& one : page.tasks) rows.emplace_back(row_of(one));
    co_return web::json_answer(json::object{
        {"tasks", std::move(rows)},
        {"next", page.next.empty() ? json::value{} : json::value{page.next}},
        {"looked_at", page.looked_at}});
}

awaitable<web::answer> show_failures(web::call& c) {
    const web::parameters given{c.in, tasks_query};
    const auto which = filter_of(given);
    failure_groups groups;
    std::size_t seen = 0;
    std::string next;
    do {
        const auto page = co_await c.at.app().inspect().list(which, next, newest_failures);
        for (const auto& one : page.tasks) groups.add(one);
        seen += page.looked_at;
        next = page.next;
    } while (!next.empty() && seen < newest_failures);
    co_return web::json_answer(json::object{
        {"groups", groups.document()}, {"looked_at", seen}, {"complete", next.empty()}});
}

awaitable<web::answer> find_task(web::call& c) {
    const web::parameters given{c.in, find_query};
    const auto text = given.text("text").value_or("");
    std::optional<task_info> found;
    if (parse_task_id(text)) found = co_await c.at.app().find(text);
    // Both names may have colons in them.
    for (auto at = text.find(':'); !found && at != text.npos; at = text.find(':', at + 1)) {
        if (at > 0 && at + 1 < text.size())
            found = co_await by_names(c.at.app(), text.substr(0, at), text.substr(at + 1));
    }
    co_return web::json_answer(json::object{{"id", found ? json::value{found->id} : json::value{}}});
}

}  // namespace errand::console
