// A call that is made on every shard alike, again and again, of which some may answer late: a server that is away must not
// keep the others from going on.
#pragma once

#include <errand/awaitable.hpp>
#include <errand/time.hpp>

#include <boost/asio/any_io_executor.hpp>
#include <boost/asio/as_tuple.hpp>
#include <boost/asio/co_spawn.hpp>
#include <boost/asio/steady_timer.hpp>
#include <boost/asio/this_coro.hpp>
#include <boost/asio/use_awaitable.hpp>

#include <algorithm>
#include <cstddef>
#include <exception>
#include <functional>
#include <memory>
#include <optional>
#include <utility>
#include <vector>

namespace errand::shards {

// How long those that have answered wait for one that has not. Longer than any call takes where nothing is wrong.
constexpr duration patience_with_one{200};

// The call with what it refers to.
template <class Answer>
awaitable<Answer> keeping(std::shared_ptr<const void>, awaitable<Answer> call) {
    co_return co_await std::move(call);
}

// One caller at a time. A shard that is left behind keeps its call, and is not asked again before that has ended: what it
// answers is part of the round after that.
template <class Answer>
class rounds {
public:
    using failed = std::function<void(std::size_t shard, const std::exception_ptr&)>;

    // `came_late` is told when a shard that was left behind has answered, `failure` of each call that failed although
    // others did not.
    rounds(std::size_t shards, std::function<void()> came_late, failed failure)
        : calls_{std::make_shared<state>(shards, std::move(came_late), std::move(failure))} {}
    ~rounds() {
        calls_->came_late = nullptr;
        calls_->failure = nullptr;
    }
    rounds(const rounds&) = delete;
    rounds& operator=(const rounds&) = delete;

    // `call(shard)`: nullopt when it is not to be asked. Answers what the shards have, and nothing for the others. While none
    // has answered it waits; throws when all have failed.
    template <class Call>
    awaitable<std::vector<std::optional<Answer>>> ask(Call call) {
        namespace asio = boost::asio;
        const auto calls = calls_;
        const auto executor = co_await asio::this_coro::executor;
        if (!calls->changed) calls->changed.emplace(executor);
        for (std::size_t at = 0; at < calls->shards.size(); ++at) {
            auto& shard = calls->shards[at];
            if (shard.under_way || shard.answer) continue;
            std::optional<awaitable<Answer>> made = call(at);
            if (!made) continue;
            shard.under_way = true;
            shard.behind = false;
            shard.failure = nullptr;
            asio::co_spawn(executor, std::move(*made), [calls, at](std::exception_ptr why, Answer answer) {
                ended(*calls, at, why, answer);
            });
        }
        co_await wait(*calls);
        co_return taken(*calls);
    }

private:
    struct shard_call {
        bool under_way = false;
        bool behind = false;  // the round went on without it
        std::optional<Answer> answer;
        std::exception_ptr failure;
    };
    struct state {
        state(std::size_t count, std::function<void()> late, failed fails)
            : shards(count), came_late{std::move(late)}, failure{std::move(fails)} {}
        std::vector<shard_call> shards;
        std::function<void()> came_late;
        failed failure;
        std::optional<boost::asio::steady_timer> changed;
    };

    static void ended(state& calls, std::size_t at, const std::exception_ptr& why, Answer& answer) {
        auto& shard = calls.shards[at];
        shard.under_way = false;
        shard.failure = why;
        if (!why) shard.answer = std::move(answer);
        calls.changed->cancel();
        if (std::exchange(shard.behind, false) && calls.came_late) calls.came_late();
    }

    static awaitable<void> wait(state& calls) {
        namespace asio = boost::asio;
        using clock = std::chrono::steady_clock;
        const auto end = clock::now() + patience_with_one;
        for (;;) {
            const auto under_way = std::ranges::count_if(calls.shards, &shard_call::under_way);
            const auto waited_for = std::ranges::count_if(calls.shards, [](const shard_call& shard) {
                return shard.under_way && !shard.behind;
            });
            // While no shard at all answers there is nothing to go on with.
            const bool goes_on =
                under_way < std::ssize(calls.shards) ||
                std::ranges::any_of(
                    calls.shards, [](const shard_call& shard) { return shard.answer.has_value(); });
            if (goes_on && (waited_for == 0 || clock::now() >= end)) break;
            calls.changed->expires_at(goes_on ? end : clock::time_point::max());
            co_await calls.changed->async_wait(asio::as_tuple(asio::use_awaitable));
        }
        for (auto& shard : calls.shards) shard.behind = shard.under_way;
    }

    static std::vector<std::optional<Answer>> taken(state& calls) {
        std::vector<std::optional<Answer>> answers;
        std::exception_ptr first;
        bool some = false;
        for (auto& shard : calls.shards) {
            answers.push_back(std::exchange(shard.answer, std::nullopt));
            some = some || answers.back() || shard.under_way;
            if (shard.failure && !first) first = shard.failure;
        }
        if (first && !some) std::rethrow_exception(first);
        for (std::size_t at = 0; at < calls.shards.size(); ++at) {
            const auto why = std::exchange(calls.shards[at].failure, nullptr);
            if (why && calls.failure) calls.failure(at, why);
        }
        return answers;
    }

    std::shared_ptr<state> calls_;
};

}  // namespace errand::shards
