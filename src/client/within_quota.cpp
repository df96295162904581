#include "client/within_quota.hpp"

#include <errand/error.hpp>

#include "client/schedule_change.hpp"
#include "core/json_quote.hpp"

#include <algorithm>
#include <chrono>
#include <set>

namespace errand {
namespace {

constexpr std::size_t schedules_per_page = 1000;

std::string quota_of(const detail::app_core& app) {
    return "the quota of namespace " + detail::quoted_extract(app.settings.name_space);
}

std::string counted(std::int64_t count, const std::string& what) {
    return std::to_string(count) + ' ' + what + (count == 1 ? "" : "s");
}

// Rounded up: whoever comes back then is not early.
duration milliseconds_of(std::int64_t us) {
    return std::chrono::ceil<duration>(std::chrono::microseconds{us});
}

bool is_live(const schedule_record& record) {
    return record.state == schedule_state::active || record.state == schedule_state::paused;
}

bool is_live(const std::string& bytes) {
    try {
        return is_live(decode_schedule(bytes));
    } catch (const bad_data&) {
        return true;  // of a later version
    }
}

std::exception_ptr refused_by_rate(const detail::app_core& app, const rate_limit& rate,
                                   const quota_answer& answer, std::int64_t count, bool whole) {
    const auto allows = quota_of(app) + " lets " + counted(rate.count, "task") + " be submitted in " +
                        std::to_string(rate.per.count()) + " ms";
    if (whole && count > bucket_of(rate)) {
        return std::make_exception_ptr(quota_exceeded{
            allows + " and " + std::to_string(bucket_of(rate)) + " at once, and these are " +
                std::to_string(count) + ", all or none: submit fewer together, or raise the quota",
            std::nullopt});
    }
    const auto after = milliseconds_of(answer.opens_in);
    return std::make_exception_ptr(quota_exceeded{
        allows + ": submit again in " + std::to_string(after.count()) + " ms", after});
}

std::exception_ptr refused_by_length(const detail::app_core& app, std::int64_t most,
                                     const quota_answer& answer, std::int64_t count, bool whole) {
    if (most == 0 || (whole && count > most)) {
        return std::make_exception_ptr(quota_exceeded{
            quota_of(app) + " lets " + counted(most, "task") + " be queued, and this would be " +
                std::to_string(count) + ": raise it with app.set_quota or `errand quota set`",
            std::nullopt});
    }
    return std::make_exception_ptr(quota_exceeded{quota_of(app) + " lets " + counted(most, "task") +
                                                      " be queued, and " + std::to_string(answer.queued) +
                                                      " are: submit again when workers have done some",
                                                  milliseconds_of(answer.opens_in)});
}

}  // namespace

std::exception_ptr payload_refusal(const detail::app_core& app, const quota& rules,
                                   const std::string& handler, std::size_t bytes) {
    if (!rules.max_payload || bytes <= static_cast<std::size_t>(*rules.max_payload)) return nullptr;
    return std::make_exception_ptr(quota_exceeded{
        "args: " + std::to_string(bytes) + " bytes of JSON for " + handler + ", and " + quota_of(app) +
            " allows " + std::to_string(*rules.max_payload) + ": pass a reference to the data instead",
        std::nullopt});
}

std::exception_ptr quota_refusal(const detail::app_core& app, const quota& rules, const quota_answer& answer,
                                 std::int64_t count, bool whole) {
    if (answer.why == quota_answer::kept_by::rate && rules.submit_rate)
        return refused_by_rate(app, *rules.submit_rate, answer, count, whole);
    return refused_by_length(app, rules.max_queued.value_or(0), answer, count, whole);
}

awaitable<void> need_quota(loop& there, const detail::app_core& app, std::int64_t count) {
    const auto rules = app.overrides.quota_rules();
    if (!rules || count == 0) co_return;
    // One task is whole anyway, and is asked for together with others.
    const bool whole = count > 1;
    const auto got = co_await there.quotas().take(count, whole);
    if (got.admitted < count) std::rethrow_exception(quota_refusal(app, *rules, got, count, whole));
}

awaitable<void> need_schedule_quota(store& in, const detail::app_core& app,
                                    std::span<const schedule_record> declared) {
    const auto rules = app.overrides.quota_rules();
    if (!rules || !rules->max_schedules || declared.empty()) co_return;
    std::set<task_id> asked;
    for (const auto& one : declared) asked.insert(id_of(one));
    const std::vector<task_id> ids{asked.begin(), asked.end()};
    std::int64_t added = 0, there = 0;
    for (const auto& one : (co_await in.find_schedules(ids)).schedules) {
        if (one.record.empty() || !is_live(one.record)) ++added;
    }
    if (added == 0) co_return;
    schedule_list page;
    std::string after;
    do {
        page = co_await in.list_schedules(after, schedules_per_page);
        for (const auto& one : page.schedules) there += is_live(one.record) ? 1 : 0;
        if (page.names.empty()) break;
        after = page.names.back();
    } while (page.more && there + added <= *rules->max_schedules);
    if (there + added <= *rules->max_schedules) co_return;
    throw quota_exceeded{quota_of(app) + " allows " + counted(*rules->max_schedules, "schedule") +
                             ", and there are as many: cancel some, or raise it",
                         std::nullopt};
}

}  // namespace errand
