#pragma once

#include <errand/awaitable.hpp>
#include <errand/detail/engine.hpp>
#include <errand/detail/wire.hpp>
#include <errand/handle.hpp>
#include <errand/time.hpp>

#include <cstddef>
#include <optional>
#include <string>
#include <tuple>
#include <type_traits>
#include <utility>
#include <variant>
#include <vector>

namespace errand {

/// How errand::all and errand::any wait.
struct await_options {
    /// Waits at most so long, then throws timed_out, which says how many tasks have not ended; zero or less: only looks
    /// which have. Nothing: as long as it takes. A handler goes on when it has its slot
    /// and its places in limits again, which may be later.
    std::optional<duration> within{};
    /// Once the answer is known (of `any`: one has won; of `all`: one has failed) or the time is over, the tasks that
    /// have not ended are cancelled, as by `handle::cancel()`, and only then the call completes. It is done as well as it
    /// can be: when the store is away they go on. False: they go on. A cancelled wait cancels no task.
    bool cancel_rest = false;
};

namespace detail {

struct first_result {
    std::size_t at = 0;
    std::string text;
};

// The results as JSON texts, in order; and the one that was there first. Defined in errand's own sources.
awaitable<std::vector<std::string>> wait_for_all(std::vector<task_ref> tasks, await_options how);
awaitable<first_result> wait_for_any(std::vector<task_ref> tasks, await_options how);

// What stands for a result in a tuple, a vector or a variant.
template <class T>
using value_of = std::conditional_t<std::is_void_v<T>, std::monostate, T>;

template <class T>
value_of<T> value_in(const std::string& text) {
    if constexpr (std::is_void_v<T>) {
        return {};
    } else {
        return decode_result<T>(text);
    }
}

template <class... T>
std::vector<task_ref> refs_of(const handle<T>&... to) {
    return {to.ref()...};
}

template <class T>
std::vector<task_ref> refs_of(const std::vector<handle<T>>& to) {
    std::vector<task_ref> refs;
    refs.reserve(to.size());
    for (const auto& one : to) refs.push_back(one.ref());
    return refs;
}

template <class... T, std::size_t... I>
awaitable<std::tuple<value_of<T>...>> tuple_of(std::vector<task_ref> tasks, await_options how,
                                               std::index_sequence<I...>) {
    const auto texts = co_await wait_for_all(std::move(tasks), how);
    co_return std::tuple<value_of<T>...>{value_in<T>(texts[I])...};
}

template <class T>
awaitable<std::vector<value_of<T>>> vector_of(std::vector<task_ref> tasks, await_options how) {
    const auto texts = co_await wait_for_all(std::move(tasks), how);
    std::vector<value_of<T>> values;
    values.reserve(texts.size());
    for (const auto& text : texts) values.push_back(value_in<T>(text));
    co_return values;
}

template <class... T, std::size_t... I>
awaitable<std::pair<std::size_t, std::variant<value_of<T>...>>> variant_of(std::vector<task_ref> tasks,
                                                                           await_options how,
                                                                           std::index_sequence<I...>) {
    using either = std::variant<value_of<T>...>;
    const auto first = co_await wait_for_any(std::move(tasks), how);
    std::optional<either> value;
    const auto keep = [&]<class U, std::size_t At>() {
        if (At == first.at) value.emplace(std::in_place_index<At>, value_in<U>(first.text));
    };
    (keep.template operator()<T, I>(), ...);
    co_return std::pair<std::size_t, either>{first.at, std::move(*value)};
}

template <class T>
awaitable<std::pair<std::size_t, value_of<T>>> first_of(std::vector<task_ref> tasks, await_options how) {
    const auto first = co_await wait_for_any(std::move(tasks), how);
    co_return std::pair<std::size_t, value_of<T>>{first.at, value_in<T>(first.text)};
}

}  // namespace detail

/// Waits until all of these tasks have ended `success` and gives their results in order; that of a `void` task is a
/// std::monostate. As soon as one ends otherwise, or its result cannot be had, it throws what `co_await` of its handle
/// throws and waits for no other.
///
/// One wait, however many handles: one way to the store's thread and back, one timer at most, the store is asked about
/// 500 tasks a call. Works wherever `co_await h` does. Inside a handler the slot is free for other tasks until the wait
/// is over, and `max_awaiting` counts it once. Cancelling the waiting coroutine ends the wait at once and leaves the
/// tasks as they are. Calls for the same handles may be under way at once, on any threads.
/// @param how a limit of time, and what becomes of the other tasks
/// @throws what `co_await h` throws, of the first that fails; timed_out; usage_error when the handles are of different
///         apps or a transaction holds one back
template <class... T>
    requires(sizeof...(T) > 0)
[[nodiscard]] awaitable<std::tuple<detail::value_of<T>...>> all(await_options how,
                                                                const handle<T>&... tasks) {
    return detail::tuple_of<T...>(detail::refs_of(tasks...), how, std::index_sequence_for<T...>{});
}
/// The same, waiting as long as it takes.
template <class... T>
    requires(sizeof...(T) > 0)
[[nodiscard]] awaitable<std::tuple<detail::value_of<T>...>> all(const handle<T>&... tasks) {
    return all(await_options{}, tasks...);
}
/// The same for handles of one type; of no handles the results are there at once.
template <class T>
[[nodiscard]] awaitable<std::vector<detail::value_of<T>>> all(await_options how,
                                                              const std::vector<handle<T>>& tasks) {
    return detail::vector_of<T>(detail::refs_of(tasks), how);
}
/// The same for handles of one type, waiting as long as it takes.
template <class T>
[[nodiscard]] awaitable<std::vector<detail::value_of<T>>> all(const std::vector<handle<T>>& tasks) {
    return all(await_options{}, tasks);
}

/// Waits until the first of these tasks has ended `success` and gives its place and its result. Those that end otherwise
/// before it are passed over; when none succeeds, it throws what `co_await` of the last one to end throws. Everything
/// else is as errand::all does it.
/// @param how a limit of time, and what becomes of the other tasks
/// @throws what `co_await h` throws, when all have failed; store_error when the store cannot be reached; timed_out;
///         usage_error when there are no handles, they are of different apps or namespaces or a transaction holds one back
template <class... T>
    requires(sizeof...(T) > 0)
[[nodiscard]] awaitable<std::pair<std::size_t, std::variant<detail::value_of<T>...>>> any(
    await_options how, const handle<T>&... tasks) {
    return detail::variant_of<T...>(detail::refs_of(tasks...), how, std::index_sequence_for<T...>{});
}
/// The same, waiting as long as it takes.
template <class... T>
    requires(sizeof...(T) > 0)
[[nodiscard]] awaitable<std::pair<std::size_t, std::variant<detail::value_of<T>...>>> any(
    const handle<T>&... tasks) {
    return any(await_options{}, tasks...);
}
/// The same for handles of one type.
template <class T>
[[nodiscard]] awaitable<std::pair<std::size_t, detail::value_of<T>>> any(
    await_options how, const std::vector<handle<T>>& tasks) {
    return detail::first_of<T>(detail::refs_of(tasks), how);
}
/// The same for handles of one type, waiting as long as it takes.
template <class T>
[[nodiscard]] awaitable<std::pair<std::size_t, detail::value_of<T>>> any(
    const std::vector<handle<T>>& tasks) {
    return any(await_options{}, tasks);
}

}  // namespace errand
