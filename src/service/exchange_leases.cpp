// How tasks are kept for those who work on them, and who hears that one is cancelled.
#include "service/exchange.hpp"
#include "service/in_line.hpp"

#include <boost/asio/as_tuple.hpp>
#include <boost/asio/co_spawn.hpp>
#include <boost/asio/detached.hpp>
#include <boost/asio/use_awaitable.hpp>

#include <algorithm>
#include <set>
#include <utility>

namespace errand::web {

namespace asio = boost::asio;
using steady = std::chrono::steady_clock;

namespace {

// A longer call would keep others waiting.
constexpr std::size_t most_extended_together = 1000;

bool go_together(const extend_call& a, const extend_call& b) {
    return a.lease == b.lease && a.never_shorter == b.never_shorter;
}

// As one call; what two of them name stands in it once.
template <class Requests>
extend_call joined(const Requests& all) {
    extend_call call;
    call.lease = all.front()->call.lease;
    call.never_shorter = all.front()->call.never_shorter;
    std::set<claim_number> claims;
    std::set<std::pair<task_id, claim_number>> tasks;
    for (const auto& one : all) {
        claims.insert(one->call.claims.begin(), one->call.claims.end());
        tasks.insert(one->call.tasks.begin(), one->call.tasks.end());
    }
    call.claims.assign(claims.begin(), claims.end());
    call.tasks.assign(tasks.begin(), tasks.end());
    return call;
}

// Those of `all` that `of` names.
template <class Part>
std::vector<Part> own_ones(const std::set<Part>& all, const std::vector<Part>& of) {
    std::vector<Part> own;
    if (all.empty()) return own;
    std::ranges::copy_if(of, std::back_inserter(own), [&](const Part& one) { return all.contains(one); });
    return own;
}

}  // namespace

awaitable<extend_answer> exchange::extend(extend_call call) {
    const auto mine = std::make_shared<lease_request>(executor_);
    mine->call = std::move(call);
    lease_requests_.push_back(mine);
    if (!std::exchange(extending_, true))
        asio::co_spawn(executor_, extend_in_turn(shared_from_this()), asio::detached);
    while (!mine->over) co_await mine->changed.async_wait(asio::as_tuple(asio::use_awaitable));
    if (mine->failure) std::rethrow_exception(mine->failure);
    co_return std::move(mine->answer);
}

awaitable<void> exchange::extend_in_turn(std::shared_ptr<exchange> self) {
    const auto next = [this] { return extend_next(); };
    const auto fail = [](lease_request& one, const std::exception_ptr& why) {
        one.failure = why;
        one.over = true;
        one.changed.cancel();
    };
    co_await serve_line(lease_requests_, next, fail);
    self->extending_ = false;
}

// Those who came first, and all who ask for the same: where thousands keep what they hold, one call is not for one of them.
std::vector<std::shared_ptr<exchange::lease_request>> exchange::next_lease_requests() {
    std::vector<std::shared_ptr<lease_request>> party;
    std::deque<std::shared_ptr<lease_request>> left;
    std::size_t tasks = 0;
    for (const auto& one : lease_requests_) {
        const bool fits = party.empty() || (tasks + one->call.tasks.size() <= most_extended_together &&
                                            go_together(party.front()->call, one->call));
        if (!fits) {
            left.push_back(one);
            continue;
        }
        tasks += one->call.tasks.size();
        party.push_back(one);
    }
    lease_requests_ = std::move(left);
    return party;
}

awaitable<void> exchange::extend_next() {
    auto party = next_lease_requests();
    std::exception_ptr failure;
    try {
        const auto call = joined(party);
        // Not later than the store has it.
        const auto until = store_->now() + call.lease;
        const auto got = co_await store_->extend(call);
        keep_longer(call, until);
        const std::set lost_claims(got.lost_claims.begin(), got.lost_claims.end());
        const std::set lost_tasks(got.lost_tasks.begin(), got.lost_tasks.end());
        const std::set unheard(got.unheard.begin(), got.unheard.end());
        for (const auto& one : party) {
            one->answer = {.lost_claims = own_ones(lost_claims, one->call.claims),
                           .lost_tasks = own_ones(lost_tasks, one->call.tasks),
                           .unheard = own_ones(unheard, one->call.tasks)};
        }
    } catch (...) {
        failure = std::current_exception();
    }
    // Those who still stand in line have leases of their own, of which nothing is known by that; but nobody begins to wait for the
    // store after it was away for long.
    const auto long_ago = steady::now() - 2 * app_.settings.store_timeout;
    while (failure && !lease_requests_.empty() && lease_requests_.front()->since <= long_ago) {
        party.push_back(std::move(lease_requests_.front()));
        lease_requests_.pop_front();
    }
    for (const auto& one : party) {
        one->failure = failure;
        one->over = true;
        one->changed.cancel();
    }
}

void exchange::keep_longer(const extend_call& call, time_point until) {
    const auto over = steady::now() + call.lease + std::chrono::minutes{1};
    for (const auto& [id, claim] : call.tasks) {
        const auto at = held_.find(id);
        if (at == held_.end() || at->second.task.claim != claim) continue;
        at->second.forget_at = call.never_shorter ? std::max(over, at->second.forget_at) : over;
        at->second.lease_until = call.never_shorter ? std::max(until, at->second.lease_until) : until;
    }
}

exchange::cancel_watch::cancel_watch(std::shared_ptr<exchange> by, std::vector<task_id> of)
    : by_{std::move(by)}, of_{std::move(of)}, changed_{by_->executor_} {
    for (const auto& id : of_) by_->cancel_watches_.emplace(id, this);
}

exchange::cancel_watch::~cancel_watch() {
    for (const auto& id : of_) {
        const auto [first, last] = by_->cancel_watches_.equal_range(id);
        const auto own = std::find_if(first, last, [this](const auto& one) { return one.second == this; });
        if (own != last) by_->cancel_watches_.erase(own);
    }
}

awaitable<void> exchange::cancel_watch::next(duration longest) {
    changed_.expires_after(longest);
    if (!heard_) co_await changed_.async_wait(asio::as_tuple(asio::use_awaitable));
    heard_ = false;
}

void exchange::task_cancelled(const task_id& id) {
    const auto [first, last] = cancel_watches_.equal_range(id);
    for (auto at = first; at != last; ++at) {
        at->second->heard_ = true;
        at->second->changed_.cancel();
    }
}

}  // namespace errand::web
