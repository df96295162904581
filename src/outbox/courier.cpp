#include "outbox/courier.hpp"

#include <errand/error.hpp>

#include "client/schedule_change.hpp"
#include "client/within_quota.hpp"
#include "core/attempt_rules.hpp"
#include "runtime/app_core.hpp"
#include "runtime/on_loop.hpp"
#include "runtime/task_event.hpp"

#include <boost/asio/as_tuple.hpp>
#include <boost/asio/detached.hpp>
#include <boost/asio/post.hpp>
#include <boost/asio/steady_timer.hpp>
#include <boost/asio/this_coro.hpp>

#include <spdlog/logger.h>

#include <algorithm>

namespace errand::detail {

namespace asio = boost::asio;
using namespace std::chrono_literals;

namespace {

constexpr std::size_t most_in_line = 10'000, most_on_way = 500;
// A lone commit leaves at once; of many a second each call takes along what has come in this time, as a call costs store and
// program ten times what a task in it does. A call that took several commits along says that more are coming: those wait
// for longer, as what the calls cost is what the next commits lack.
constexpr auto least_between_calls = 5ms, least_when_many = 20ms;
constexpr std::size_t many_commits = 4;
constexpr std::size_t worth_a_call = 400;

awaitable<void> pause(std::chrono::milliseconds length) {
    asio::steady_timer timer{co_await asio::this_coro::executor, length};
    co_await timer.async_wait(asio::as_tuple(asio::use_awaitable));
}

bool is_last_of_commit(const std::vector<outbox_entry>& in, std::size_t at) {
    return at + 1 == in.size() || in[at + 1].batch != in[at].batch;
}

std::size_t commits_in(const std::vector<outbox_entry>& entries) {
    return static_cast<std::size_t>(std::ranges::count(entries, 0, &outbox_entry::place));
}

}  // namespace

void delivery_counts::refused(app_core& app, const submission_item& item, const std::exception_ptr& why) {
    const auto body = decode_body(item.body);
    const auto text = body.handler + ' ' + to_text(item.id) + ": " + describe(why).message;
    {
        const std::lock_guard lock{guard_};
        ++refused_;
        last_refusal_ = text;
    }
    app.log->warn("a task was committed, but the store did not take it any more: {}", text);
    auto said = task_event(event_kind::delivery_refused, item.id, body);
    said.text = describe(why).message;
    app.events.publish(said);
}

void delivery_counts::fill(outbox_info& into) const {
    into.delivered = own_;
    into.left_behind = left_;
    const std::lock_guard lock{guard_};
    into.refused = refused_;
    into.last_refusal = last_refusal_;
}

courier::courier(database_core& on)
    : of_{on},
      app_{on.app()},
      there_{app_.background()},
      striker_{on, there_,
               [this] {
                   if (changed_) changed_->open();
               }},
      changed_{std::in_place, there_.executor()} {}

time_point courier::store_now() const { return app_.now() + duration{ahead_}; }

bool courier::is_prompt() const noexcept {
    if (away_) return false;
    const auto since = asked_at_.load();
    return since == never || std::chrono::steady_clock::now() - since < usual_answer;
}

void courier::post(std::shared_ptr<database_core> on, std::vector<outbox_entry> commit) {
    const auto needs = put_in_line(std::move(commit));
    if (needs == need::nothing) return;
    asio::post(there_.context(), [self = shared_from_this(), on = std::move(on), needs] {
        if (needs == need::haste && self->next_call_) self->next_call_->cancel();
        if (needs == need::call)
            asio::co_spawn(self->there_.executor(), self->run(on), asio::detached);  // throws nothing
    });
}

courier::need courier::put_in_line(std::vector<outbox_entry> commit) {
    // The transaction waits for the store's word.
    const bool awaited =
        std::ranges::any_of(commit, [](const auto& one) { return one.task->biz_id || one.task->schedule; });
    const std::lock_guard lock{guard_};
    // The relay will find them; so will those who wait for them.
    if (line_.size() > most_in_line || stopped_) return need::nothing;
    std::ranges::move(commit, std::back_inserter(line_));
    awaited_ = awaited_ || awaited;
    if (!std::exchange(delivering_, true)) return need::call;
    return awaited || line_.size() >= worth_a_call ? need::haste : need::nothing;
}

// What is to leave now, whole commits; false, and the delivery has ended, when there is nothing.
bool courier::fetch_line() {
    const std::lock_guard lock{guard_};
    while (!line_.empty() && (on_way_.size() < most_on_way || on_way_.back().batch == line_.front().batch)) {
        on_way_.push_back(std::move(line_.front()));
        line_.pop_front();
    }
    awaited_ = false;
    delivering_ = !on_way_.empty();
    return delivering_;
}

bool courier::is_delivering() const {
    const std::lock_guard lock{guard_};
    return delivering_;
}

// `on` lives as long as this.
awaitable<void> courier::run(std::shared_ptr<database_core> on) {
    for (co_await let_more_come(); fetch_line(); co_await let_more_come()) {
        last_call_ = std::chrono::steady_clock::now();
        last_commits_ = commits_in(on_way_);
        try {
            co_await deliver_some(on);
        } catch (const std::exception& e) {
            app_.log->warn("{} tasks wait in the outbox of {}: {}", on_way_.size(), of_.shown_url(),
                           e.what());
        }
        on_way_.clear();
        if (changed_) changed_->open();
    }
    if (changed_) changed_->open();
}

awaitable<std::vector<brought>> courier::bring(std::span<const outbox_entry> entries) {
    std::vector<brought> all(entries.size());
    try {
        co_await there_.ready();
        co_await bring_tasks(entries, all);
        for (std::size_t i = 0; i < entries.size(); ++i) {
            if (!entries[i].schedule.empty()) all[i].stays = !co_await declare(entries[i]);
        }
    } catch (const std::exception&) {
        away_ = true;
        throw;
    }
    away_ = false;
    ahead_ = (there_.tasks().now() - app_.now()).count();
    co_return all;
}

awaitable<std::size_t> courier::count_admitted(std::span<const outbox_entry> entries) {
    if (!app_.overrides.any_quota()) co_return entries.size();
    const auto asks = [](const outbox_entry& one) { return one.schedule.empty() && !one.admitted; };
    const auto count = std::ranges::count_if(entries, asks);
    if (count == 0) co_return entries.size();
    const auto got = co_await there_.quotas().take(count, false);
    auto left = got.admitted;
    for (std::size_t i = 0; i < entries.size(); ++i) {
        if (asks(entries[i]) && left-- == 0) co_return i;
    }
    co_return entries.size();
}

// What the quota keeps waits, and with it what comes after: it may depend on it.
awaitable<void> courier::bring_tasks(std::span<const outbox_entry> entries, std::vector<brought>& into) {
    std::vector<submission_item> items;
    std::vector<std::size_t> places;
    const auto admitted = co_await count_admitted(entries);
    for (std::size_t i = 0; i < entries.size(); ++i) {
        if (!entries[i].schedule.empty()) continue;
        if (i >= admitted) {
            into[i].stays = into[i].over_quota = true;
            continue;
        }
        items.push_back(entries[i].item);
        items.back().may_come_again = true;
        places.push_back(i);
    }
    auto answers = co_await deliver(there_, std::move(items));
    for (std::size_t n = 0; n < answers.size(); ++n) {
        const auto& item = entries[places[n]].item;
        auto& got = into[places[n]].got = std::move(answers[n]);
        into[places[n]].stays = got.failed != nullptr;
        if (got.failed) continue;
        if (got.refused) {
            counts.refused(app_, item, got.refused);
        } else {
            tell_submitted(app_.events, item, got.answer);
        }
    }
}

// False: not by this process. Its machine does not know the time zone, or a later version has written what is there.
awaitable<bool> courier::declare(const outbox_entry& entry) {
    std::string why;
    try {
        std::vector<schedule_record> one;
        one.push_back(decode_schedule(entry.schedule));
        co_await declare_all(there_.tasks(), std::move(one), app_.zone_finder());
        co_return true;
    } catch (const store_error&) {
        throw;
    } catch (const error& e) {
        why = e.what();
    }
    of_.complain("errand_outbox, batch " + entry.batch + ", place " + std::to_string(entry.place) +
                 ": the schedule is not declared yet: " + why);
    co_return false;
}

awaitable<void> courier::deliver_some(const std::shared_ptr<database_core>& on) {
    asked_at_ = std::chrono::steady_clock::now();
    struct answered {
        std::atomic<std::chrono::steady_clock::time_point>& at;
        ~answered() { at = never; }
    } guard{asked_at_};
    const auto all = co_await bring(on_way_);
    warn_of_first(all);
    for (std::size_t i = 0; i < on_way_.size(); ++i) {
        if (!all[i].stays) tell(on_way_[i], all[i].got);
        if (is_last_of_commit(on_way_, i))
            app_.events.publish({.kind = event_kind::commit_step, .text = "delivered"});
    }
    std::erase_if(on_way_, [&, i = std::size_t{0}](const auto&) mutable { return all[i++].stays; });
    counts.count_own(on_way_.size());
    striker_.add(on, on_way_);
}

void courier::warn_of_first(const std::vector<brought>& all) const {
    const auto late = std::ranges::find_if(all, [](const brought& one) { return one.got.failed != nullptr; });
    if (late == all.end()) return;
    const auto count =
        std::count_if(late, all.end(), [](const brought& one) { return one.got.failed != nullptr; });
    app_.log->warn("{} of {} tasks wait in the outbox of {}: {}", count, all.size(), of_.shown_url(),
                   describe(late->got.failed).message);
}

void courier::tell(outbox_entry& entry, const delivered_item& answer) {
    auto& task = *entry.task;
    if (answer.refused) {
        task.refusal = answer.refused;
    } else {
        // A repeat of a delivery meets the task itself.
        const bool own = answer.answer.life == entry.life;
        task.duplicate = answer.answer.verdict == submit_verdict::duplicate && !own;
        task.life = answer.answer.life;
    }
    task.now.store(answer.refused ? held_task::fate::refused : held_task::fate::submitted,
                   std::memory_order_release);
}

awaitable<void> courier::let_more_come() {
    const auto until = last_call_ + (last_commits_ < many_commits ? least_between_calls : least_when_many);
    const bool soon = std::chrono::steady_clock::now() < until;
    const auto is_urgent = [this] {
        const std::lock_guard lock{guard_};
        return awaited_ || line_.size() >= worth_a_call;
    };
    if (hurry_ || !soon || is_urgent()) co_return;
    asio::steady_timer timer{co_await asio::this_coro::executor, until};
    next_call_ = &timer;
    co_await timer.async_wait(asio::as_tuple(asio::use_awaitable));
    next_call_ = nullptr;
}

bool courier::has(const held_task& task) const {
    const auto is_its = [&](const outbox_entry& entry) { return entry.task.get() == &task; };
    const std::lock_guard lock{guard_};
    return std::ranges::any_of(line_, is_its) || std::ranges::any_of(on_way_, is_its);
}

awaitable<void> courier::of(std::shared_ptr<held_task> task) {
    co_await asio::co_spawn(there_.executor(), wait_for(shared_from_this(), std::move(task)),
                            asio::use_awaitable);
}

// What this process does not deliver itself is there once its row is gone.
awaitable<void> courier::wait_for(std::shared_ptr<courier> self, std::shared_ptr<held_task> task) {
    auto length = 5ms;
    while (task->now.load(std::memory_order_acquire) == held_task::fate::committed) {
        if (!self->changed_)
            throw store_error{"the database object was closed before its tasks were delivered"};
        if (self->has(*task)) {
            co_await self->changed_->wait();
        } else if (co_await self->stands(*task)) {
            co_await pause(length);
            length = std::min(length * 2, 500ms);
        } else {
            // With a biz_id it may have met another task: then whichever is there is meant.
            if (task->biz_id) task->life = 0;
            task->now.store(held_task::fate::submitted, std::memory_order_release);
        }
        co_await asio::this_coro::throw_if_cancelled();
    }
}

awaitable<bool> courier::stands(const held_task& task) {
    const auto got =
        co_await of_.run_alone(of_.statements()["outbox.holds"],
                               {of_.name_space(), task.batch, static_cast<std::int64_t>(task.place)});
    co_return got.rows.at(0).at(0) != sql::value{std::int64_t{0}};
}

void courier::stop() {
    {
        const std::lock_guard lock{guard_};
        stopped_ = true;
    }
    if (changed_) changed_->open();
    changed_.reset();
}

awaitable<void> courier::flush(duration most) {
    const auto until = std::chrono::steady_clock::now() + most;
    hurry_ = true;
    if (next_call_) next_call_->cancel();
    striker_.hurry();
    while ((is_delivering() || striker_.is_busy()) && !away_ && std::chrono::steady_clock::now() < until)
        co_await pause(2ms);
}

}  // namespace errand::detail
