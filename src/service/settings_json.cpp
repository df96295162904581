// What is set of handlers, as JSON.
#include "service/info_json.hpp"
#include "service/instant.hpp"

#include <boost/json/array.hpp>

namespace errand {

namespace json = boost::json;

json::object json_of(const handler_settings& values) {
    const auto number = [](const std::optional<int>& value) {
        return value ? json::value{*value} : json::value{};
    };
    return {{"max_retry", number(values.max_retry)},
            {"timeout_ms", json_of(values.timeout)},
            {"backoff", values.backoff ? json::value{values.backoff->text()} : json::value{}},
            {"priority", number(values.priority)},
            {"retention_ms", json_of(values.retention)},
            {"expires_after_ms", json_of(values.expires_after)},
            {"max_running", number(values.max_running)},
            {"rate", json_of(values.rate)},
            {"batch", number(values.batch)},
            {"interval_ms", json_of(values.interval)},
            {"paused", values.paused}};
}

json::object json_of(const settings_info& set) {
    const bool any = set.version > 0;
    return {{"settings", json_of(set.settings)},
            {"version", set.version},
            {"by", any ? json::value{set.by} : json::value{}},
            {"at", any ? json::value{instant_text(set.at)} : json::value{}}};
}

json::object json_of(const handler_info& one) {
    json::array workers;
    for (const auto& worker : one.workers) workers.emplace_back(worker);
    auto document = json_of(one.set);
    document["name"] = one.name;
    document["workers"] = std::move(workers);
    document["in_force"] = one.in_force ? json::value{json_of(*one.in_force)} : json::value{};
    return document;
}

}  // namespace errand
