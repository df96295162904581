#include "runtime/result_watch.hpp"

#include <errand/error.hpp>

#include "runtime/async_gate.hpp"
#include "runtime/manual_time.hpp"
#include "runtime/no_result.hpp"
#include "runtime/operation_aborted.hpp"
#include "runtime/submit_limits.hpp"

#include <boost/asio/append.hpp>
#include <boost/asio/as_tuple.hpp>
#include <boost/asio/async_result.hpp>
#include <boost/asio/cancellation_signal.hpp>
#include <boost/asio/co_spawn.hpp>
#include <boost/asio/detached.hpp>
#include <boost/asio/dispatch.hpp>
#include <boost/asio/post.hpp>
#include <boost/asio/use_awaitable.hpp>

#include <algorithm>
#include <memory>
#include <span>

namespace errand {

namespace asio = boost::asio;

namespace {
constexpr std::size_t watches_per_call = 500;
// A safety net only: what the store publishes is not lost while the connection stands.
constexpr std::chrono::seconds recheck_interval{30};

// Not of this task: it may be asked for again.
bool is_of_store(const std::exception_ptr& failure) {
    if (!failure) return false;
    try {
        std::rethrow_exception(failure);
    } catch (const unknown_task&) {
        return false;
    } catch (const store_error&) {
        return true;
    } catch (...) {
        return false;
    }
}

}  // namespace

// Several waits that end as one.
struct result_watch::group {
    group(const asio::any_io_executor& executor, std::vector<watched_task> all, result_group& to)
        : tasks{std::move(all)}, tells{to}, left{tasks.size()}, limit{executor} {}

