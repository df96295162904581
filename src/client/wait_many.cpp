// Waiting for several tasks at once: errand::all and errand::any.
//
// Invariant: the caller goes to its loop once and comes back once, whatever happens there; in a handler, all that is done
// there is done without its slot.
#include <errand/all.hpp>
#include <errand/error.hpp>

#include "client/edit_task.hpp"
#include "client/handle.hpp"
#include "client/open_transaction.hpp"
#include "client/without_slot.hpp"
#include "runtime/async_gate.hpp"
#include "runtime/caller_loop.hpp"

#include <boost/asio/cancel_at.hpp>
#include <boost/asio/co_spawn.hpp>
#include <boost/asio/detached.hpp>
#include <boost/asio/this_coro.hpp>
#include <boost/system/system_error.hpp>

#include <algorithm>
#include <chrono>
#include <memory>

namespace errand::detail {

namespace asio = boost::asio;

namespace {

using moment = result_watch::moment;

struct followed {
    task_ref ref;
    incarnation life = 0;
    bool settled = false;  // it has ended, or no end is to come
    bool unheard = false;  // the last that was heard of it is that its store does not answer
};

// ---- what is known so far ---------------------------------------------------------------------------

class joint_wait final : public result_group {
public:
    enum class aim : bool { all, any };

    // Throws usage_error when these cannot be awaited, or not together.
    joint_wait(aim what, std::vector<task_ref> tasks, const await_options& how);

    const await_options& how() const noexcept { return how_; }
    bool only_looks() const noexcept { return how_.within && *how_.within <= duration{0}; }
    app_core& app() const noexcept { return *tasks_.front().ref.app; }
    std::vector<watched_task> watched() const;
    std::vector<followed> rest() const;
    void begin(loop& there) noexcept { there_ = &there; }
    void late() { failure_ = std::make_exception_ptr(timed_out{sentence()}); }

    bool told(std::size_t index, const ended_task* end, const std::exception_ptr& failure) override;

    const std::exception_ptr& failure() const noexcept { return failure_; }
    std::vector<std::string> results() { return std::move(results_); }
    first_result first() { return {winner_, std::move(results_.at(winner_))}; }

private:
    bool succeeded(std::size_t index, std::string result);
    bool failed(std::exception_ptr why);
    bool hears_of_none() const;
    std::string sentence() const;

