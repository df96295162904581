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

constexpr std::chrono::seconds kept_for{10};
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

bool tenants::is_fresh() const { return !seen_.empty() && std::chrono::steady_clock::now() - at_ < kept_for; }

awaitable<json::object> tenants::document() {
    while (!is_fresh()) {
        if (!looks_) {
            co_await look();
            break;
        }
        co_await looked_.wait();
        // To ask once more would take as long.
        if (!looks_ && failure_) std::rethrow_exception(failure_);
    }
    co_return seen_;
}

awaitable<void> tenants::look() {
    struct turn {
        tenants& of;
        ~turn() {
            of.looks_ = false;
            of.looked_.open();
        }
    };
    looks_ = true;
    failure_ = nullptr;
    const turn mine{*this};
    try {
        auto served = detail::core_of(app_).served();
        const auto all = served.size();
        if (all > most_tenants) served.resize(most_tenants);
        json::array rows;
        for (const auto& one : served) {
            auto row = co_await look_at_tenant(*one.core, one.weight);
            rows.emplace_back(std::move(row));
        }
        seen_ = json::object{{"tenants", std::move(rows)}, {"all", all}};
        at_ = std::chrono::steady_clock::now();
    } catch (...) {
        failure_ = std::current_exception();
        throw;
    }
}

}  // namespace errand::console
