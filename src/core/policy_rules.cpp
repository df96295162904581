#include "core/policy_rules.hpp"

#include <errand/error.hpp>

#include "core/limit_rules.hpp"
#include "core/member_check.hpp"
#include "core/schedule_checks.hpp"
#include "core/utf8.hpp"

#include <algorithm>
#include <string>

namespace errand {
namespace {

// Their ids stand in the task's record, which is read with each attempt.
constexpr std::size_t most_dependencies = 200'000;

}  // namespace

namespace {

void check_recurrence(const member_check& check, std::string_view handler, const policy& rules,
                      std::size_t arguments) {
    if (rules.cron.empty()) return;
    const auto& identity = rules.aliases.empty() ? handler : std::string_view{rules.aliases.back()};
    check_cron(handler, "policy", rules.cron, {.handler = identity, .key = policy_schedule_key});
    if (arguments > 0) {
        check.refuse(
            "cron", member_check::quote(rules.cron),
            "perform takes arguments, which a policy cannot give: declare the schedule with cron() of its "
            "proxy");
    }
}

}  // namespace

void check_policy(std::string_view handler, const policy& rules, std::size_t arguments) {
    const member_check check{handler, "policy"};
    if (!rules.name.empty()) check.name("name", rules.name);
    for (const auto& alias : rules.aliases) check.name("aliases", alias);
    check.name("queue", rules.queue);
    check.length_of_time("timeout", rules.timeout);
    check.number("max_retry", rules.max_retry, 0, most_retries);
    check.number("priority", rules.priority, 0, 9);
    if (rules.unique_for) check.length_of_time("unique_for", *rules.unique_for);
    check.length_of_time("retention", rules.retention);
    if (rules.expires_after) check.length_of_time("expires_after", *rules.expires_after);
    check.length_of_time("shelve_after", rules.shelve_after);
    check_limits_of(handler, rules);
    check_recurrence(check, handler, rules, arguments);
}

void check_options(std::string_view handler, const options& given) {
    const member_check check{handler, "options"};
    if (given.biz_id) check_biz_id(handler, *given.biz_id);
    if (given.queue) check.name("queue", *given.queue);
    // A negative one is none.
    if (given.delay) check.length_of_time("delay", std::max(*given.delay, duration::zero()));
    if (given.delay && given.at) check.refuse("at", "", "cannot be given together with .delay");
    if (given.at && given.at->time_since_epoch() > 10 * max_duration) {
        check.refuse("at", member_check::text(given.at->time_since_epoch()) + " since 1970",
                     "must be before the year 2970");
    }
    if (given.priority) check.number("priority", *given.priority, 0, 9);
    if (given.timeout) check.length_of_time("timeout", *given.timeout);
    if (given.max_retry) check.number("max_retry", *given.max_retry, 0, most_retries);
    if (given.expires_after) check.length_of_time("expires_after", *given.expires_after);
    if (given.retention) check.length_of_time("retention", *given.retention);
    if (given.after.size() > most_dependencies) {
        check.refuse("after", std::to_string(given.after.size()) + " tasks",
                     "must not be more than " + std::to_string(most_dependencies));
    }
    for (const auto& [key, value] : given.headers) {
        check.name("headers", key);
        if (first_invalid_utf8(value) != value.size())
            check.refuse("headers", member_check::quote(value), "must be UTF-8");
    }
    for (const auto& tag : given.tags) check.name("tags", tag);
}

options options_over(const options& above, const options& below) {
    const auto first = [](const auto& one, const auto& other) { return one ? one : other; };
    options both = above;
    both.biz_id = first(above.biz_id, below.biz_id);
    both.queue = first(above.queue, below.queue);
    both.delay = first(above.delay, below.delay);
    both.at = first(above.at, below.at);
    both.priority = first(above.priority, below.priority);
    both.timeout = first(above.timeout, below.timeout);
    both.max_retry = first(above.max_retry, below.max_retry);
    both.expires_after = first(above.expires_after, below.expires_after);
    both.retention = first(above.retention, below.retention);
    if (above.after.empty()) both.after = below.after;
    both.on_failed_dependency = first(above.on_failed_dependency, below.on_failed_dependency);
    both.on_duplicate = first(above.on_duplicate, below.on_duplicate);
    both.headers.insert(below.headers.begin(), below.headers.end());
    if (above.tags.empty()) both.tags = below.tags;
    return both;
}

void check_wire_name(std::string_view name) { member_check{name, "submission"}.name("wire name", name); }

void check_biz_id(std::string_view handler, std::string_view biz_id) {
    const member_check check{handler, "options"};
    if (biz_id.empty()) check.refuse("biz_id", "\"\"", "must not be empty");
    if (biz_id.size() > max_biz_id_length) {
        check.refuse("biz_id", member_check::quote(biz_id),
                     "is " + std::to_string(biz_id.size()) + " bytes long; the limit is " +
                         std::to_string(max_biz_id_length));
    }
    if (first_invalid_utf8(biz_id) != biz_id.size())
        check.refuse("biz_id", member_check::quote(biz_id), "must be UTF-8");
}

}  // namespace errand