    const aim aim_;
    const await_options how_;
    std::vector<followed> tasks_;
    loop* there_ = nullptr;
    std::vector<std::string> results_;
    std::size_t winner_ = 0;
    std::exception_ptr failure_;
    std::exception_ptr unheard_;  // the last time that a store did not answer
};

joint_wait::joint_wait(aim what, std::vector<task_ref> tasks, const await_options& how)
    : aim_{what}, how_{how}, results_(tasks.size()) {
    tasks_.reserve(tasks.size());
    for (auto& ref : tasks) {
        if (ref.app != tasks.front().app) {
            throw usage_error{"cannot await task " + id_text(ref) + " together with task " +
                              id_text(tasks.front()) + ": their handles are of different apps or namespaces"};
        }
        const auto life = life_of(ref, "await the result of");
        tasks_.push_back({ref, life});
    }
}

std::vector<watched_task> joint_wait::watched() const {
    std::vector<watched_task> all;
    all.reserve(tasks_.size());
    for (const auto& one : tasks_) all.push_back({task_id{one.ref.id}, one.life});
    return all;
}

std::vector<followed> joint_wait::rest() const {
    std::vector<followed> left;
    for (const auto& one : tasks_) {
        if (!one.settled) left.push_back(one);
    }
    return left;
}

bool joint_wait::told(std::size_t index, const ended_task* end, const std::exception_ptr& failure) {
    auto& one = tasks_[index];
    one.settled = true;
    one.unheard = false;
    std::string result;
    try {
        if (!end) throw_missing(one.ref, one.life, there_->tasks().now(), failure);
        result = result_in(one.ref, end->outcome);
    } catch (const unknown_task&) {
        return failed(std::current_exception());
    } catch (const store_error&) {
        // Not this task has failed but its store: of several there may be others, which go on.
        one.settled = false;
        one.unheard = true;
        unheard_ = std::current_exception();
        if (aim_ == aim::any && !hears_of_none()) return false;
        failure_ = unheard_;
        return true;
    } catch (...) {
        return failed(std::current_exception());
    }
    return succeeded(index, std::move(result));
}

// Of those that are left.
bool joint_wait::hears_of_none() const {
    return std::ranges::all_of(tasks_, [](const followed& one) { return one.settled || one.unheard; });
}

bool joint_wait::succeeded(std::size_t index, std::string result) {
    results_[index] = std::move(result);
    if (aim_ == aim::all) return false;
    winner_ = index;
    failure_ = nullptr;
    return true;
}

bool joint_wait::failed(std::exception_ptr why) {
    failure_ = std::move(why);
    if (aim_ == aim::all) return true;
    if (std::ranges::none_of(tasks_, &followed::unheard) || !hears_of_none()) return false;
    // One that is not heard of may have succeeded.
    failure_ = unheard_;
    return true;
}

std::string joint_wait::sentence() const {
    const auto left = static_cast<std::size_t>(std::ranges::count(tasks_, false, &followed::settled));
    const auto count = [](std::size_t n) { return std::to_string(n) + (n == 1 ? " task" : " tasks"); };
    return (aim_ == aim::all ? "" : "none of " + count(tasks_.size()) + " succeeded: ") +
           std::to_string(left) + " of " + count(tasks_.size()) + " did not end within " +
           std::to_string(how_.within.value_or(duration{0}).count()) + " ms; " +
           (how_.cancel_rest ? "what had not ended is cancelled" : "what has not ended goes on");
}

// ---- cancelling the rest ----------------------------------------------------------------------------

// So many calls are under way at once: the store answers them in one go.
constexpr std::size_t most_at_once = 64;

struct cancelling {
    cancelling(loop& l, std::vector<followed> all) : there{l}, left{std::move(all)}, done{l.executor()} {}

