// What there is: tasks by page, queues, workers.
#include <errand/inspect.hpp>

#include "core/task_id.hpp"
#include "runtime/handlers.hpp"
#include "service/calls.hpp"
#include "service/checks.hpp"
#include "service/info_json.hpp"
#include "service/refusal.hpp"
#include "service/values.hpp"

#include <boost/json/array.hpp>
#include <boost/json/object.hpp>
#include <boost/json/serialize.hpp>

#include <algorithm>
#include <array>

namespace errand::web {

namespace json = boost::json;

namespace {

// A page ends with the part that reaches this.
constexpr std::size_t most_bytes = std::size_t{16} * 1024 * 1024;
constexpr std::size_t most_at_once = 50;

constexpr std::array list_parameters{
    field{
        "state", kind::text,
        "`waiting`, `delayed`, `ready`, `working`, `retry`, `success`, `dead`, `cancelled` or `expired`. May be left out "
        "where `handler` and `biz_id` are said and nothing else: then it is the one task that has this biz_id, or none"},
    field{"queue", kind::text, "Only of this queue"},
    field{"handler", kind::text, "Only of this handler, by its wire name"},
    field{"biz_id", kind::text, "Only with this biz_id"},
    field{"tag", kind::text, "Only with this tag"},
    field{"error", kind::text, "Only with this in the type or text of the last error"},
    field{"limit", kind::integer, "So many at most, 1 to 1000 (50); fewer when they have over 16 MiB"},
    field{"cursor", kind::text, "`next` of the page before"},
    field{"order", kind::text, "`newest_first` (default) or `oldest_first`"},
};

constexpr std::array<std::string_view, 2> order_names{"newest_first", "oldest_first"};

// Of a store of several servers: those that do not answer are said, so that nobody takes a part for the whole.
awaitable<void> add_away(call& c, json::object& document) {
    const auto away = co_await c.at.app().inspect().away();
    document["complete"] = away.empty();
}

// The one of this biz_id. What is limited stands in the first of several shards, under an id of that one.
awaitable<std::optional<task_info>> named_task(call& c, std::string_view handler, std::string_view biz_id) {
    const auto* known = handlers::find(handler);
    const auto id = derive_task_id(known ? std::string_view{known->identity} : handler, biz_id);
    auto found = co_await c.at.app().find(to_text(id));
    if (!found && c.at.app().settings().shards > 1)
        found = co_await c.at.app().find(to_text(in_first_shard(id)));
    co_return found;
}

bool asks_for_one(const parameters& given) {
    for (const auto& one : list_parameters) {
        const bool needed = one.name == "handler" || one.name == "biz_id";
        if (given.text(one.name).has_value() != needed) return false;
    }
    return true;
}

time_point clock_now() { return std::chrono::floor<duration>(std::chrono::system_clock::now()); }

}  // namespace

const fields list_query{list_parameters};

awaitable<answer> list_tasks(call& c) {
    const parameters given{c.in, list_parameters};
    if (asks_for_one(given)) {
        const auto found = co_await named_task(c, *given.text("handler"), *given.text("biz_id"));
        json::array tasks;
        if (found && c.in.may_use_queue(found->queue)) tasks.emplace_back(json_of(*found));
        json::object document{{"tasks", std::move(tasks)}, {"next", nullptr}};
        co_await add_away(c, document);
        co_return json_answer(document);
    }
    const auto name = given.text("state");
    if (!name)
        throw bad_request("say of which state: ?state=ready, or which one: ?handler=…&biz_id=…", "state");
    task_filter which;
    which.state = static_cast<state>(choice_of(*name, detail::state_names, "state"));
    which.queue = given.text("queue").value_or("");
    if (!which.queue.empty()) need_queue(c.in, which.queue, "queue");
    which.handler = given.text("handler").value_or("");
    which.biz_id = given.text("biz_id").value_or("");
    which.tag = given.text("tag").value_or("");
    which.error = given.text("error").value_or("");
    auto left = static_cast<std::size_t>(given.integer("limit", 1, 1000).value_or(50));
    const auto order = choice_of(given.text("order").value_or("newest_first"), order_names, "order");
    auto next = given.text("cursor").value_or("");
    json::array tasks;
    std::size_t bytes = 0;
    // In parts, so that no more than one of them is over the bytes that an answer has.
    bool more = true;
    while (more) {
        const auto asked = std::min(left, most_at_once);
        const auto page = co_await c.at.app().inspect().list(
            which, next, asked, order == 0 ? list_order::newest_first : list_order::oldest_first);
        for (const auto& one : page.tasks) {
            if (!c.in.may_use_queue(one.queue)) continue;
            auto shown = json_of(one);
            bytes += json::serialize(shown).size();
            tasks.emplace_back(std::move(shown));
        }
        next = page.next;
        left -= std::min(left, page.tasks.size());
        // One that is not full has looked at as many as it may.
        more = left > 0 && !next.empty() && page.tasks.size() >= asked && bytes < most_bytes;
    }
    json::object document{{"tasks", std::move(tasks)},
                          {"next", next.empty() ? json::value{} : json::value{next}}};
    co_await add_away(c, document);
    co_return json_answer(document);
}

awaitable<answer> list_queues(call& c) {
    const parameters none{c.in, {}};
    auto queues = co_await c.at.app().inspect().queues();
    std::erase_if(queues, [&](const queue_info& one) { return !c.in.may_use_queue(one.name); });
    json::object document{{"queues", json_array_of(queues)}};
    co_await add_away(c, document);
    co_return json_answer(document);
}

awaitable<answer> list_workers(call& c) {
    const parameters none{c.in, {}};
    const auto workers = co_await c.at.app().inspect().workers();
    json::object document{{"workers", json_array_of(workers, clock_now())}};
    co_await add_away(c, document);
    co_return json_answer(document);
}

}  // namespace errand::web
