// What pages show, each a question to the store that is answered with one document: once, or again and again as it changes.
#pragma once

#include <errand/app.hpp>

#include "service/console/survey.hpp"
#include "service/field.hpp"
#include "service/message.hpp"

#include <boost/json/object.hpp>

#include <span>
#include <string>
#include <string_view>

namespace errand::console {

class office;

struct view_call {
    errand::app& app;
    office& at;
    const std::string& which;  // what the view is of: a task's id, a queue
    bool hide_args = false;
    look_cost& cost;  // so much more than one that looks at a single task
};

using view_function = awaitable<boost::json::object> (*)(view_call);

struct view {
    std::string_view name;
    view_function look = nullptr;
    // Whether a document is the last one, after which nothing is told any more; null: none is.
    bool (*is_last)(const boost::json::object& document) = nullptr;
};

// Null: there is none of this name.
const view* find_view(std::string_view name) noexcept;

// overview.cpp
awaitable<boost::json::object> look_at_overview(view_call c);
// place_views.cpp
awaitable<boost::json::object> look_at_queues(view_call c);
awaitable<boost::json::object> look_at_queue(view_call c);
awaitable<boost::json::object> look_at_workers(view_call c);
awaitable<boost::json::object> look_at_handlers(view_call c);
awaitable<boost::json::object> look_at_days(view_call c);
awaitable<boost::json::object> look_at_health(view_call c);
awaitable<boost::json::object> look_at_tenants(view_call c);
// rule_views.cpp
awaitable<boost::json::object> look_at_schedules(view_call c);
awaitable<boost::json::object> look_at_limits(view_call c);
awaitable<boost::json::object> look_at_runs(view_call c);
// task_view.cpp
awaitable<boost::json::object> look_at_task(view_call c);
awaitable<boost::json::object> look_at_graph(view_call c);

}  // namespace errand::console