    loop& there;
    std::vector<followed> left;
    std::size_t under_way = 0;
    async_gate done;
};

// Whatever it meets, somebody else's answer stands already: a store that is away ends it, nothing is thrown.
awaitable<void> cancel_some(std::shared_ptr<cancelling> job) {
    while (!job->left.empty()) {
        const auto one = std::move(job->left.back());
        job->left.pop_back();
        try {
            co_await cancel_on(job->there.tasks(), task_id{one.ref.id}, one.life, one.ref.retention);
        } catch (...) {
            job->left.clear();
        }
    }
    if (--job->under_way == 0) job->done.open();
}

// On the plain loop: cancelling the waiting coroutine ends its waiting, not what it has asked for.
awaitable<void> cancel_all(loop& there, std::vector<followed> rest) {
    const auto job = std::make_shared<cancelling>(there, std::move(rest));
    job->under_way = std::min(job->left.size(), most_at_once);
    for (auto more = job->under_way; more > 0; --more)
        asio::co_spawn(there.executor(), cancel_some(job), asio::detached);
    while (job->under_way > 0) co_await job->done.wait();
}

// ---- waiting ----------------------------------------------------------------------------------------

constexpr duration longest{std::chrono::days{36'525}};  // what timers can hold

awaitable<bool> wait_many_on(loop& there, std::shared_ptr<joint_wait> all, std::optional<moment> until) {
    all->begin(there);
    std::optional<result_watch::wait_limit> limit;
    if (until) limit.emplace(*until, std::min(all->how().within.value_or(longest), longest));
    const bool enough = all->only_looks() ? co_await there.results().look_at_many(all->watched(), *all)
                                          : co_await there.results().wait_many(all->watched(), *all, limit);
    if (!enough) all->late();
    if (!all->how().cancel_rest) co_return true;
    auto rest = all->rest();
    if (!rest.empty()) co_await cancel_all(there, std::move(rest));
    co_return true;
}

awaitable<bool> wait_many_as(loop& there, running_task* task, std::shared_ptr<joint_wait> all,
                             std::optional<moment> until) {
    // Who only looks gives nothing away: it could take long to have it back.
    if (task && !all->only_looks())
        co_return co_await without_slot(*task, wait_many_on(there, std::move(all), until));
    co_return co_await wait_many_on(there, std::move(all), until);
}

std::optional<moment> end_of(std::optional<duration> within) {
    if (!within) return std::nullopt;
    return std::chrono::steady_clock::now() + std::clamp(*within, duration{0}, longest);
}

awaitable<void> wait_many(std::shared_ptr<joint_wait> all) {
    const auto until = end_of(all->how().within);
    auto executor = co_await asio::this_coro::executor;
    const ambient* around = ambient_of(executor);
    check_may_wait(around, all->app());
    running_task* task = around && around->app == &all->app() ? around->task : nullptr;
    co_await on_loop(caller_loop(executor, all->app()),
                     [=](loop& there) { return wait_many_as(there, task, all, until); });
    if (!all->failure()) co_return;
    std::optional<task_failed> failed;
    try {
        std::rethrow_exception(all->failure());
    } catch (const task_failed& why) {
        failed = why;
    }
    co_await throw_named(all->app(), std::move(*failed));
}

// What a database has committed a moment ago may be on its way to the store.
awaitable<void> arrived_until(task_ref ref, moment until, duration within) {
    const auto executor = co_await asio::this_coro::executor;
    std::exception_ptr aborted;
    try {
        co_await asio::co_spawn(executor, arrived(ref), asio::cancel_at(until, asio::use_awaitable));
        co_return;
    } catch (const boost::system::system_error& e) {
        if (e.code() != asio::error::operation_aborted) throw;
        aborted = std::current_exception();
    }
    const auto state = co_await asio::this_coro::cancellation_state;
    if (state.cancelled() != asio::cancellation_type::none) std::rethrow_exception(aborted);
    throw timed_out{"task " + id_text(ref) + " was committed, but did not reach the store within " +
                    std::to_string(within.count()) + " ms; a worker's relay delivers it"};
}

awaitable<void> all_arrived(std::vector<task_ref> tasks, await_options how) {
    const auto until = end_of(how.within);
    for (const auto& ref : tasks) {
        if (has_arrived(ref)) continue;
        if (until) {
            co_await arrived_until(ref, *until, *how.within);
        } else {
            co_await arrived(ref);
        }
    }
}

}  // namespace

awaitable<std::vector<std::string>> wait_for_all(std::vector<task_ref> tasks, await_options how) {
    if (tasks.empty()) co_return std::vector<std::string>{};
    co_await all_arrived(tasks, how);
    const auto all = std::make_shared<joint_wait>(joint_wait::aim::all, tasks, how);
    co_await wait_many(all);
    auto results = all->results();
    for (std::size_t at = 0; at < tasks.size(); ++at) {
        if (results[at] == group_result_mark) results[at] = co_await whole(tasks[at], std::move(results[at]));
    }
    co_return results;
}

awaitable<first_result> wait_for_any(std::vector<task_ref> tasks, await_options how) {
    if (tasks.empty()) throw usage_error{"any() of no handles: none could ever be the first"};
    co_await all_arrived(tasks, how);
    const auto all = std::make_shared<joint_wait>(joint_wait::aim::any, tasks, how);
    co_await wait_many(all);
    auto first = all->first();
    if (first.text == group_result_mark) first.text = co_await whole(tasks[first.at], std::move(first.text));
    co_return first;
}

}  // namespace errand::detail
