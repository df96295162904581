#include "runtime/quota_desk.hpp"

#include <errand/error.hpp>

#include <boost/asio/co_spawn.hpp>
#include <boost/asio/detached.hpp>
#include <boost/asio/this_coro.hpp>

#include <algorithm>
#include <utility>

namespace errand {

namespace asio = boost::asio;

namespace {

// Of several servers the one that counts may be away: that keeps nobody from the others for longer, and then all are let through.
// (Where another one is away a count takes a second or two.)
constexpr std::chrono::seconds longest_count{5};

quota_answer all_of(std::int64_t count) {
    quota_answer all;
    all.admitted = count;
    return all;
}

}  // namespace

awaitable<std::int64_t> count_queued(store& in) {
    const auto all = co_await in.overview();
    std::size_t sum = 0;
    for (const auto& one : all.queues) sum += one.ready + one.delayed + one.retry + one.waiting;
    co_return static_cast<std::int64_t>(sum);
}

awaitable<quota_answer> take_from_quota(store& in, quota rules, std::int64_t count, bool whole, bool still) {
    quota_ask ask{.count = count, .whole = whole, .max_queued = rules.max_queued, .rate = rules.submit_rate};
    if (!ask.max_queued && !ask.rate) co_return all_of(count);
    if (still && ask.max_queued) ask.counted = co_await count_queued(in);
    auto got = co_await in.take_quota(ask);
    if (got.why != quota_answer::kept_by::count) co_return got;
    ask.counted = co_await count_queued(in);
    co_return co_await in.take_quota(ask);
}

awaitable<quota_answer> quota_desk::take(std::int64_t count, bool whole) {
    // The question that is under way was given up.
    const bool is_away = in_.shards() > 1 && !under_way_.empty() && under_way_.front()->ended;
    if (is_away) co_return all_of(count);
    room_.enter(static_cast<std::size_t>(count), 0);
    const auto mine = std::make_shared<question>();
    mine->count = count;
    mine->whole = whole;
    waiting_.push_back(mine);
    if (!std::exchange(asking_, true))
        asio::co_spawn(executor_, ask_all(), asio::detached);  // throws nothing
    look_for_late();
    while (!mine->ended) {
        co_await answered_.wait();
        co_await asio::this_coro::throw_if_cancelled();
    }
    if (mine->failure) std::rethrow_exception(mine->failure);
    co_return mine->answer;
}

// One that is to be whole goes alone: what it does not get is not taken.
quota_desk::questions quota_desk::next_questions() {
    const auto is_whole = [](const auto& one) { return one->whole; };
    auto to = waiting_.begin() + 1;
    if (!is_whole(waiting_.front())) to = std::find_if(waiting_.begin(), waiting_.end(), is_whole);
    questions some{std::make_move_iterator(waiting_.begin()), std::make_move_iterator(to)};
    waiting_.erase(waiting_.begin(), to);
    return some;
}

awaitable<void> quota_desk::ask_all() {
    while (!waiting_.empty()) {
        under_way_ = next_questions();
        std::int64_t count = 0;
        for (const auto& one : under_way_) count += one->count;
        quota_answer got;
        std::exception_ptr failure;
        try {
            const auto set = book_.quota_rules();
            const auto rules = set ? *set : quota{};
            got = co_await take_from_quota(in_, rules, count, under_way_.front()->whole, still_);
            const bool in_time = std::ranges::none_of(under_way_, [](const auto& one) { return one->ended; });
            if (in_time && (rules.max_queued || rules.submit_rate)) counted(true);
        } catch (const store_error&) {
            if (in_.shards() > 1) {
                got = all_of(count);
                counted(false);
            } else {
                failure = std::current_exception();
            }
        } catch (...) {
            failure = std::current_exception();
        }
        auto left = got.admitted;
        for (const auto& one : std::exchange(under_way_, {})) {
            if (one->ended) continue;
            one->answer = got;
            one->answer.admitted = std::min(one->count, left);
            left -= one->answer.admitted;
            one->failure = failure;
            one->ended = true;
            room_.leave(static_cast<std::size_t>(one->count), 0);
        }
        answered_.open();
    }
    asking_ = false;
    rest();
}

// Of several servers, each time that it changes.
void quota_desk::counted(bool now) {
    if (std::exchange(counts_, now) == now) return;
    trouble_(
        now ? "the quota is applied again"
            : "the quota is not applied while the server that counts it is away: all that is submitted is accepted");
}

// ---- who waits too long ----------------------------------------------------------------------------

// The timer is set once for many: it looks who is late when it ends, and is set to the next.
void quota_desk::look_for_late() {
    const auto patience = in_.shards() > 1 ? std::optional<duration>{longest_count} : patience_;
    if (looking_for_late_ || !patience) return;
    const auto is_open = [](const auto& one) { return !one->ended; };
    std::optional<clock::time_point> first;
    for (const auto* some : {&under_way_, &waiting_}) {
        const auto at = std::ranges::find_if(*some, is_open);
        if (at != some->end() && !first) first = (*at)->since;
    }
    if (!first) return;
    looking_for_late_ = true;
    // Of a question that was asked at once the store tells the cause.
    late_.expires_at(*first + *patience + for_the_store);
    late_.async_wait([this](const boost::system::error_code& cancelled) {
        if (cancelled) return;
        looking_for_late_ = false;
        give_up_late();
        look_for_late();
    });
}

// A timer that nobody needs would keep the loop from running empty.
void quota_desk::rest() {
    looking_for_late_ = false;
    late_.cancel();
}

void quota_desk::give_up_late() {
    const bool of_several = in_.shards() > 1;
    const auto came_by = clock::now() - (of_several ? duration{longest_count} : *patience_) - for_the_store;
    const auto is_late = [came_by](const auto& one) { return one->since <= came_by; };
    const auto give_up = [this, of_several](question& one) {
        if (of_several) {
            one.answer = all_of(one.count);
            counted(false);
        } else {
            one.failure = submit_timed_out(false);
        }
        one.ended = true;
        room_.leave(static_cast<std::size_t>(one.count), 0);
    };
    for (const auto& one : under_way_) {
        if (!one->ended && is_late(one)) give_up(*one);
    }
    while (!waiting_.empty() && is_late(waiting_.front())) {
        give_up(*waiting_.front());
        waiting_.pop_front();
    }
    answered_.open();
}

}  // namespace errand
