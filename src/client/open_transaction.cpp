#include "client/open_transaction.hpp"

#include <errand/error.hpp>
#include <errand/transaction.hpp>

#include "client/batch_weight.hpp"
#include "client/schedule_change.hpp"
#include "client/within_quota.hpp"
#include "runtime/app_core.hpp"
#include "runtime/caller_loop.hpp"
#include "runtime/task_event.hpp"
#include "runtime/task_gates.hpp"

#include <algorithm>
#include <iterator>

namespace errand::detail {

namespace asio = boost::asio;

namespace {
task_names names_of(const held_list& list) {
    task_names names;
    for (const auto& one : list) names[one->what.id] = name_of(one->what.id, one->handler, one->biz_id);
    return names;
}

bool is_settled(const held_task& one) {
    return one.now.load(std::memory_order_acquire) != held_task::fate::committed;
}
}  // namespace

held_list tasks_of(const held_list& list) {
    held_list tasks;
    std::ranges::copy_if(list, std::back_inserter(tasks), [](const auto& one) { return !one->schedule; });
    return tasks;
}

std::vector<schedule_record> schedules_of(const held_list& list) {
    std::vector<schedule_record> declared;
    for (const auto& one : list) {
        if (one->schedule) declared.push_back(*one->schedule);
    }
    return declared;
}

void settle(const held_list& list, held_task::fate fate, bool kept) noexcept {
    for (const auto& one : list) {
        if (kept && one->what.child) one->what.child->keep();
        one->what.child.reset();
        one->now.store(fate, std::memory_order_release);
    }
}

std::vector<submission_item> items_of(const held_list& list, time_point store_now) {
    std::vector<submission_item> items;
    items.reserve(list.size());
    for (const auto& one : list) {
        incarnation life = 0;
        items.push_back(item_of(prepared_submission{one->what}, store_now, life));
        one->life = life;
    }
    return items;
}

void fit_to_quota(const app_core& app, const held_list& tasks) {
    const auto rules = app.overrides.quota_rules();
    if (!rules) return;
    for (const auto& one : tasks) {
        count_what_runs(*rules, one->what.body);
        if (auto why = payload_refusal(app, *rules, one->handler, one->what.body.args.size()))
            std::rethrow_exception(why);
    }
}

awaitable<void> throw_refusal(store& in, const held_list& list, const std::vector<submit_answer>& answers) {
    for (const auto& answer : answers) {
        if (answer.others.empty()) continue;
        std::rethrow_exception(co_await dependency_refusal(in, answer, names_of(list)));
    }
    for (std::size_t i = 0; i < list.size(); ++i) {
        if (answers[i].verdict != submit_verdict::rejected) continue;
        const auto& one = *list[i];
        std::rethrow_exception(refusal(answers[i], one.what.id, one.handler, one.biz_id, one.what.conflict));
    }
}

bool has_arrived(const task_ref& ref) noexcept { return !ref.held || is_settled(*ref.held); }

awaitable<void> arrived(task_ref ref) {
    if (has_arrived(ref)) co_return;
    co_await ref.held->courier->of(ref.held);
}

open_transaction::open_transaction(app_core& app, std::shared_ptr<open_transaction> outer,
                                   std::shared_ptr<transaction_level> level, lock_mark locked)
    : app_{&app},
      outer_{std::move(outer)},
      level_{level || !outer_ ? std::move(level) : outer_->level()},
      locked_{locked || !outer_ ? std::move(locked) : outer_->locked_} {}

open_transaction::~open_transaction() { drop(); }

task_ref open_transaction::hold(prepared_submission one) {
    auto task = std::make_shared<held_task>();
    task->handler = one.body.handler;
    task->biz_id = one.body.biz_id;
    task_ref ref{.app = app_,
                 .id = one.id.bytes,
                 .life = 0,
                 .duplicate = false,
                 .held = task,
                 .retention = one.retention};
    task->what = std::move(one);
    add(std::move(task));
    return ref;
}

void open_transaction::hold(schedule_record declared) {
    auto one = std::make_shared<held_task>();
    one->handler = declared.run.handler;
    one->schedule = std::move(declared);
    add(std::move(one));
}

void open_transaction::choose(app_core& core) {
    if (app_ == &core || &app_->own() != &core.own()) return;
    const std::lock_guard lock{guard_};
    if (held_.empty() && !outer_ && !level_ && !locked_) {
        app_ = &core;
        return;
    }
    throw usage_error{"a transaction holds the tasks of one namespace: this one is of namespace \"" +
                      app_->settings.name_space + "\", and what is performed here of \"" +
                      core.settings.name_space + '"'};
}

void open_transaction::add(std::shared_ptr<held_task> one) {
    const std::lock_guard lock{guard_};
    if (ended_) {
        const std::string what = one->schedule ? "a schedule of " + one->handler + " was declared"
                                               : "a task of " + one->handler + " was performed";
        throw usage_error{what + " under a transaction that has ended: await everything that performs tasks "
                                 "before the transaction's body returns"};
    }
    held_.push_back(std::move(one));
}

held_list open_transaction::end() {
    std::lock_guard lock{guard_};
    if (ended_) throw usage_error{"the transaction has ended already: a guard commits once"};
    ended_ = true;
    return std::move(held_);
}

void open_transaction::take_over(held_list list) {
    std::lock_guard lock{guard_};
    if (ended_) {
        settle(list, held_task::fate::dropped, false);
        throw usage_error{"an inner transaction ended after its outer one: nothing of it is submitted"};
    }
    held_.insert(held_.end(), std::make_move_iterator(list.begin()), std::make_move_iterator(list.end()));
}

void open_transaction::drop() noexcept {
    std::lock_guard lock{guard_};
    ended_ = true;
    settle(held_, held_task::fate::dropped, false);
    held_.clear();
}

awaitable<void> open_transaction::commit() {
    auto list = end();
    if (list.empty()) co_return;
    if (outer_) {
        outer_->take_over(std::move(list));
        co_return;
    }
    co_await submit_all(std::move(list));
}

awaitable<void> open_transaction::submit_tasks(loop& there, const held_list& tasks) {
    fit_to_quota(*app_, tasks);
    auto items = items_of(tasks, there.tasks().now());
    check_weight(items);
    if (app_->overrides.any_quota()) co_await need_quota(there, *app_, std::ssize(tasks));
    auto got = co_await submit_whole(there, std::move(items));
    for (std::size_t i = 0; i < tasks.size(); ++i) {
        tasks[i]->duplicate = got.answers[i].verdict == submit_verdict::duplicate;
        if (got.answers[i].life != 0) tasks[i]->life = got.answers[i].life;
    }
    co_await throw_refusal(there.tasks(), tasks, got.answers);
    for (std::size_t i = 0; i < got.items.size(); ++i)
        tell_submitted(app_->events, got.items[i], got.answers[i]);
}

awaitable<void> open_transaction::submit_all(held_list list) {
    auto executor = co_await asio::this_coro::executor;
    std::exception_ptr failure;
    auto fate = held_task::fate::dropped;
    try {
        co_await on_loop(caller_loop(executor, *app_), [&](loop& there) -> awaitable<void> {
            const auto tasks = tasks_of(list);
            if (app_->overrides.any_quota())
                co_await need_schedule_quota(there.tasks(), *app_, schedules_of(list));
            if (!tasks.empty()) co_await submit_tasks(there, tasks);
            fate = held_task::fate::submitted;
            co_await declare_all(there.tasks(), schedules_of(list), app_->zone_finder());
        });
    } catch (const store_error&) {
        // It may have happened: then the handles are good, and else their tasks are unknown to the store.
        failure = std::current_exception();
        fate = held_task::fate::submitted;
    } catch (...) {
        failure = std::current_exception();
    }
    settle(list, fate, !failure);
    if (failure) std::rethrow_exception(failure);
}

void check_may_wait(const ambient* around, const app_core& of) {
    const auto* inside = around ? around->transaction.get() : nullptr;
    if (!inside || &inside->app() != &of || !inside->locks_store()) return;
    throw usage_error{
        "a task was awaited in a transaction of the database that tasks are kept in: no task can end before the "
        "transaction has; await it after the transaction, or before its first statement"};
}

awaitable<void> run_under(std::shared_ptr<open_transaction> held, std::function<awaitable<void>()> body) {
    auto executor = co_await asio::this_coro::executor;
    auto inside = ambient_within(executor);
    if (inside->app != &held->app()) {
        // They are another app's.
        inside->home = nullptr;
        inside->stage = nullptr;
    }
    inside->app = &held->app();
    inside->transaction = held;
    try {
        co_await asio::co_spawn(with_ambient(executor, std::move(inside)), body(), asio::use_awaitable);
    } catch (...) {
        held->drop();
        throw;
    }
}

awaitable<void> run_in_memory_transaction(app& owner, std::function<awaitable<void>()> body) {
    const auto executor = co_await asio::this_coro::executor;
    const ambient* around = ambient_of(executor);
    auto& core = core_for(executor, core_of(owner));
    const bool joins = around && around->transaction && &around->transaction->app() == &core;
    auto held = std::make_shared<open_transaction>(core, joins ? around->transaction : nullptr);
    co_await run_under(held, std::move(body));
    co_await held->commit();
}

std::shared_ptr<open_transaction> held_of(const transaction_guard& guard) { return guard.held(); }

}  // namespace errand::detail

namespace errand {

transaction_guard::transaction_guard(app& owner)
    : state_{std::make_shared<detail::open_transaction>(detail::core_of(owner))} {}

transaction_guard::~transaction_guard() { state_->drop(); }

awaitable<void> transaction_guard::commit() { return state_->commit(); }

void transaction_guard::rollback() noexcept { state_->drop(); }

}  // namespace errand
