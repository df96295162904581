#include "outbox/courier.hpp"

#include <errand/error.hpp>

#include "client/schedule_change.hpp"
#include "client/within_quota.hpp"
#include "core/attempt_rules.hpp"
#include "core/quota_record.hpp"
#include "core/settings_record.hpp"
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
#include <set>

namespace errand::detail {

namespace asio = boost::asio;
using namespace std::chrono_literals;

namespace {

// A lone commit leaves at once; of many a second each call takes along what has come in this time, as a call costs store and
// program ten times what a task in it does. A call that took several commits along says that more are coming: those wait
// for longer, as what the calls cost is what the next commits lack.
constexpr auto least_between_calls = 5ms, least_when_many = 20ms;
constexpr std::size_t many_commits = 4;

awaitable<void> pause(std::chrono::milliseconds length) {
    asio::steady_timer timer{co_await asio::this_coro::executor, length};
    co_await timer.async_wait(asio::as_tuple(asio::use_awaitable));
}

bool is_last_of_commit(const std::vector<outbox_entry>& in, std::size_t at) {
    return at + 1 == in.size() || in[at + 1].batch != in[at].batch;
}

std::size_t commits_in(const std::vector<outbox_entry>& entries) {
    std::size_t n = 0;
    for (std::size_t at = 0; at < entries.size(); ++at) n += is_last_of_commit(entries, at) ? 1U : 0U;
    return n;
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
    app.log->warn("{}a task was committed, but the store did not take it any more: {}", app.label(), text);
    auto said = task_event(event_kind::delivery_refused, item.id, body);
    said.text = describe(why).message;
    app.events.publish(std::move(said));
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
      away_{std::make_unique<std::atomic<bool>[]>(there_.tasks().shards())},
      lanes_{there_.tasks().shards(),
             [this](const outbox_entry& one) { return route_of(there_.tasks(), one); }},
      striker_{on, there_,
               [this] {
                   if (changed_) changed_->open();
               }},
      changed_{std::in_place, there_.executor()} {}

time_point courier::store_now() const { return app_.now() + duration{ahead_}; }

bool courier::is_prompt(const held_task& task) const {
    const auto shards = route_of(there_.tasks(), task);
    if (is_away(shards)) return false;
    const std::lock_guard lock{guard_};
    const auto at = calls_.find(shards);
    const auto since = at == calls_.end() ? never : at->second.asked_at.load();
    return since == never || std::chrono::steady_clock::now() - since < usual_answer;
}

bool courier::is_away(const shard_set& shards) const {
    return std::ranges::any_of(shards, [this](std::size_t shard) { return away_[shard].load(); });
}

bool courier::quota_is_away() const {
    return away_[there_.tasks().shard_of(place_of_settings(quota_record_name))];
}

void courier::note_quota(bool away) {
    away_[there_.tasks().shard_of(place_of_settings(quota_record_name))] = away;
}

// Which of several shards is away that a call concerned is not known; they have calls of their own.
void courier::note_away(std::span<const outbox_entry> entries, bool away) {
    if (there_.tasks().shards() == 1) {
        away_[0] = away;
        return;
    }
    for (const auto& one : entries) {
        const auto shards = route_of(there_.tasks(), one);
        if (shards.size() == 1) away_[shards.front()] = away;
    }
}

void courier::post(std::shared_ptr<database_core> on, std::vector<outbox_entry> commit) {
    auto all = lanes_.put_in_line(std::move(commit));
    if (all.empty()) return;
    asio::post(there_.context(), [self = shared_from_this(), on = std::move(on), all = std::move(all)] {
        for (const auto& [of, needs] : all) {
            if (needs == delivery_lanes::need::haste) {
                if (auto* waits = self->calls_of(*of).next) waits->cancel();
            }
            if (needs == delivery_lanes::need::call)
                asio::co_spawn(self->there_.executor(), self->run(on, *of),
                               asio::detached);  // throws nothing
        }
    });
}

courier::lane_calls& courier::calls_of(const lane& of) {
    const std::lock_guard lock{guard_};
    return calls_[of.shards];
}

bool courier::is_delivering() const {
    return std::ranges::any_of(lanes_.delivering(),
                               [this](const lane* one) { return !is_away(one->shards); });
}

// `on` lives as long as this.
awaitable<void> courier::run(std::shared_ptr<database_core> on, lane& of) {
    for (co_await let_more_come(of); lanes_.fetch(of); co_await let_more_come(of)) {
        if (of.on_way.empty()) {
            if (!changed_) {
                // Whoever waits for a task of it has this alive, and is told that it was stopped.
                lanes_.give_up(of);
                break;
            }
            co_await changed_->wait();
            continue;
        }
        try {
            auto stayed = co_await deliver_own(on, of);
            lanes_.answered(of, std::move(stayed));
        } catch (const std::exception& e) {
            app_.log->warn("{}{} tasks wait in the outbox of {}: {}", app_.label(), of.on_way.size(),
                           of_.shown_url(), e.what());
            lanes_.failed(of);
        }
        if (changed_) changed_->open();
    }
    if (changed_) changed_->open();
}

// The ids of those that stay in the outbox.
awaitable<std::unordered_set<task_id>> courier::deliver_own(std::shared_ptr<database_core> on, lane& of) {
    auto& calls = calls_of(of);
    calls.last = std::chrono::steady_clock::now();
    calls.last_commits = commits_in(of.on_way);
    co_await leave_out_what_is_gone(of);
    if (of.on_way.empty()) co_return std::unordered_set<task_id>{};
    co_return co_await deliver_some(on, of);
}

// What has waited for long may have been delivered by a relay, run and forgotten: the store would take it for another one.
awaitable<void> courier::leave_out_what_is_gone(lane& of) {
    std::vector<outbox_entry> old;
    std::set<std::pair<std::string, std::int64_t>> gone;
    for (const auto& one : of.on_way) {
        if (is_own(one.made)) continue;
        old.push_back({.batch = one.batch, .place = one.place});
        gone.emplace(one.batch, one.place);
    }
    if (old.empty()) co_return;
    const auto got =
        co_await of_.run_alone(of_.statements()["outbox.standing"], {places_of(old), of_.name_space()});
    for (const auto& row : rows_in<std::pair<std::string, std::int64_t>>(got)) gone.erase(row);
    std::erase_if(of.on_way, [&](const outbox_entry& one) { return gone.contains({one.batch, one.place}); });
}

// The ids of those that stay in the outbox.
awaitable<std::unordered_set<task_id>> courier::deliver_some(const std::shared_ptr<database_core>& on,
                                                             lane& of) {
    auto& asked_at = calls_of(of).asked_at;
    asked_at = std::chrono::steady_clock::now();
    struct until_answered {
        std::atomic<std::chrono::steady_clock::time_point>& at;
        ~until_answered() { at = never; }
    } guard{asked_at};
    const auto all = co_await bring(of.on_way);
    warn_of_first(all);
    std::unordered_set<task_id> left;
    std::vector<outbox_entry> done;
    for (std::size_t i = 0; i < of.on_way.size(); ++i) {
        const bool is_last = is_last_of_commit(of.on_way, i);
        if (all[i].stays) {
            left.insert(of.on_way[i].item.id);
        } else {
            tell(of.on_way[i], all[i].got);
            done.push_back(std::move(of.on_way[i]));
        }
        if (is_last) app_.events.publish({.kind = event_kind::commit_step, .text = "delivered"});
    }
    counts.count_own(done.size());
    strike(on, done);
    co_return left;
}

void courier::forget_later(std::vector<delivered_task> tasks) { striker_.forget_later(std::move(tasks)); }

awaitable<void> courier::forget_what_is_due() { return striker_.forget_what_is_due(); }

void courier::strike(std::shared_ptr<database_core> on, const std::vector<outbox_entry>& delivered) {
    striker_.add(std::move(on), delivered);
}

void courier::warn_of_first(const std::vector<brought>& all) const {
    const auto late = std::ranges::find_if(all, [](const brought& one) { return one.got.failed != nullptr; });
    if (late == all.end()) return;
    const auto count =
        std::count_if(late, all.end(), [](const brought& one) { return one.got.failed != nullptr; });
    app_.log->warn("{}{} of {} tasks wait in the outbox of {}: {}", app_.label(), count, all.size(),
                   of_.shown_url(), describe(late->got.failed).message);
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

awaitable<void> courier::let_more_come(lane& of) {
    auto& calls = calls_of(of);
    const auto until =
        calls.last + (calls.last_commits < many_commits ? least_between_calls : least_when_many);
    const bool soon = std::chrono::steady_clock::now() < until;
    if (hurry_ || !soon || lanes_.is_urgent(of)) co_return;
    asio::steady_timer timer{co_await asio::this_coro::executor, until};
    calls.next = &timer;
    co_await timer.async_wait(asio::as_tuple(asio::use_awaitable));
    calls.next = nullptr;
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
        if (self->lanes_.has(*task)) {
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
    lanes_.stop();
    if (changed_) changed_->open();
    changed_.reset();
}

awaitable<void> courier::flush(duration most) {
    const auto until = std::chrono::steady_clock::now() + most;
    hurry_ = true;
    {
        const std::lock_guard lock{guard_};
        for (auto& [shards, of_lane] : calls_) {
            if (of_lane.next) of_lane.next->cancel();
        }
    }
    striker_.hurry();
    while ((is_delivering() || striker_.is_busy()) && std::chrono::steady_clock::now() < until)
        co_await pause(2ms);
}

}  // namespace errand::detail
