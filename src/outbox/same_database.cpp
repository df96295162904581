#include "outbox/same_database.hpp"

#include <errand/error.hpp>

#include "client/batch_weight.hpp"
#include "client/schedule_change.hpp"
#include "client/settle_submission.hpp"
#include "client/within_quota.hpp"
#include "runtime/app_core.hpp"
#include "runtime/dependency_completion.hpp"
#include "runtime/task_event.hpp"
#include "store/sealed.hpp"

namespace errand::detail {

namespace {

awaitable<void> submit_tasks_inside(store& in, const held_list& list) {
    const auto items = items_of(list, in.now());
    check_weight(items);
    auto answers = co_await in.submit(0, items, submit_mode::all_or_nothing);
    for (std::size_t i = 0; i < items.size(); ++i) {
        const auto& item = items[i];
        if (answers[i].verdict == submit_verdict::busy) {
            throw serialization_failure{"another submission of task " +
                                            name_of(item.id, list[i]->handler, list[i]->biz_id) +
                                            " is under way: run the transaction again",
                                        "SQLITE_BUSY"};
        }
        if (answers[i].verdict == submit_verdict::registering)
            answers[i] = co_await complete_dependencies(in, item.id, incarnation_of(item.body), item.after);
    }
    co_await throw_refusal(in, list, answers);
    for (std::size_t i = 0; i < items.size(); ++i) {
        list[i]->duplicate = answers[i].verdict == submit_verdict::duplicate;
        if (answers[i].life != 0) list[i]->life = answers[i].life;
    }
}

// A program may have done nothing yet by which it would have heard of a quota.
awaitable<void> need_quota_inside(app_core& app, store& in, const held_list& list, const held_list& tasks) {
    if (!app.overrides.has_heard()) {
        const auto question = app.overrides.ask();
        app.overrides.heard(question, co_await in.settings());
    }
    const auto rules = app.overrides.quota_rules();
    if (!rules) co_return;
    co_await need_schedule_quota(in, app, schedules_of(list));
    fit_to_quota(app, tasks);
    const auto count = std::ssize(tasks);
    if (count == 0) co_return;
    const auto got = co_await take_from_quota(in, *rules, count, true, app.threadless);
    if (got.admitted < count) std::rethrow_exception(quota_refusal(app, *rules, got, count, true));
}

}  // namespace

awaitable<void> submit_inside(app_core& app, store& plain, const held_list& list) {
    std::unique_ptr<store> sealed;
    if (auto keys = app.seals_in_use()) sealed = seal_store(plain, std::move(keys), app.settings.name_space);
    auto& in = sealed ? *sealed : plain;
    const auto tasks = tasks_of(list);
    co_await need_quota_inside(app, in, list, tasks);
    if (!tasks.empty()) co_await submit_tasks_inside(in, tasks);
    co_await declare_all(in, schedules_of(list), app.zone_finder());
}

void submitted_inside(app_core& app, const held_list& list) {
    settle(list, held_task::fate::submitted, true);
    if (app.events.heard()) {
        for (const auto& one : tasks_of(list)) {
            auto body = one->what.body;
            body.life = one->life;
            if (one->what.delay) body.due_at = body.submitted_at() + *one->what.delay;
            const auto kind = one->duplicate ? event_kind::task_duplicate : event_kind::task_submitted;
            app.events.publish(task_event(kind, one->what.id, body));
        }
    }
    app.events.publish({.kind = event_kind::commit_step, .text = "committed"});
}

}  // namespace errand::detail
