// Where tasks are and who runs them: queues, workers, handlers, days, health, tenants.
#include <errand/error.hpp>
#include <errand/proxy.hpp>

#include "client/whole_look.hpp"
#include "runtime/app_core.hpp"
#include "service/console/office.hpp"
#include "service/console/settings_words.hpp"
#include "service/console/view.hpp"
#include "service/info_json.hpp"
#include "service/instant.hpp"
#include "service/refusal.hpp"

#include <boost/json/array.hpp>

#include <algorithm>
#include <chrono>
#include <map>
#include <set>

namespace errand::console {

namespace json = boost::json;

namespace {

constexpr std::size_t most_rows = 1000;

std::map<std::string, std::size_t> workers_by_queue(const std::vector<worker_info>& workers) {
    std::map<std::string, std::size_t> all;
    for (const auto& one : workers) {
        for (const auto& queue : std::set<std::string>(one.queues.begin(), one.queues.end())) ++all[queue];
    }
    return all;
}

json::object row_of(const queue_info& one, const std::map<std::string, std::size_t>& serving) {
    auto row = json_of(one);
    const auto at = serving.find(one.name);
    row["workers"] = at == serving.end() ? 0 : at->second;
    return row;
}

// Where looks are much work, what another page has seen will do.
awaitable<std::vector<worker_info>> workers_seen(view_call c) {
    if (const auto seen = c.at.whole.kept()) co_return seen->workers;
    co_return co_await c.app.inspect().workers();
}

awaitable<figures_info> figures_seen(view_call c) {
    auto& core = detail::core_of(c.app);
    if (!c.at.whole.kept()) co_return co_await figures_of_handlers(core);
    const auto lately = co_await c.at.lately.see([&core] { return figures_of_handlers(core); });
    co_return *lately;
}

// Those that somebody has to look at first, should not all fit.
std::size_t load_of(const queue_info& one) {
    return one.count(state::ready) + one.count(state::working) + one.count(state::retry);
}

}  // namespace

awaitable<json::object> look_at_queues(view_call c) {
    const auto seen = co_await c.at.whole.see(c.cost);
    auto queues = seen->queues;
    const auto serving = workers_by_queue(seen->workers);
    const auto all = queues.size();
    if (all > most_rows) {
        std::ranges::stable_sort(queues, std::ranges::greater{}, load_of);
        queues.resize(most_rows);
        std::ranges::sort(queues, {}, &queue_info::name);
    }
    json::array rows;
    for (const auto& one : queues) {
        auto row = row_of(one, serving);
        row["recent"] = c.at.beat.ready_lately(one.name);
        rows.emplace_back(std::move(row));
    }
    co_return json::object{{"queues", std::move(rows)}, {"all", all}};
}

awaitable<json::object> look_at_queue(view_call c) {
    const auto seen = co_await c.at.whole.see(c.cost);
    const auto& queues = seen->queues;
    const auto& workers = seen->workers;
    const auto at = std::ranges::find(queues, c.which, &queue_info::name);
    if (at == queues.end()) throw web::not_found("no queue of this name ever had a task");
    json::array by;
    for (const auto& one : workers) {
        if (std::ranges::find(one.queues, c.which) != one.queues.end()) by.emplace_back(one.name);
    }
    auto row = row_of(*at, workers_by_queue(workers));
    row["served_by"] = std::move(by);
    row["recent"] = c.at.beat.ready_lately(at->name);
    co_return row;
}

awaitable<json::object> look_at_workers(view_call c) {
    const auto now = std::chrono::floor<duration>(std::chrono::system_clock::now());
    auto workers = co_await workers_seen(c);
    const auto all = workers.size();
    c.cost.workers(all);
    for (const auto& one : workers) c.cost.running(one.running.size());
    if (all > most_rows) workers.resize(most_rows);
    json::array rows;
    for (const auto& one : workers) {
        auto row = json_of(one, now);
        const auto running = one.running.size();
        row["running_count"] = running;
        // How long it runs is counted on by the page: a frame is sent when something has happened.
        auto& list = row["running"].as_array();
        if (running > 50) list.resize(50);
        for (auto& task : list) task.as_object().erase("running_ms");
        row.erase("alive_until");
        rows.emplace_back(std::move(row));
    }
    co_return json::object{{"workers", std::move(rows)}, {"all", all}};
}

awaitable<json::object> look_at_handlers(view_call c) {
    const auto figures = co_await figures_seen(c);
    c.cost.handlers(figures.handlers.size());
    auto document = json_of(figures);
    // For what waits tasks would be looked at, each time.
    for (const auto* unasked : {"backlog", "oldest_ms", "estimated"}) document.erase(unasked);
    for (auto& one : document["handlers"].as_array()) {
        one.as_object().erase("backlog");
        one.as_object().erase("oldest_ms");
    }
    json::array known;
    for (const auto& one : co_await c.app.inspect().handlers()) {
        known.push_back(json::object{{"handler", one.name},
                                     {"workers", one.workers.size()},
                                     {"paused", one.set.settings.paused},
                                     {"set_by", one.set.by}});
    }
    document["known"] = std::move(known);
    co_return document;
}

awaitable<json::object> look_at_days(view_call c) {
    const auto by_day = co_await c.at.days.of(c.which);
    c.cost.counters(c.at.whole.queues());
    json::array days;
    for (const auto& [day, one] : by_day) {
        days.push_back(json::object{{"day", day},
                                    {"success", one.success},
                                    {"dead", one.dead},
                                    {"cancelled", one.cancelled},
                                    {"expired", one.expired},
                                    {"failed", one.failed}});
    }
    co_return json::object{{"days", std::move(days)}};
}

awaitable<json::object> look_at_health(view_call c) {
    json::array outboxes;
    for (const auto& one : co_await c.app.inspect().outboxes()) {
        outboxes.push_back(json::object{{"database", one.database},
                                        {"backlog", one.backlog},
                                        {"oldest_ms", one.oldest.count()},
                                        {"delivered", one.delivered},
                                        {"left_behind", one.left_behind},
                                        {"refused", one.refused},
                                        {"last_refusal", one.last_refusal},
                                        {"trouble", one.trouble}});
    }
    json::array away;
    for (const auto one : co_await c.app.inspect().away()) away.emplace_back(one);
    std::map<std::string, std::size_t> workers_of;
    for (const auto& one : co_await workers_seen(c)) {
        ++workers_of[one.version];
        c.cost.workers(1);
        c.cost.running(one.running.size());
    }
    json::array versions;
    for (const auto& [version, workers] : workers_of)
        versions.push_back(json::object{{"version", version}, {"workers", workers}});
    const auto& settings = c.app.settings();
    const auto& core = detail::core_of(c.app);
    json::array config;
    for (const auto& [about, words] :
         settings_in_words(settings, c.at.around.options,
                           {.encrypts = core.seals() != nullptr, .traces = core.tracer != nullptr}))
        config.push_back(json::array{about, words});
    co_return json::object{{"version", ERRAND_SERVICE_VERSION}, {"namespace", settings.name_space},
                           {"shards", settings.shards},         {"away", std::move(away)},
                           {"outboxes", std::move(outboxes)},   {"watchers", c.at.streams.watchers()},
                           {"versions", std::move(versions)},   {"config", std::move(config)}};
}

awaitable<json::object> look_at_tenants(view_call c) { return c.at.name_spaces.document(c.at.whole.kept()); }

}  // namespace errand::console
