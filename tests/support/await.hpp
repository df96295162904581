// Runs an io_context from a test, which is no coroutine itself: until something is done or true, never longer than the
// deadline. Nothing sleeps.
#pragma once

#include <boost/asio/awaitable.hpp>
#include <boost/asio/co_spawn.hpp>
#include <boost/asio/io_context.hpp>

#include <catch2/catch_test_macros.hpp>

#include <chrono>
#include <exception>
#include <optional>
#include <type_traits>

namespace errand::test {

inline constexpr std::chrono::seconds deadline{60};

// Runs `io` until the condition holds; whether it does.
template <class Condition>
bool run_until(boost::asio::io_context& io, Condition holds, std::chrono::milliseconds limit = deadline) {
    const auto end = std::chrono::steady_clock::now() + limit;
    while (!holds()) {
        if (std::chrono::steady_clock::now() > end) return false;
        if (io.stopped()) io.restart();
        io.run_one_for(std::chrono::milliseconds{5});
    }
    return true;
}

// Runs `io` until the awaitable has ended; its result, or what it threw.
template <class T>
T await(boost::asio::io_context& io, boost::asio::awaitable<T> what) {
    struct outcome {
        bool done = false;
        std::exception_ptr thrown;
        std::optional<std::conditional_t<std::is_void_v<T>, bool, T>> value;
    };
    const auto got = std::make_shared<outcome>();
    if constexpr (std::is_void_v<T>) {
        boost::asio::co_spawn(io, std::move(what), [got](std::exception_ptr thrown) {
            got->done = true;
            got->thrown = thrown;
        });
    } else {
        boost::asio::co_spawn(io, std::move(what), [got](std::exception_ptr thrown, T value) {
            got->done = true;
            got->thrown = thrown;
            if (!thrown) got->value.emplace(std::move(value));
        });
    }
    const bool ended = run_until(io, [&] { return got->done; });
    REQUIRE(ended);
    if (got->thrown) std::rethrow_exception(got->thrown);
    if constexpr (!std::is_void_v<T>) return std::move(*got->value);
}

}  // namespace errand::test
