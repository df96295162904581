// What the namespace may use of the store: read and set.
#include <errand/quota.hpp>

#include "service/calls.hpp"
#include "service/info_json.hpp"
#include "service/rule_values.hpp"
#include "service/values.hpp"

#include <boost/json/object.hpp>

#include <array>
#include <limits>

namespace errand::web {
namespace {

constexpr std::array quota_members{
    field{"max_queued", kind::integer,
          "Tasks that have neither ended nor are running. Not given: not limited"},
    field{"submit_rate", kind::object,
          "`{\"count\", \"per_ms\", \"burst\"}`: tasks submitted in a time. Not given: not limited"},
    field{"max_running", kind::integer, "Tasks that run at once over all workers. Not given: not limited"},
    field{"max_schedules", kind::integer, "Schedules that are active or paused. Not given: not limited"},
    field{"max_payload", kind::integer, "Bytes of a task's arguments as JSON. Not given: not limited"},
    field{"below_queued", kind::boolean,
          "Also a `max_queued` below what is queued now, which is refused otherwise (false)"},
};

constexpr std::int64_t most_of_quota = std::numeric_limits<std::int64_t>::max();

}  // namespace

const fields quota_fields{quota_members};

awaitable<answer> show_quota(call& c) {
    const parameters none{c.in, {}};
    const auto now = co_await c.at.app().current_quota();
    co_return json_answer(errand::json_of(now));
}

awaitable<answer> set_quota(call& c) {
    const parameters none{c.in, {}};
    const auto body = body_object(c.in);
    const members given{body, quota_members};
    quota rules;
    rules.max_queued = given.integer("max_queued", 0, most_of_quota);
    rules.submit_rate = read_rate(given, "submit_rate");
    rules.max_running = small_number(given, "max_running");
    rules.max_schedules = given.integer("max_schedules", 0, most_of_quota);
    rules.max_payload = given.integer("max_payload", 1, most_of_quota);
    const quota_options how{.below_queued = given.flag("below_queued").value_or(false)};
    const auto now = co_await c.at.app().set_quota(rules, how);
    co_return json_answer(errand::json_of(now));
}

awaitable<answer> clear_quota(call& c) {
    const parameters none{c.in, {}};
    const auto now = co_await c.at.app().clear_quota();
    co_return json_answer(errand::json_of(now));
}

}  // namespace errand::web
