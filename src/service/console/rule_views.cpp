// What makes tasks and what holds them back: schedules, limits; and what was done by hand.
#include <errand/proxy.hpp>

#include "client/waiters.hpp"
#include "client/whole_look.hpp"
#include "service/console/office.hpp"
#include "service/console/view.hpp"
#include "service/info_json.hpp"
#include "service/instant.hpp"

#include <boost/json/array.hpp>
#include <boost/json/serialize.hpp>

#include <algorithm>
#include <functional>

namespace errand::console {

namespace json = boost::json;

namespace {

constexpr std::size_t most_schedules = 500;
// For so many the next ticks are told: each is a question of its own.
constexpr std::size_t most_with_ticks = 50;
constexpr std::size_t ticks_told = 3;
// Of so many limits is told who waits, of so many keys each.
constexpr std::size_t most_with_waiters = 10;
constexpr std::size_t most_waiters = 5;

json::object row_of(const std::string& limit, const limit_waiters& one) {
    json::object row{{"limit", limit}, {"keyed", one.keyed}, {"waiting", one.waiting}, {"first", nullptr}};
    if (!one.first) return row;
    const auto& task = *one.first;
    row["first"] = json::object{{"id", task.id},
                                {"handler", task.handler},
                                {"biz_id", task.biz_id ? json::value{*task.biz_id} : json::value{}},
                                {"due_at", json_of(task.due_at)}};
    return row;
}

awaitable<json::array> waiters_of(app& of, std::vector<limit_info> limits) {
    std::erase_if(limits, [](const limit_info& one) { return one.waiting == 0; });
    std::ranges::stable_sort(limits, std::ranges::greater{}, &limit_info::waiting);
    if (limits.size() > most_with_waiters) limits.resize(most_with_waiters);
    json::array rows;
    for (const auto& limit : limits) {
        for (const auto& one : co_await waiters_at(of, limit.name, most_waiters))
            rows.emplace_back(row_of(limit.name, one));
    }
    co_return rows;
}

// What is queued is counted in all queues: where that is much work, what another page has seen of them will do.
awaitable<quota_info> quota_seen(view_call c) {
    if (const auto seen = c.at.whole.kept()) co_return co_await quota_beside(*seen, detail::core_of(c.app));
    co_return co_await c.app.current_quota();
}

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
    c.cost.looks(rows.size());
    co_return json::object{{"schedules", std::move(rows)}, {"more", !page.next.empty()}};
}

awaitable<json::object> look_at_limits(view_call c) {
    const auto limits = co_await c.app.limits();
    const auto quota = co_await quota_seen(c);
    auto waiters = co_await waiters_of(c.app, limits);
    c.cost.queues(c.at.whole.queues());
    c.cost.looks(limits.size());
    json::object document{{"limits", json_array_of(limits)}, {"waiters", std::move(waiters)}};
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
