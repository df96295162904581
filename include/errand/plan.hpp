/// Tasks that are described first and submitted together: chains and groups, over dependencies.
#pragma once

#include <errand/detail/engine.hpp>
#include <errand/handle.hpp>

#include <concepts>
#include <cstddef>
#include <memory>
#include <ranges>
#include <tuple>
#include <type_traits>
#include <utility>
#include <vector>

namespace errand {

namespace detail {

struct plan_tree {
    enum class kind : unsigned char { task, chain, group };
    kind what = kind::task;
    draft call{};               // of a task
    bool takes_result = false;  // its first argument is the result of what comes before it
    bool always = false;        // what comes before it need not succeed
    std::vector<std::shared_ptr<const plan_tree>> parts{};
};
using plan_ptr = std::shared_ptr<const plan_tree>;

// Submits all of it; the reference is to its last task.
awaitable<task_ref> submit_plan(plan_ptr tree);

template <class Before, class In>
consteval bool passes_on() {
    if constexpr (std::is_void_v<In>) {
        return true;
    } else if constexpr (std::is_void_v<Before>) {
        return false;
    } else {
        return std::convertible_to<Before, In>;
    }
}

}  // namespace detail

/// Tasks that are described but not submitted: one (`proxy.plan(args...)`), a chain or a group of plans. A small value,
/// copied freely and submitted as often as wanted; each submission makes new tasks. Any thread may use it.
///
/// R is the result of its last task. In is the type of the first argument that was left open for the result of what comes
/// before it in a chain; void when nothing was.
template <class R, class In = void>
class plan {
public:
    /// What `perform` of the last task returns.
    using result_type = R;
    /// What its first task takes of the one before it.
    using input_type = In;

    /// Made by errand.
    explicit plan(detail::plan_ptr tree) : tree_{std::move(tree)} {}

    /// Submits all its tasks: up to 500 in one step, all or none. More, or groups of more than 100 members, in steps, those
    /// that wait first, so that nothing runs before all that waits for it is there. Under an open transaction they leave with its commit.
    /// @return a handle to the last task; of a group: to the group, whose result are those of its members, in order
    /// @throws as proxy::perform_async; usage_error for a plan without any task
    [[nodiscard]] awaitable<handle<R>> submit() const
        requires std::is_void_v<In>
    {
        return submit_typed(tree_);
    }

    /// The same, run also when what comes before it in a chain has ended otherwise than by `success`.
    [[nodiscard]] plan always() const
        requires std::is_void_v<In>
    {
        auto other = std::make_shared<detail::plan_tree>(*tree_);
        other->always = true;
        return plan{std::move(other)};
    }

    /// For errand itself.
    [[nodiscard]] const detail::plan_ptr& tree() const noexcept { return tree_; }

private:
    static awaitable<handle<R>> submit_typed(detail::plan_ptr tree) {
        co_return handle<R>{co_await detail::submit_plan(std::move(tree))};
    }

    detail::plan_ptr tree_;
};

namespace detail {

template <class First, class... Rest>
struct chained {
    using result = typename First::result_type;
};
template <class First, class Next, class... Rest>
struct chained<First, Next, Rest...> : chained<Next, Rest...> {
    static_assert(
        passes_on<typename First::result_type, typename Next::input_type>(),
        "errand: a task of a chain leaves its first argument open, and the result of the one before it does "
        "not convert to it");
};

template <class R>
struct group_result {
    using type = std::vector<R>;
};
template <>
struct group_result<void> {
    using type = void;
};

}  // namespace detail

/// One after the other: each waits for the success of the one before it and, where its first argument was left open, gets
/// that one's result. When one fails, those after it are cancelled; reviving it revives them.
template <class R, class In, class... Rest>
[[nodiscard]] auto chain(const plan<R, In>& first, const Rest&... rest) {
    auto tree = std::make_shared<detail::plan_tree>();
    tree->what = detail::plan_tree::kind::chain;
    tree->parts = {first.tree(), rest.tree()...};
    return plan<typename detail::chained<plan<R, In>, Rest...>::result, In>{std::move(tree)};
}

/// All at once. The group succeeds when all its members have; when one fails it is cancelled, once all have ended. What
/// follows it in a chain runs on its success, and with `always()` in any case. Its result are those of its members.
template <std::ranges::input_range Range, class Member = std::ranges::range_value_t<Range>>
    requires requires { typename Member::input_type; }
[[nodiscard]] auto group(const Range& members) {
    auto tree = std::make_shared<detail::plan_tree>();
    tree->what = detail::plan_tree::kind::group;
    for (const auto& one : members) tree->parts.push_back(one.tree());
    using result = typename detail::group_result<typename Member::result_type>::type;
    return plan<result, typename Member::input_type>{std::move(tree)};
}

/// The same of members of different kinds, none of which returns void or leaves an argument open; the result is a tuple.
template <class... R>
    requires(sizeof...(R) > 0 && !(std::is_void_v<R> || ...))
[[nodiscard]] plan<std::tuple<R...>> group(const plan<R>&... members) {
    auto tree = std::make_shared<detail::plan_tree>();
    tree->what = detail::plan_tree::kind::group;
    tree->parts = {members.tree()...};
    return plan<std::tuple<R...>>{std::move(tree)};
}

/// How far a group is, or any task that depends on others.
struct group_progress {
    std::size_t done = 0;    ///< ended with `success`
    std::size_t failed = 0;  ///< ended otherwise
    std::size_t total = 0;   ///< how many there are
};

/// Reads it from what `co_await handle.info()` gave. No round trip.
[[nodiscard]] group_progress progress_of(const task_info& info);

}  // namespace errand
