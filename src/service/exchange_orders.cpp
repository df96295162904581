// Those who ask an exchange for tasks: in which order they are looked for, and what wakes them.
#include <errand/error.hpp>

#include "service/claim_together.hpp"

#include <boost/asio/as_tuple.hpp>
#include <boost/asio/co_spawn.hpp>
#include <boost/asio/detached.hpp>
#include <boost/asio/this_coro.hpp>
#include <boost/asio/use_awaitable.hpp>

#include <algorithm>
#include <iterator>
#include <utility>

namespace errand::web {

namespace asio = boost::asio;

namespace {

constexpr std::size_t most_claimed_together = 50;

// Who asks for the same queues and the same handlers.
std::string group_name(const claim_wish& wish) {
    std::string name;
    for (const auto& [queue, weight] : wish.queues) name.append(queue).push_back('\0');
    if (!wish.handlers) return name;
    name.push_back('\1');
    for (const auto& one : *wish.handlers) name.append(one).push_back('\0');
    return name;
}

bool share(const std::vector<std::string>& a, const std::vector<std::string>& b) {
    return std::ranges::any_of(a, [&](const std::string& one) { return std::ranges::binary_search(b, one); });
}

}  // namespace

std::size_t limit_of(const claim_party& all) {
    std::size_t limit = 0;
    for (const auto& one : all) limit += one->wish.limit;
    return limit;
}

// ---- who asks ----

std::shared_ptr<claim_order> exchange::order(claim_wish wish) {
    auto one = std::make_shared<claim_order>(std::move(wish), executor_);
    one->number = ++orders_;
    auto name = group_name(one->wish);
    auto& group = groups_[name];
    if (!group) {
        group = std::make_shared<claim_group>();
        group->name = std::move(name);
        for (const auto& [queue, weight] : one->wish.queues) group->queues.push_back(queue);
    }
    one->group = group;
    one->tried = stopped_;
    ++group->orders;
    group->waiting.push_back(one);
    if (care_) care_->looks_after(group->queues, one->wish.handlers.value_or(std::vector<std::string>{}));
    make_hungry(one->group);
    return one;
}

awaitable<void> exchange::looked_for(std::shared_ptr<claim_order> one) {
    while (!one->tried && one->got.empty() && !one->failure)
        co_await one->changed.async_wait(asio::as_tuple(asio::use_awaitable));
}

awaitable<void> exchange::wait_for(std::shared_ptr<claim_order> one, duration longest) {
    const auto end = asio::steady_timer::clock_type::now() + longest;
    one->changed.expires_at(end);
    while (one->got.empty() && !one->failure && !stopped_ && asio::steady_timer::clock_type::now() < end) {
        co_await one->changed.async_wait(asio::as_tuple(asio::use_awaitable));
        const auto state = co_await asio::this_coro::cancellation_state;
        if (state.cancelled() != asio::cancellation_type::none) co_return;
    }
}

awaitable<std::vector<attempt>> exchange::take(std::shared_ptr<claim_order> one) {
    one->changed.expires_at(asio::steady_timer::time_point::max());
    while (one->under_way) co_await one->changed.async_wait(asio::as_tuple(asio::use_awaitable));
    auto all = std::exchange(one->got, {});
    const auto failure = one->failure;
    leave(one);
    if (all.empty() && failure) std::rethrow_exception(failure);
    co_return all;
}

void exchange::leave(const std::shared_ptr<claim_order>& one) {
    if (std::exchange(one->gone, true)) return;
    auto& group = *one->group;
    std::erase(group.waiting, one);
    if (--group.orders == 0) {
        const auto at = groups_.find(group.name);
        if (at != groups_.end() && at->second == one->group) groups_.erase(at);
        // What it was woken for since their last call is of a queue for which nobody waits now.
        if (group.wakes != wakes_) look_for_others();
    }
    // What a call that is under way brings goes back when it comes.
    give_back(std::exchange(one->got, {}));
}

void exchange::give_back(const std::vector<attempt>& all) {
    for (const auto& one : all) put(unbegun(app_, one, attempt_end::shut_down, nullptr, store_->now()));
}

// ---- who is looked for ----

void exchange::make_hungry(const std::shared_ptr<claim_group>& group) {
    if (group->hungry || group->waiting.empty() || stopped_) return;
    group->hungry = true;
    hungry_.push_back(group);
    look();
}

void exchange::make_all_hungry() {
    for (const auto& [name, group] : groups_) make_hungry(group);
}

// Whoever got all it asked for is taken off the lists of who waits, for all that it asks for.
void exchange::make_sharers_hungry(const claim_group& of) {
    for (const auto& [name, group] : groups_) {
        if (share(group->queues, of.queues)) make_hungry(group);
    }
}

claim_party exchange::next_party() {
    while (!hungry_.empty()) {
        const auto group = std::move(hungry_.front());
        hungry_.pop_front();
        group->hungry = false;
        auto& waiting = group->waiting;
        if (waiting.empty() || stopped_) continue;
        claim_party party;
        std::size_t limit = 0;
        do {
            limit += waiting.front()->wish.limit;
            party.push_back(std::move(waiting.front()));
            waiting.pop_front();
            party.back()->under_way = true;
        } while (!waiting.empty() && limit + waiting.front()->wish.limit <= most_claimed_together &&
                 may_claim_together(party.front()->wish, waiting.front()->wish));
        if (group->plenty) make_hungry(group);
        return party;
    }
    return {};
}

// `wakes_before`, `last_number`: how they were when the call began.
awaitable<void> exchange::serve(claim_party all, work_answer answer, unsigned wakes_before,
                                std::uint64_t last_number) {
    const auto group = all.front()->group;
    const bool full = answer.claimed.size() >= limit_of(all);
    // There were more than one answer carries: for who got nothing it is looked again, since it may well be for him.
    const bool cut_short =
        !full && !answer.claimed.empty() && answer.next_due && *answer.next_due <= answer.now;
    const bool more = full || cut_short;
    group->plenty = full;
    group->wakes = wakes_before;
    if (!full) idle_in_.insert(group->queues.begin(), group->queues.end());
    if (answer.next_due && answer.next_due != told_due_ && care_ && !cut_short)
        care_->falls_due(std::max(*answer.next_due - answer.now, duration{0}));
    if (!cut_short) told_due_ = answer.next_due;
    deal(all, std::move(answer.claimed));
    // Who has something does not wait for what stands aside.
    const auto empty = std::ranges::stable_partition(all, [](const auto& one) { return !one->got.empty(); });
    for (auto at = all.begin(); at != empty.begin(); ++at) end_look(*at, more);
    claim_party left;
    std::ranges::copy_if(empty, std::back_inserter(left), [](const auto& one) { return !one->gone; });
    // What is taken so comes under one claim: of those who have theirs for themselves the first asks, and nobody waits for what it is
    // told; the others ask next.
    if (have_own_claims(left)) {
        const auto first = left.front();
        for (auto at = all.end(); at != empty.begin();) {
            if (*--at != first) end_look(*at, true);
        }
        claim_party alone{first};
        if (!stopped_) co_await adopt_for(std::move(alone));
        end_look(first, more || looked_aside_[group->name] != asides_);
    } else {
        if (!left.empty() && !stopped_) co_await adopt_for(std::move(left));
        // The first of them stands at the front again.
        for (auto at = all.end(); at != empty.begin();) end_look(*--at, more);
    }
    const bool more_aside = looked_aside_[group->name] != asides_ && !group->waiting.empty();
    // They got all there was: also for those who stood behind them there is nothing.
    if (!more && !more_aside) tell_waiting(*group, last_number);
    if (full) make_sharers_hungry(*group);
    if (wakes_ != wakes_before || more_aside || cut_short) make_hungry(group);
}

// Those who came last stand last, and in front of them everybody knows; very many may wait.
void exchange::tell_waiting(claim_group& group, std::uint64_t last_number) {
    bool later = false;
    for (auto at = group.waiting.rbegin(); at != group.waiting.rend(); ++at) {
        auto& one = **at;
        if (one.tried && !group.untold) break;
        later = later || one.number > last_number;
        if (one.tried || one.number > last_number) continue;
        one.tried = true;
        one.changed.cancel();
    }
    group.untold = group.untold && later;
}

// After the call that looked for it. `more`: that may have left some.
void exchange::end_look(const std::shared_ptr<claim_order>& one, bool more) {
    one->under_way = false;
    if (one->gone) {
        give_back(std::exchange(one->got, {}));
    } else if (one->got.empty()) {
        one->group->waiting.push_front(one);
        one->tried = one->tried || !more || stopped_;
        one->group->untold = one->group->untold || !one->tried;
    }
    one->changed.cancel();
}

// ---- what the store tells ----

void exchange::woken() {
    ++wakes_;
    make_all_hungry();
    look_for_others();
}

void exchange::look_for_others() {
    if (!passing_on_ && !idle_in_.empty() && !stopped_)
        asio::co_spawn(executor_, pass_on(shared_from_this()), asio::detached);
}

// What it was woken for may be of a queue for which nobody waits here any more: that is for others.
awaitable<void> exchange::pass_on(std::shared_ptr<exchange> self) {
    if (std::exchange(self->passing_on_, true)) co_return;
    for (;;) {
        std::vector<std::string> left;
        for (const auto& queue : idle_in_) {
            const auto is_of = [&](const auto& one) {
                return std::ranges::binary_search(one.second->queues, queue);
            };
            if (std::ranges::none_of(groups_, is_of)) left.push_back(queue);
        }
        if (left.empty() || stopped_) break;
        for (const auto& queue : left) idle_in_.erase(queue);
        try {
            co_await store_->busy(left);
        } catch (const store_error&) {
            // Others look by themselves after a while.
            break;
        }
        // Who came meanwhile may have been taken off as well.
        for (const auto& [name, group] : groups_) {
            if (share(group->queues, left)) make_hungry(group);
        }
    }
    passing_on_ = false;
}

void exchange::task_given(claimed_task task) {
    const attempt one{.task = std::move(task), .at = store_->now()};
    try {
        put(unbegun(app_, one, attempt_end::shut_down, nullptr, one.at));
    } catch (const bad_data&) {
        put(unbegun(app_, one, attempt_end::undecodable, std::current_exception(), one.at));
    }
}

void exchange::stands_aside() {
    ++asides_;
    make_all_hungry();
}

void exchange::reconnected() {
    woken();
    stands_aside();
}

}  // namespace errand::web
