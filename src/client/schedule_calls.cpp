// What an errand::schedule does once it is declared.
#include <errand/error.hpp>
#include <errand/handle.hpp>
#include <errand/schedule.hpp>

#include "client/schedule_change.hpp"
#include "client/schedule_info.hpp"
#include "client/submit_steps.hpp"
#include "client/within_quota.hpp"
#include "runtime/caller_loop.hpp"
#include "runtime/handlers.hpp"
#include "runtime/schedule_steps.hpp"
#include "runtime/task_event.hpp"
#include "runtime/task_gates.hpp"

#include <algorithm>

namespace errand {
namespace {

constexpr std::size_t backfilled_per_page = 500;
constexpr std::int64_t most_backfilled = 100'000;
// Of one page: bodies may be large.
constexpr std::size_t backfilled_bytes = std::size_t{8} * 1024 * 1024;

awaitable<schedule_info> schedule_info_on(loop& there, task_id id) {
    const auto seen = co_await look_at_schedule(there.tasks(), id);
    co_return info_of(required_record(seen));
}

// Whether it was changed.
awaitable<bool> change_schedule_on(loop& there, task_id id, schedule_rule rule) {
    const auto move = co_await change_schedule(there.tasks(), id, std::move(rule));
    co_return move.changed;
}

awaitable<handle<boost::json::value>> run_now_on(loop& there, detail::app_core* app, task_id id) {
    const auto seen = co_await look_at_schedule(there.tasks(), id);
    auto made = run_now(required_record(seen), seen.now);
    if (const auto rules = app->overrides.quota_rules()) count_what_runs(*rules, made.body);
    const auto* handler = handlers::find(made.body.handler);
    const auto kept_for = handler ? handler->policy.retention : policy{}.retention;
    const auto retention = made.body.retention.value_or(kept_for);
    const auto item = item_of(std::move(made), seen.now);
    submit_answer answer;
    std::exception_ptr refused;
    try {
        if (app->overrides.any_quota()) co_await need_quota(there, *app, 1);
        answer = co_await there.submissions().submit(submission_item{item});
    } catch (...) {
        refused = std::current_exception();
    }
    if (refused) {
        tell_refused(app->events, item, refused);
        std::rethrow_exception(refused);
    }
    tell_submitted(app->events, item, answer);
    const auto life = incarnation_of(item.body);
    co_return handle<boost::json::value>{detail::ref_of(*app, item.id, life, answer, retention)};
}

// Of those that have none.
awaitable<std::size_t> make_runs(loop& there, const detail::app_core& app, std::vector<planned_run> planned) {
    const auto& events = app.events;
    if (const auto rules = app.overrides.quota_rules()) {
        for (auto& one : planned) count_what_runs(*rules, one.body);
        co_await need_quota(there, app, std::ssize(planned));
    }
    std::vector<submission_item> items;
    for (auto& one : planned) {
        items.push_back(item_of(std::move(one), there.tasks().now()));
        items.back().conflict = on_conflict::where_free;
    }
    const auto got = co_await there.submissions().submit_group(std::move(items), submit_mode::each);
    std::size_t made = 0;
    std::exception_ptr failed;
    for (std::size_t i = 0; i < got.items.size(); ++i) {
        if (const auto why = got.failures.empty() ? nullptr : got.failures[i]) {
            tell_refused(events, got.items[i], why);
            failed = why;
        } else if (got.answers[i].verdict == submit_verdict::accepted) {
            tell_submitted(events, got.items[i], got.answers[i]);
            ++made;
        }
    }
    if (failed) std::rethrow_exception(failed);
    co_return made;
}

awaitable<std::size_t> backfill_on(loop& there, detail::app_core* app, task_id id, time_point from,
                                   time_point to) {
    const auto zones = app->zone_finder();
    const auto seen = co_await look_at_schedule(there.tasks(), id);
    const auto& record = required_record(seen);
    to = std::min(to, seen.now);
    const auto ticks = ticks_to_backfill(record, from, to, zones);
    if (ticks > most_backfilled) {
        throw usage_error{"backfill of schedule " + record.key + " of " + record.run.handler +
                          ": there are " + std::to_string(ticks) +
                          " ticks between from and to, and 100000 are the limit: take "
                          "shorter times one after the other"};
    }
    const auto weight = record.run.args.size() + 1000;
    const auto page = std::clamp<std::size_t>(backfilled_bytes / weight, 1, backfilled_per_page);
    std::size_t made = 0;
    while (from < to) {
        auto planned = backfill(record, from, to, page, zones);
        if (planned.empty()) break;
        from = planned.back().body.origin->tick + duration{1};
        made += co_await make_runs(there, *app, std::move(planned));
    }
    co_return made;
}

awaitable<std::vector<time_point>> upcoming_on(loop& there, task_id id, std::size_t most, zone_source zones) {
    const auto seen = co_await look_at_schedule(there.tasks(), id);
    co_return upcoming(required_record(seen), most, zones);
}

}  // namespace

std::string schedule::id() const { return to_text(task_id{id_}); }

awaitable<schedule_info> schedule::info() const {
    return on_loop_of(app_, [id = task_id{id_}](loop& there) { return schedule_info_on(there, id); });
}

awaitable<bool> schedule::pause() const {
    return on_loop_of(app_, [id = task_id{id_}](loop& there) {
        return change_schedule_on(there, id, [](const seen_schedule& seen) {
            return errand::pause(required_record(seen));
        });
    });
}

awaitable<bool> schedule::resume() const {
    return on_loop_of(app_, [id = task_id{id_}, zones = app_->zone_finder()](loop& there) {
        return change_schedule_on(there, id, [zones](const seen_schedule& seen) {
            return errand::resume(required_record(seen), seen.now, zones);
        });
    });
}

awaitable<bool> schedule::cancel() const {
    return on_loop_of(app_, [id = task_id{id_}](loop& there) {
        return change_schedule_on(there, id, [](const seen_schedule& seen) {
            return errand::cancel(required_record(seen), seen.now);
        });
    });
}

awaitable<handle<boost::json::value>> schedule::run_now() const {
    return on_loop_of(app_,
                      [app = app_, id = task_id{id_}](loop& there) { return run_now_on(there, app, id); });
}

awaitable<std::size_t> schedule::backfill(time_point from, time_point to) const {
    if (from >= to) throw usage_error{"backfill of schedule " + id() + ": `from` must be before `to`"};
    return on_loop_of(app_, [app = app_, id = task_id{id_}, from, to](loop& there) {
        return backfill_on(there, app, id, from, to);
    });
}

awaitable<std::vector<time_point>> schedule::upcoming(std::size_t most) const {
    return on_loop_of(app_, [id = task_id{id_}, most, zones = app_->zone_finder()](loop& there) {
        return upcoming_on(there, id, most, zones);
    });
}

}  // namespace errand
