#include "service/console/tenants.hpp"

#include <errand/detail/engine.hpp>
#include <errand/inspect.hpp>
#include <errand/proxy.hpp>

#include "runtime/app_core.hpp"
#include "service/info_json.hpp"

#include <boost/json/array.hpp>

namespace errand::console {

namespace json = boost::json;

namespace {

constexpr std::size_t most_tenants = 20;

awaitable<json::object> look_at_tenant(detail::app_core& core, int weight) {
    const inspector in{core};
    const auto figures = co_await in.figures();
    const auto queues = co_await in.queues();
    const auto workers = co_await in.workers();
    const auto quota = co_await detail::current_quota(core);
    auto row = json_of(quota);
    std::size_t ready = 0;
    std::size_t working = 0;
    for (const auto& one : queues) {
        ready += one.count(state::ready);
        working += one.count(state::working);
    }
    row["name"] = core.settings.name_space;
    row["weight"] = weight;
    row["ready"] = ready;
    row["working"] = working;
    row["workers"] = workers.size();
    row["oldest_ms"] = json_of(figures.oldest);
    row["runs"] = figures.all.runs;
    row["failures"] = figures.all.failures;
    row["dead"] = figures.all.dead;
    co_return row;
}

}  // namespace

awaitable<json::object> tenants::document() {
    const auto seen = co_await looks_.see([this] { return look(); });
    co_return *seen;
}

awaitable<json::object> tenants::look() {
    auto served = detail::core_of(app_).served();
    const auto all = served.size();
    if (all > most_tenants) served.resize(most_tenants);
    json::array rows;
    for (const auto& one : served) {
        auto row = co_await look_at_tenant(*one.core, one.weight);
        rows.emplace_back(std::move(row));
    }
    co_return json::object{{"tenants", std::move(rows)}, {"all", all}};
}

}  // namespace errand::console
