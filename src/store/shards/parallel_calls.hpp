// Calls on several shards at once.
#pragma once

#include <errand/awaitable.hpp>

#include <boost/asio/co_spawn.hpp>
#include <boost/asio/deferred.hpp>
#include <boost/asio/experimental/parallel_group.hpp>
#include <boost/asio/this_coro.hpp>
#include <boost/asio/use_awaitable.hpp>

#include <exception>
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

// Of calls that answer nothing.
inline awaitable<bool> done(awaitable<void> call) {
    co_await std::move(call);
    co_return true;
}

}  // namespace errand::shards
