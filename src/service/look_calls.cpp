// What there is: tasks by page, queues, workers.
#include <errand/inspect.hpp>

#include "service/calls.hpp"
#include "service/info_json.hpp"
#include "service/refusal.hpp"
#include "service/values.hpp"

#include <boost/json/object.hpp>

#include <array>

namespace errand::web {

namespace json = boost::json;

namespace {

constexpr std::array list_parameters{
    field{"state", kind::text,
          "`waiting`, `delayed`, `ready`, `working`, `retry`, `success`, `dead`, `cancelled` or `expired`",
          true},
    field{"queue", kind::text, "Only of this queue"},
    field{"handler", kind::text, "Only of this handler, by its wire name"},
    field{"biz_id", kind::text, "Only with this biz_id"},
    field{"tag", kind::text, "Only with this tag"},
    field{"error", kind::text, "Only with this in the type or text of the last error"},
    field{"limit", kind::integer, "So many at most, 1 to 1000 (50)"},
    field{"cursor", kind::text, "`next` of the page before"},
    field{"order", kind::text, "`newest_first` (default) or `oldest_first`"},
};

constexpr std::array<std::string_view, 2> order_names{"newest_first", "oldest_first"};

// Of a store of several servers: those that do not answer are said, so that nobody takes a part for the whole.
awaitable<void> add_away(call& c, json::object& document) {
    const auto away = co_await c.at.app().inspect().away();
    document["complete"] = away.empty();
}

time_point clock_now() { return std::chrono::floor<duration>(std::chrono::system_clock::now()); }

}  // namespace

const fields list_query{list_parameters};

awaitable<answer> list_tasks(call& c) {
    const parameters given{c.in, list_parameters};
    const auto name = given.text("state");
    if (!name) throw bad_request("say of which state: ?state=ready", "state");
    task_filter which;
    which.state = static_cast<state>(choice_of(*name, detail::state_names, "state"));
    which.queue = given.text("queue").value_or("");
    which.handler = given.text("handler").value_or("");
    which.biz_id = given.text("biz_id").value_or("");
    which.tag = given.text("tag").value_or("");
    which.error = given.text("error").value_or("");
    const auto limit = static_cast<std::size_t>(given.integer("limit", 1, 1000).value_or(50));
    const auto order = choice_of(given.text("order").value_or("newest_first"), order_names, "order");
    const auto page =
        co_await c.at.app().inspect().list(which, given.text("cursor").value_or(""), limit,
                                           order == 0 ? list_order::newest_first : list_order::oldest_first);
    json::object document{{"tasks", json_array_of(page.tasks)},
                          {"next", page.next.empty() ? json::value{} : json::value{page.next}}};
    co_await add_away(c, document);
    co_return json_answer(document);
}

awaitable<answer> list_queues(call& c) {
    const parameters none{c.in, {}};
    const auto queues = co_await c.at.app().inspect().queues();
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
