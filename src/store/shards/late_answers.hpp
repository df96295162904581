// Calls on several shards of which some may answer late: a server that is away must not cost what others hold.
#pragma once

#include <errand/awaitable.hpp>
#include <errand/time.hpp>

#include <boost/asio/any_io_executor.hpp>
#include <boost/asio/as_tuple.hpp>
#include <boost/asio/co_spawn.hpp>
#include <boost/asio/steady_timer.hpp>
#include <boost/asio/use_awaitable.hpp>

#include <algorithm>
#include <exception>
#include <memory>
#include <optional>
#include <utility>
#include <vector>

namespace errand::shards {

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
