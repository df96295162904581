// What rules the work: limits, and what is set of handlers.
#include <errand/error.hpp>
#include <errand/inspect.hpp>
#include <errand/limit.hpp>
#include <errand/settings.hpp>

#include "core/settings_text.hpp"
#include "service/calls.hpp"
#include "service/info_json.hpp"
#include "service/refusal.hpp"
#include "service/rule_values.hpp"
#include "service/values.hpp"

#include <boost/json/array.hpp>
#include <boost/json/object.hpp>

#include <algorithm>
#include <array>
#include <limits>

namespace errand::web {

namespace json = boost::json;

namespace {

constexpr std::array limit_members{
    field{"max_running", kind::integer,
          "How many run at once over all workers; 0 closes it. Not given: not limited"},
    field{"rate", kind::object,
          "`{\"count\", \"per_ms\", \"burst\"}`: starts in a time. Not given: not limited"},
};

constexpr std::array settings_members{
    field{"max_retry", kind::integer, "Retries after the first attempt"},
    field{"timeout_ms", kind::integer, "One attempt; 0: none"},
    field{"backoff", kind::text, "`polynomial`, `exponential:10s:1h` (first and longest) or `uniform:30s`"},
    field{"priority", kind::integer, "0 to 9"},
    field{"retention_ms", kind::integer, "How long a finished task is kept"},
    field{"expires_after_ms", kind::integer, "Not started so long after it was due: expired; 0: never"},
    field{"max_running", kind::integer, "How many run at once over all workers; 0: none"},
    field{"rate", kind::object, "`{\"count\", \"per_ms\", \"burst\"}`: starts in a time"},
    field{"batch", kind::integer, "How many a program over HTTP is told to take at once, 1 to 1000"},
    field{"interval_ms", kind::integer, "How long it is told to wait when there were none"},
    field{"paused", kind::boolean, "None of its tasks is started"},
    field{"version", kind::integer,
          "The version that was seen: the change is made only if that is still the one"},
};

handler_settings settings_of(const members& given) {
    handler_settings set;
    set.max_retry = small_number(given, "max_retry");
    set.timeout = given.length("timeout_ms");
    if (const auto text = given.text("backoff")) {
        set.backoff = find_backoff(*text);
        if (!set.backoff)
            throw bad_request("expected polynomial, exponential:10s:1h or uniform:30s",
                              given.path_of("backoff"));
    }
    set.priority = small_number(given, "priority");
    set.retention = given.length("retention_ms");
    set.expires_after = given.length("expires_after_ms");
    set.max_running = small_number(given, "max_running");
    set.rate = read_rate(given, "rate");
    set.batch = small_number(given, "batch");
    set.interval = given.length("interval_ms");
    set.paused = given.flag("paused").value_or(false);
    return set;
}

awaitable<answer> limit_answer(call& c, std::string_view name) {
    for (const auto& one : co_await c.at.app().limits()) {
        if (one.name == name) co_return json_answer(errand::json_of(one));
    }
    co_return json_answer(errand::json_of(limit_info{.name = std::string{name}}));
}

}  // namespace

const fields limit_fields{limit_members};
const fields settings_fields{settings_members};

awaitable<answer> list_limits(call& c) {
    const parameters none{c.in, {}};
    const auto limits = co_await c.at.app().limits();
    co_return json_answer(json::object{{"limits", json_array_of(limits)}});
}

awaitable<answer> set_limit(call& c) {
    const parameters none{c.in, {}};
    const auto body = body_object(c.in);
    const members given{body, limit_members};
    const limit_rule rule{.max_running = small_number(given, "max_running"),
                          .rate = read_rate(given, "rate")};
    co_await c.at.app().set_limit(c.part("limit"), rule);
    co_return co_await limit_answer(c, c.part("limit"));
}

awaitable<answer> clear_limit(call& c) {
    const parameters none{c.in, {}};
    co_await c.at.app().clear_limit(c.part("limit"));
    co_return co_await limit_answer(c, c.part("limit"));
}

awaitable<answer> list_handlers(call& c) {
    const parameters none{c.in, {}};
    const auto all = co_await c.at.app().inspect().handlers();
    co_return json_answer(json::object{{"handlers", json_array_of(all)}});
}

awaitable<answer> show_settings(call& c) {
    const parameters none{c.in, {}};
    const auto now = co_await c.at.app().settings_of(c.part("handler"));
    auto document = errand::json_of(now);
    document["handler"] = now.handler;
    co_return json_answer(document);
}

awaitable<answer> configure_handler(call& c) {
    const parameters none{c.in, {}};
    const auto body = body_object(c.in);
    const members given{body, settings_members};
    configure_options how{.version = given.integer("version", 0, std::numeric_limits<std::int64_t>::max())};
    if (!c.in.who.empty()) how.by = c.in.who;
    auto set = settings_of(given);
    try {
        const auto now = co_await c.at.app().configure(c.part("handler"), std::move(set), std::move(how));
        auto document = errand::json_of(now);
        document["handler"] = now.handler;
        co_return json_answer(document);
    } catch (const settings_conflict& e) {
        throw refusal{409, "conflict", e.what()};
    }
}

}  // namespace errand::web
