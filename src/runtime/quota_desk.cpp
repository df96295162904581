#include "runtime/quota_desk.hpp"

#include <boost/asio/co_spawn.hpp>
#include <boost/asio/detached.hpp>
#include <boost/asio/this_coro.hpp>

#include <algorithm>
#include <utility>

namespace errand {

namespace asio = boost::asio;

awaitable<std::int64_t> count_queued(store& in) {
    const auto all = co_await in.overview();
    std::size_t sum = 0;
    for (const auto& one : all.queues) sum += one.ready + one.delayed + one.retry + one.waiting;
    co_return static_cast<std::int64_t>(sum);
}

awaitable<quota_answer> take_from_quota(store& in, quota rules, std::int64_t count, bool whole, bool still) {
    quota_ask ask{.count = count, .whole = whole, .max_queued = rules.max_queued, .rate = rules.submit_rate};
    if (!ask.max_queued && !ask.rate) {
        quota_answer all;
        all.admitted = count;
        co_return all;
    }
    if (still && ask.max_queued) ask.counted = co_await count_queued(in);
    auto got = co_await in.take_quota(ask);
    if (got.why != quota_answer::kept_by::count) co_return got;
    ask.counted = co_await count_queued(in);
    co_return co_await in.take_quota(ask);
}

awaitable<quota_answer> quota_desk::take(std::int64_t count, bool whole) {
    const auto mine = std::make_shared<question>();
    mine->count = count;
    mine->whole = whole;
    waiting_.push_back(mine);
    if (!std::exchange(asking_, true))
        asio::co_spawn(executor_, ask_all(), asio::detached);  // throws nothing
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
        const auto some = next_questions();
        std::int64_t count = 0;
        for (const auto& one : some) count += one->count;
        quota_answer got;
        std::exception_ptr failure;
        try {
            const auto set = book_.quota_rules();
            const auto rules = set ? *set : quota{};
            got = co_await take_from_quota(in_, rules, count, some.front()->whole, still_);
        } catch (...) {
            failure = std::current_exception();
        }
        auto left = got.admitted;
        for (const auto& one : some) {
            one->answer = got;
            one->answer.admitted = std::min(one->count, left);
            left -= one->answer.admitted;
            one->failure = failure;
            one->ended = true;
        }
        answered_.open();
    }
    asking_ = false;
}

}  // namespace errand
