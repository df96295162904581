// Schedules, limits and figures as JSON.
#include "service/info_json.hpp"
#include "service/instant.hpp"

#include <boost/json/array.hpp>

namespace errand {
namespace {

boost::json::value json_of_rule(const std::optional<limit_rule>& rule) {
    if (!rule) return nullptr;
    boost::json::object out{{"max_running", nullptr}, {"rate", nullptr}};
    if (rule->max_running) out["max_running"] = *rule->max_running;
    out["rate"] = json_of(rule->rate);
    return out;
}

boost::json::object json_of_times(const time_figures& of) {
    return {{"count", of.count},        {"p50_us", of.p50.count()}, {"p90_us", of.p90.count()},
            {"p95_us", of.p95.count()}, {"p99_us", of.p99.count()}, {"most_us", of.most.count()}};
}

boost::json::object json_of_handler(const handler_figures& one, duration over) {
    const auto seconds = std::chrono::duration<double>{over}.count();
    return {{"handler", one.handler.empty() ? boost::json::value{} : boost::json::value{one.handler}},
            {"runs", one.runs},
            {"failures", one.failures},
            {"dead", one.dead},
            {"lost", one.lost},
            {"runs_per_second", seconds > 0 ? static_cast<double>(one.runs) / seconds : 0.0},
            {"backlog", one.backlog},
            {"oldest_ms", json_of(one.oldest)},
            {"wait", json_of_times(one.wait)},
            {"run", json_of_times(one.run)},
            {"total", json_of_times(one.total)}};
}

}  // namespace

boost::json::value json_of(const std::optional<rate_limit>& rate) {
    if (!rate) return nullptr;
    return boost::json::object{{"count", rate->count}, {"per_ms", rate->per.count()}, {"burst", rate->burst}};
}

boost::json::object json_of(const schedule_info& one) {
    const auto or_nothing = [](const std::string& text) {
        return text.empty() ? boost::json::value{} : boost::json::value{text};
    };
    return {{"id", one.id},
            {"handler", one.handler},
            {"key", one.key},
            {"timing", one.timing},
            {"timezone", or_nothing(one.timezone)},
            {"state", to_string(one.state)},
            {"next_at", json_of(one.next_at)},
            {"last_tick", json_of(one.last_tick)},
            {"last_run", or_nothing(one.last_run)},
            {"runs", one.runs},
            {"skipped", one.skipped},
            {"missed", one.missed},
            {"max_runs", one.max_runs ? boost::json::value{*one.max_runs} : boost::json::value{}},
            {"begin", json_of(one.begin)},
            {"end", json_of(one.end)},
            {"queue", one.queue},
            {"args", one.args},
            {"created_at", instant_text(one.created_at)}};
}

boost::json::object json_of(const limit_info& one) {
    return {{"name", one.name},
            {"rule", json_of_rule(one.rule())},
            {"declared", json_of_rule(one.declared)},
            {"set", json_of_rule(one.set)},
            {"running", one.running},
            {"waiting", one.waiting},
            {"opens_at", json_of(one.opens_at)},
            {"throttled_ms", one.throttled.count()}};
}

boost::json::object json_of(const quota_info& seen) {
    const auto number = [](const auto& value) {
        return value ? boost::json::value{*value} : boost::json::value{};
    };
    const auto& rules = seen.rules;
    boost::json::object out{{"max_queued", number(rules.max_queued)},
                            {"submit_rate", json_of(rules.submit_rate)},
                            {"max_running", number(rules.max_running)},
                            {"max_schedules", number(rules.max_schedules)},
                            {"max_payload", number(rules.max_payload)}};
    return {{"quota", std::move(out)},
            {"queued", seen.queued},
            {"version", seen.version},
            {"by", seen.by},
            {"at", seen.version == 0 ? boost::json::value{} : boost::json::value{instant_text(seen.at)}}};
}

boost::json::object json_of(const figures_info& seen) {
    boost::json::array handlers;
    for (const auto& one : seen.handlers) handlers.emplace_back(json_of_handler(one, seen.over));
    return {{"over_ms", seen.over.count()},
            {"backlog", seen.backlog},
            {"oldest_ms", json_of(seen.oldest)},
            {"estimated", seen.estimated},
            {"all", json_of_handler(seen.all, seen.over)},
            {"handlers", std::move(handlers)}};
}

}  // namespace errand
