// What makes tasks and what holds them back: schedules, limits; and what was done by hand.
#include "service/console/office.hpp"
#include "service/console/view.hpp"
#include "service/info_json.hpp"
#include "service/instant.hpp"

#include <boost/json/array.hpp>
#include <boost/json/serialize.hpp>

namespace errand::console {

namespace json = boost::json;

namespace {

constexpr std::size_t most_schedules = 500;
// For so many the next ticks are told: each is a question of its own.
constexpr std::size_t most_with_ticks = 50;
constexpr std::size_t ticks_told = 3;

}  // namespace

awaitable<json::object> look_at_schedules(view_call c) {
    const auto page = co_await c.app.schedules({.limit = most_schedules});
    json::array rows;
    for (const auto& one : page.schedules) {
        auto row = json_of(one);
        // Numbers in it are to be exact in a browser too.
        row["args"] = c.hide_args ? json::value{} : json::value{json::serialize(one.args)};
        json::array ticks;
        if (rows.size() < most_with_ticks && one.state == schedule_state::active) {
            if (const auto there = co_await c.app.find_schedule(one.id)) {
                for (const auto at : co_await there->upcoming(ticks_told))
                    ticks.emplace_back(instant_text(at));
            }
        }
        row["upcoming"] = std::move(ticks);
        rows.emplace_back(std::move(row));
    }
    co_return json::object{{"schedules", std::move(rows)}, {"more", !page.next.empty()}};
}

awaitable<json::object> look_at_limits(view_call c) {
    const auto limits = co_await c.app.limits();
    const auto quota = co_await c.app.current_quota();
    json::object document{{"limits", json_array_of(limits)}};
    document["queued"] = quota.queued;
    document["max_queued"] = quota.rules.max_queued ? json::value{*quota.rules.max_queued} : json::value{};
    document["max_running"] = quota.rules.max_running ? json::value{*quota.rules.max_running} : json::value{};
    co_return document;
}

awaitable<json::object> look_at_runs(view_call c) {
    json::array actions;
    for (const auto& one : c.at.actions.all()) {
        actions.push_back(json::object{{"at", instant_text(one.at)},
                                       {"who", one.who},
                                       {"request", one.request},
                                       {"what", one.what},
                                       {"on", one.on},
                                       {"came", one.came}});
    }
    co_return json::object{{"runs", c.at.bulk.document()}, {"actions", std::move(actions)}};
}

}  // namespace errand::console
