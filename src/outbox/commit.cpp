#include "outbox/commit.hpp"

#include <errand/error.hpp>

#include "client/settle_submission.hpp"
#include "client/within_quota.hpp"
#include "core/task_id.hpp"
#include "runtime/app_core.hpp"
#include "runtime/at_most.hpp"
#include "runtime/caller_loop.hpp"
#include "runtime/on_loop.hpp"

#include <boost/asio/bind_cancellation_slot.hpp>
#include <boost/asio/cancel_after.hpp>
#include <boost/asio/this_coro.hpp>
#include <boost/system/system_error.hpp>

#include <algorithm>

namespace errand::detail {

namespace asio = boost::asio;

namespace {

// Of one statement; servers refuse larger ones.
constexpr std::size_t most_bytes = std::size_t{8} * 1024 * 1024;

// Only these can be thrown by a submission.
bool may_be_refused(const held_task& one) {
    return one.what.conflict == on_conflict::reject || one.what.conflict == on_conflict::replace ||
           !one.what.after.empty();
}

std::vector<submission_item> stamped(const held_list& list, time_point now) {
    auto items = items_of(list, now);
    for (auto& item : items) {
        if (!item.delay) continue;
        item.at = now + *item.delay;
        item.delay.reset();
    }
    return items;
}

std::string declaration_of(schedule_record declared, time_point committed) {
    declared.declared_at = committed;
    return encode(declared);
}

awaitable<void> ask_first(loop& there, const held_list& list, std::vector<submission_item> items) {
    auto got = co_await ask_whole(there, std::move(items));
    for (std::size_t i = 0; i < list.size(); ++i)
        list[i]->duplicate = got.answers[i].verdict == submit_verdict::duplicate;
    co_await throw_refusal(there.tasks(), list, got.answers);
}

awaitable<void> ask_quota(loop& there, const app_core& app, const held_list& list) {
    co_await need_schedule_quota(there.tasks(), app, schedules_of(list));
    co_await need_quota(there, app, std::ssize(tasks_of(list)));
}

// Whether the quota was asked: while the store is away the commit goes on, and whoever delivers it asks.
awaitable<bool> let_through(database_core& on, const held_list& list) {
    if (!on.app().overrides.any_quota() || on.sender().quota_is_away()) co_return false;
    const auto executor = co_await asio::this_coro::executor;
    const auto ask = [&](loop& there) { return ask_quota(there, on.app(), list); };
    try {
        // The loop of a handler would wait for ever, with the database's locks held.
        co_await at_most(executor, on_loop(caller_loop(executor, on.app()), ask),
                         on.app().settings.store_timeout);
        co_return true;
    } catch (const quota_exceeded&) {
        throw;
    } catch (const std::exception&) {
        on.sender().note_quota(true);
    }
    co_await asio::this_coro::throw_if_cancelled();
    co_return false;
}

}  // namespace

awaitable<std::vector<outbox_entry>> entries_for(std::shared_ptr<database_core> on, held_list list) {
    std::vector<outbox_entry> entries;
    if (list.empty()) co_return entries;
    const auto now = on->sender().store_now();
    const auto tasks = tasks_of(list);
    fit_to_quota(on->app(), tasks);
    auto items = stamped(tasks, now);
    if (std::ranges::any_of(tasks, [](const auto& one) { return may_be_refused(*one); })) {
        auto executor = co_await asio::this_coro::executor;
        co_await on_loop(caller_loop(executor, on->app()),
                         [&](loop& there) { return ask_first(there, tasks, items); });
    }
    const bool admitted = co_await let_through(*on, list);
    const auto batch = to_text(new_task_id(now.time_since_epoch().count()));
    entries.reserve(list.size());
    const auto made = std::chrono::steady_clock::now();
    std::size_t next = 0;
    for (std::size_t place = 0; place < list.size(); ++place) {
        const auto& task = list[place];
        task->courier = on->sender().shared_from_this();
        task->batch = batch;
        task->place = place;
        outbox_entry entry{.batch = batch, .place = static_cast<std::int64_t>(place)};
        entry.task = task;
        entry.made = made;
        entry.admitted = admitted;
        if (task->schedule) {
            entry.schedule = declaration_of(*task->schedule, now);
            entry.item.id = derive_schedule_id(task->schedule->identity, task->schedule->key);
        } else {
            entry.item = std::move(items[next++]);
            entry.life = task->life;
        }
        entries.push_back(std::move(entry));
    }
    co_return entries;
}

std::vector<sql::statement> rows_of(const database_core& on, const std::vector<outbox_entry>& entries) {
    std::vector<sql::statement> all;
    const auto most_rows = on.dialect().most_parameters / outbox_columns;
    const auto seals = on.seals();
    for (std::size_t next = 0; next < entries.size();) {
        sql::statement insert;
        std::size_t rows = 0, bytes = 0;
        for (; next < entries.size() && rows < most_rows; ++next, ++rows) {
            bytes += entries[next].item.body.size() + entries[next].schedule.size();
            if (rows > 0 && bytes > most_bytes) break;
            if (seals) {
                append_row(insert.values, on.name_space(), sealed_entry(entries[next], *seals));
            } else {
                append_row(insert.values, on.name_space(), entries[next]);
            }
        }
        insert.text = on.statements().insert(rows);
        all.push_back(std::move(insert));
    }
    return all;
}

awaitable<void> undisturbed(awaitable<void> work) {
    co_await asio::co_spawn(co_await asio::this_coro::executor, std::move(work),
                            asio::bind_cancellation_slot(asio::cancellation_slot{}, asio::use_awaitable));
}

void send(const std::shared_ptr<database_core>& on, const held_list& list,
          std::vector<outbox_entry> entries) {
    if (list.empty()) return;
    settle(list, held_task::fate::committed, true);
    on->app().events.publish({.kind = event_kind::commit_step, .text = "committed"});
    on->sender().post(on, std::move(entries));
}

awaitable<void> word_of_store(std::shared_ptr<database_core> on, held_list list) {
    const auto executor = co_await asio::this_coro::executor;
    const auto until = std::chrono::steady_clock::now() + courier::usual_answer;
    for (const auto& one : list) {
        const auto left = until - std::chrono::steady_clock::now();
        // One in the database's own store is known already.
        if (one->now.load(std::memory_order_acquire) != held_task::fate::committed) continue;
        const bool is_awaited = one->biz_id || one->schedule;
        if (!is_awaited || !on->sender().is_prompt(*one) || left <= left.zero()) continue;
        try {
            co_await asio::co_spawn(executor, one->courier->of(one),
                                    asio::cancel_after(left, asio::use_awaitable));
        } catch (const std::exception&) {
            // It is on its way: nothing is thrown after a commit.
        }
    }
}

}  // namespace errand::detail