    std::vector<watched_task> tasks;
    result_group& tells;  // only until it is over
    std::size_t left;     // not heard of
    bool over = false;
    asio::steady_timer limit;
    std::optional<manual_wait> moved{};
    asio::any_completion_handler<void(std::exception_ptr, bool)> done;
};

result_watch::result_watch(asio::any_io_executor executor, store& in, std::optional<duration> patience)
    : executor_{executor},
      in_{in},
      of_shard_(in.shards()),
      pace_{executor},
      patience_{patience},
      late_{executor} {}

bool result_watch::is_news(const task_id& id, incarnation life) const {
    const auto [from, to] = waiters_.equal_range(id);
    return std::none_of(from, to, [life](const auto& other) { return other.second.life == life; });
}

template <class Predicate>
void result_watch::forget(const task_id& id, Predicate which) {
    auto [at, to] = waiters_.equal_range(id);
    while (at != to) at = which(at->second) ? waiters_.erase(at) : std::next(at);
}

std::vector<task_id> result_watch::awaited() const {
    std::vector<task_id> all;
    for (const auto& [id, one] : waiters_) all.push_back(id);
    std::ranges::sort(all);
    const auto same = std::ranges::unique(all);
    all.erase(same.begin(), same.end());
    return all;
}

// ---- one task --------------------------------------------------------------------------------------

awaitable<ended_task> result_watch::wait(task_id id, incarnation life) {
    if (closed_) no_result::throw_closing();
    co_return co_await asio::async_initiate<const asio::use_awaitable_t<>,
                                            void(std::exception_ptr, ended_task)>(
        [this, id, life](auto handler) {
            const bool first = is_news(id, life);
            completion done{std::move(handler)};
            auto slot = asio::get_associated_cancellation_slot(done);
            waiter* mine = &waiters_.emplace(id, waiter{life, std::move(done)})->second;
            if (slot.is_connected()) {
                slot.assign([this, id, mine](asio::cancellation_type) mutable {
                    if (!mine) return;  // told twice
                    auto cancelled = std::move(mine->done);
                    forget(id, [mine](const waiter& one) { return &one == mine; });
                    mine = nullptr;
                    asio::post(executor_,
                               asio::append(std::move(cancelled), operation_aborted(), ended_task{}));
                });
            }
            if (!first) return;
            ask(id, life);
            start_asking();
        },
        asio::use_awaitable);
}

// ---- several tasks ---------------------------------------------------------------------------------

awaitable<bool> result_watch::wait_many(std::vector<watched_task> tasks, result_group& to,
                                        std::optional<wait_limit> within) {
    if (closed_) no_result::throw_closing();
    if (tasks.empty()) co_return true;
    const auto joined = std::make_shared<group>(executor_, std::move(tasks), to);
    co_return co_await asio::async_initiate<const asio::use_awaitable_t<>, void(std::exception_ptr, bool)>(
        [this, joined, within](auto handler) {
            joined->done = std::move(handler);
            auto slot = asio::get_associated_cancellation_slot(joined->done);
            if (slot.is_connected()) {
                slot.assign([this, joined](asio::cancellation_type) {
                    if (!joined->over) finish(*joined, operation_aborted(), true);
                });
            }
            if (within) limit(joined, *within);
            begin(joined);
        },
        asio::use_awaitable);
}

void result_watch::limit(const std::shared_ptr<group>& joined, wait_limit within) {
    joined->moved.emplace(within.length, [this, late = joined.get()] { end_late(*late); });
    joined->limit.expires_at(within.until);
    joined->limit.async_wait([this, joined](boost::system::error_code ec) {
        if (ec || joined->over) return;
        joined->moved.reset();
        end_late(*joined);
    });
}

void result_watch::end_late(group& joined) {
    if (joined.over) return;
    asio::get_associated_cancellation_slot(joined.done).clear();
    finish(joined, nullptr, false);
}

void result_watch::begin(const std::shared_ptr<group>& joined) {
    for (std::size_t index = 0; index < joined->tasks.size(); ++index) {
        const auto& [id, life] = joined->tasks[index];
        if (is_news(id, life)) ask(id, life);
        waiters_.emplace(id, waiter{life, {}, joined, index});
    }
    start_asking();
}

// Completes later, not here: whoever is told of one end may be in the middle of telling others.
void result_watch::finish(group& joined, std::exception_ptr failure, bool in_time) {
    joined.over = true;
    joined.limit.cancel();
    if (in_time) joined.moved.reset();  // else the wait that is over may be what calls this
    auto done = std::move(joined.done);
    for (const auto& one : joined.tasks)
        forget(one.id, [&joined](const waiter& other) { return other.of.get() == &joined; });
    if (waiters_.empty()) pace_.cancel();
    asio::post(executor_, asio::append(std::move(done), std::move(failure), in_time));
}

// A waiter that goes on waiting keeps its group.
void result_watch::tell(waiter& one, const ended_task* end, const std::exception_ptr& failure) {
    if (!one.of) {
        asio::get_associated_cancellation_slot(one.done).clear();
        asio::dispatch(asio::append(std::move(one.done), failure, failure ? ended_task{} : *end));
        return;
    }
    const auto joined = one.of;
    if (!joined->over) {
        const bool enough = joined->tells.told(one.index, failure ? nullptr : end, failure);
        if (!enough && !closed_ && is_of_store(failure)) return;
        if (--joined->left == 0 || enough) {
            asio::get_associated_cancellation_slot(joined->done).clear();
            finish(*joined, nullptr, true);
        }
    }
    one.of.reset();
}

// ---- asking the store ------------------------------------------------------------------------------

void result_watch::ask(const task_id& id, incarnation life) {
    of_shard_[in_.shard_of(id)].unasked.push_back({{id, life}, std::chrono::steady_clock::now()});
}

void result_watch::start_asking() {
    bool any = false;
    for (std::size_t shard = 0; shard < of_shard_.size(); ++shard) {
        auto& one = of_shard_[shard];
        any = any || !one.unasked.empty();
        if (one.unasked.empty() || std::exchange(one.sending, true)) continue;
        asio::co_spawn(executor_, send(shard), asio::detached);  // throws nothing: failures go to the waiters
    }
    if (any) look_for_late();
    if (any && !rechecking_) {
        rechecking_ = true;
        asio::co_spawn(executor_, recheck(), asio::detached);
    }
}

awaitable<void> result_watch::send(std::size_t shard) {
    auto& asks = of_shard_[shard];
    while (!asks.unasked.empty() && !closed_) {
        const std::size_t n = std::min(asks.unasked.size(), watches_per_call);
        asks.asked.assign(asks.unasked.end() - static_cast<std::ptrdiff_t>(n), asks.unasked.end());
        asks.unasked.resize(asks.unasked.size() - n);
        std::erase_if(asks.asked, [this](const question& one) { return !waiters_.contains(one.about.id); });
        if (asks.asked.empty()) continue;
        std::vector<watched_task> tasks;
        for (const auto& one : asks.asked) tasks.push_back(one.about);
        try {
            const auto known = co_await in_.watch(tasks);
            for (const auto& end : known.ended) answer_ended(end, known.now);
            for (const auto& id : known.unknown) answer(id, 0, nullptr, no_result::lost(id));
            for (const auto& one : known.replaced) answer(one.id, one.life, nullptr, no_result::gone(one.id));
            for (const auto& one : known.gone) answer(one.id, one.life, nullptr, no_result::deleted(one.id));
            note_asked(tasks);
        } catch (...) {
            for (const auto& one : tasks) answer(one.id, one.life, nullptr, std::current_exception());
        }
        asks.asked.clear();
    }
    asks.sending = false;
    if (std::ranges::none_of(of_shard_, &questions::sending)) rest();
}

// The timer is set once for many: it looks who is late when it ends, and is set to the next.
void result_watch::look_for_late() {
    if (looking_for_late_ || closed_ || !patience_) return;
    std::optional<moment> first;
    for (const auto& shard : of_shard_) {
        for (const auto* some : {&shard.unasked, &shard.asked}) {
            if (!some->empty() && (!first || some->front().since < *first)) first = some->front().since;
        }
    }
    if (!first) return;
    looking_for_late_ = true;
    // Of a call that was begun at once the store tells the cause.
    late_.expires_at(*first + *patience_ + for_the_store);
    late_.async_wait([this](const boost::system::error_code& cancelled) {
        if (cancelled) return;
        looking_for_late_ = false;
        give_up_late();
        look_for_late();
    });
}

// A timer that nobody needs would keep the loop from running empty.
void result_watch::rest() {
    looking_for_late_ = false;
    late_.cancel();
}

void result_watch::give_up_late() {
    const auto came_by = std::chrono::steady_clock::now() - *patience_ - for_the_store;
    std::vector<watched_task> late;
    for (auto& shard : of_shard_) {
        for (auto* some : {&shard.unasked, &shard.asked}) {
            const auto end =
                std::ranges::find_if(*some, [&](const question& one) { return one.since > came_by; });
            for (auto at = some->begin(); at != end; ++at) late.push_back(at->about);
            some->erase(some->begin(), end);
        }
    }
    for (const auto& one : late) answer(one.id, one.life, nullptr, no_result::unanswered(one.id));
}

awaitable<void> result_watch::recheck() {
    while (!waiters_.empty() && !closed_) {
        pace_.expires_after(recheck_interval);
        auto [ec] = co_await pace_.async_wait(asio::as_tuple(asio::use_awaitable));
        if (!ec) reconnected();
    }
    rechecking_ = false;
}

void result_watch::reconnected() {
    for (const auto& [id, one] : waiters_) ask(id, one.life);
    start_asking();
}

void result_watch::ended(const ended_task& task) {
    if (!task.outcome.empty()) return answer(task.id, 0, &task, nullptr);
    if (!waiters_.contains(task.id)) return;
    ask(task.id, 0);
    start_asking();
}

void result_watch::answer(const task_id& id, incarnation life, const ended_task* end,
                          std::exception_ptr failure) {
    // Waiters go first, completions after: what is resumed may wait for the same task again.
    std::vector<waiter> told;
    auto [at, to] = waiters_.equal_range(id);
    while (at != to) {
        if (life != 0 && at->second.life != life) {
            ++at;
            continue;
        }
        told.push_back(std::move(at->second));
        at = waiters_.erase(at);
    }
    for (auto& one : told) {
        auto why = failure;
        // Its own life ended before this one began, and was overwritten.
        if (!why && one.life != 0 && end->life != 0 && one.life != end->life) why = no_result::gone(id);
        tell(one, end, why);
        if (one.of) waiters_.emplace(id, std::move(one));
    }
    if (waiters_.empty()) pace_.cancel();
}

void result_watch::answer_ended(const ended_task& end, time_point now) {
    if (no_result::comes_too_late(end, now)) {
        std::vector<waiter> late;
        auto [at, to] = waiters_.equal_range(end.id);
        while (at != to) {
            if (!at->second.asked) late.push_back(std::move(at->second));
            at = at->second.asked ? std::next(at) : waiters_.erase(at);
        }
        for (auto& one : late)
            tell(one, nullptr, no_result::deleted(end.id));  // which is no failure of the store
    }
    answer(end.id, 0, &end, nullptr);
}

void result_watch::note_asked(std::span<const watched_task> tasks) {
    for (const auto& one : tasks) {
        auto [at, to] = waiters_.equal_range(one.id);
        for (; at != to; ++at) at->second.asked = true;
    }
}

void result_watch::close() {
    closed_ = true;
    pace_.cancel();
    rest();
    const auto why = std::make_exception_ptr(store_error{
        "the app is closing: the task goes on, its result is not awaited"});
    while (!waiters_.empty()) answer(task_id{waiters_.begin()->first}, 0, nullptr, why);
}

}  // namespace errand
