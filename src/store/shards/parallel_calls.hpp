// Calls on several shards at once. On the one executor of the store that makes them.
#pragma once

#include <errand/awaitable.hpp>
#include <errand/time.hpp>

#include <boost/asio/any_io_executor.hpp>
#include <boost/asio/as_tuple.hpp>
#include <boost/asio/co_spawn.hpp>
#include <boost/asio/deferred.hpp>
#include <boost/asio/experimental/parallel_group.hpp>
#include <boost/asio/steady_timer.hpp>
#include <boost/asio/this_coro.hpp>
#include <boost/asio/use_awaitable.hpp>

#include <algorithm>
#include <chrono>
#include <exception>
#include <iterator>
#include <memory>
#include <optional>
#include <utility>
#include <vector>

namespace errand::shards {

// Waits for all, whatever becomes of one: a lane has one call in flight. Then throws what the first of them threw.
template <class Answer>
awaitable<std::vector<Answer>> all_answers(std::vector<awaitable<Answer>> calls) {
    namespace asio = boost::asio;
    std::vector<Answer> answers;
    if (calls.size() == 1) {
        answers.push_back(co_await std::move(calls.front()));
        co_return answers;
    }
    if (calls.empty()) co_return answers;
    const auto executor = co_await asio::this_coro::executor;
    using operation = decltype(asio::co_spawn(executor, std::move(calls.front()), asio::deferred));
    std::vector<operation> operations;
    operations.reserve(calls.size());
    for (auto& one : calls) operations.push_back(asio::co_spawn(executor, std::move(one), asio::deferred));
    auto group = asio::experimental::make_parallel_group(std::move(operations));
    auto ended = co_await group.async_wait(asio::experimental::wait_for_all(), asio::use_awaitable);
    for (auto& failure : std::get<1>(ended)) {
        if (failure) std::rethrow_exception(failure);
    }
    co_return std::move(std::get<2>(ended));
}

// Of `call(part)` for each of them, in their order.
template <class Parts, class Call>
auto answers_to(const Parts& parts, Call call) {
    std::vector<decltype(call(*std::begin(parts)))> calls;
    for (const auto& one : parts) calls.push_back(call(one));
    return all_answers(std::move(calls));
}

// Of calls that answer nothing.
inline awaitable<bool> done(awaitable<void> call) {
    co_await std::move(call);
    co_return true;
}

// ---- of which some may answer late: a server that is away must not cost what others hold ----

// One answer for each shard. Whoever waits no longer may leave it: it lives until the last call has ended.
template <class Answer>
class late_answers : public std::enable_shared_from_this<late_answers<Answer>> {
public:
    late_answers(const boost::asio::any_io_executor& executor, std::size_t shards)
        : executor_{executor}, ended_{executor}, answers_(shards) {}

    // What the call refers to lives as long as `with`.
    void start(std::size_t shard, awaitable<Answer> call, std::shared_ptr<const void> with) {
        ++left_;
        auto ended = [self = this->shared_from_this(), with = std::move(with), shard](std::exception_ptr why,
                                                                                      Answer answer) {
            if (why && !self->failure_) self->failure_ = why;
            if (!why) self->answers_[shard] = std::move(answer);
            --self->left_;
            self->ended_.cancel();
        };
        boost::asio::co_spawn(executor_, std::move(call), std::move(ended));
    }

    // Until all have ended, or for so long; throws what a call threw.
    awaitable<void> wait(std::optional<duration> limit) {
        namespace asio = boost::asio;
        const auto end =
            limit ? std::chrono::steady_clock::now() + *limit : asio::steady_timer::time_point::max();
        while (left_ > 0 && std::chrono::steady_clock::now() < end) {
            ended_.expires_at(end);
            co_await ended_.async_wait(asio::as_tuple(asio::use_awaitable));
        }
        if (failure_ && left_ == 0) std::rethrow_exception(failure_);
    }

    // Until all have ended; for so long only when one has answered by then. Throws what a call threw when none has.
    awaitable<void> wait_for_some(duration patience) {
        namespace asio = boost::asio;
        using clock = std::chrono::steady_clock;
        const auto end = clock::now() + patience;
        const auto any = [this] {
            return std::ranges::any_of(answers_, [](const auto& one) { return one.has_value(); });
        };
        while (left_ > 0 && (!any() || clock::now() < end)) {
            ended_.expires_at(any() ? end : clock::time_point::max());
            co_await ended_.async_wait(asio::as_tuple(asio::use_awaitable));
        }
        if (failure_ && !any()) std::rethrow_exception(failure_);
    }

    bool done() const noexcept { return left_ == 0; }
    // What that shard has answered, once.
    std::optional<Answer> take(std::size_t shard) { return std::exchange(answers_[shard], std::nullopt); }

private:
    boost::asio::any_io_executor executor_;
    boost::asio::steady_timer ended_;
    std::vector<std::optional<Answer>> answers_;
    std::exception_ptr failure_;
    std::size_t left_ = 0;
};

}  // namespace errand::shards
