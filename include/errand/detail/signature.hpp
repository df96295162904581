// What a handler's class says about itself: the parameters and the result of `perform`, and which of the
// optional statics it has.
//
// Nothing here may be evaluated while the handler is still incomplete: a handler may hold a proxy of its own
// type, and a trait that was asked too early keeps its wrong answer. So proxies name these only as
// dependent types inside member templates, and all of it is worked out at the first use.
#pragma once

#include <errand/awaitable.hpp>
#include <errand/detail/supported.hpp>

#include <concepts>
#include <string>
#include <tuple>
#include <type_traits>
#include <vector>

namespace errand {

struct task_info;

namespace detail {

template <class... T>
struct type_list {};

/// The result of an awaitable; absent for anything else.
template <class T>
struct awaited_result {};
template <class T, class Executor>
struct awaited_result<boost::asio::awaitable<T, Executor>> {
    using type = T;
};

/// Result and parameters of a (pointer to a) member function or static function.
template <class F>
struct callable {
    static constexpr bool is_function = false;
};
template <class R, class... P>
struct plain_callable {
    static constexpr bool is_function = true;
    using returned = R;
    using parameters = type_list<P...>;
};
template <class R, class C, class... P>
struct callable<R (C::*)(P...)> : plain_callable<R, P...> {};
template <class R, class C, class... P>
struct callable<R (C::*)(P...) const> : plain_callable<R, P...> {};
template <class R, class C, class... P>
struct callable<R (C::*)(P...) noexcept> : plain_callable<R, P...> {};
template <class R, class C, class... P>
struct callable<R (C::*)(P...) const noexcept> : plain_callable<R, P...> {};
template <class R, class... P>
struct callable<R (*)(P...)> : plain_callable<R, P...> {};
template <class R, class... P>
struct callable<R (*)(P...) noexcept> : plain_callable<R, P...> {};

/// Asked once of each class, so never where it may be defined later.
template <class H>
inline constexpr bool is_complete = requires { sizeof(H); };

// names_x<H>() says whether H has a member x, whatever its access and however often it is overloaded: a
// second x in another base class makes the name ambiguous exactly then.
#define ERRAND_NAMES_MEMBER(member)                             \
    struct twin_with_##member {                                 \
        int member;                                             \
    };                                                          \
    template <class H>                                          \
    struct twin_of_##member : H, twin_with_##member {};         \
    template <class H>                                          \
    consteval bool names_##member() {                           \
        if constexpr (!is_complete<H>) {                        \
            return false;                                       \
        } else if constexpr (std::is_final_v<H>) {              \
            return requires { &H::member; };                    \
        } else {                                                \
            return !requires { &twin_of_##member<H>::member; }; \
        }                                                       \
    }
ERRAND_NAMES_MEMBER(perform)
ERRAND_NAMES_MEMBER(biz_id)
ERRAND_NAMES_MEMBER(concurrency_key)
ERRAND_NAMES_MEMBER(rate_key)
ERRAND_NAMES_MEMBER(on_dead)
ERRAND_NAMES_MEMBER(collect_key)
#undef ERRAND_NAMES_MEMBER

template <class P>
inline constexpr bool is_out_parameter =
    std::is_lvalue_reference_v<P> && !std::is_const_v<std::remove_reference_t<P>>;

template <class... P>
consteval bool has_out_parameter(type_list<P...>) {
    return (is_out_parameter<P> || ...);
}

template <class List>
struct decayed_tuple;
template <class... P>
struct decayed_tuple<type_list<P...>> {
    using type = std::tuple<std::decay_t<P>...>;
};

/// The parameters and the result of a handler that is at fault: empty, so that its one message stays alone.
struct no_signature {
    using args = std::tuple<>;
    using result = void;
};

template <class F>
struct sound_signature {
    using args = typename decayed_tuple<typename F::parameters>::type;
    using result = typename awaited_result<typename F::returned>::type;
};

template <class H, class Call>
constexpr auto read_perform() {
    if constexpr (!Call::is_function) {
        static_assert(supported<H>, "errand: `perform` must be a member function, without &, && or volatile");
        return no_signature{};
    } else if constexpr (!requires { typename awaited_result<typename Call::returned>::type; }) {
        static_assert(supported<H>, "errand: `perform` must return errand::awaitable<Result> "
                                    "(errand::awaitable<void> when there is no result)");
        return no_signature{};
    } else if constexpr (has_out_parameter(typename Call::parameters{})) {
        static_assert(supported<H>,
                      "errand: a parameter of `perform` is a non-const reference: arguments come from "
                      "the store and nothing can be written back; take it by value or by const&");
        return no_signature{};
    } else {
        return sound_signature<Call>{};
    }
}

/// Reads `perform`; refuses what errand cannot call in one sentence.
template <class H>
constexpr auto read_signature() {
    if constexpr (!std::is_class_v<H>) {
        static_assert(supported<H>, "errand: a handler must be a class with a member `perform`");
        return no_signature{};
    } else if constexpr (!is_complete<H>) {
        static_assert(supported<H>,
                      "errand: this handler is incomplete here: include the header that defines its "
                      "class, a forward declaration is not enough");
        return no_signature{};
    } else if constexpr (!names_perform<H>()) {
        static_assert(supported<H>, "errand: this handler has no `perform`: give it a public member function "
                                    "`errand::awaitable<Result> perform(Args... args)`");
        return no_signature{};
    } else if constexpr (!requires { &H::perform; }) {
        static_assert(supported<H>,
                      "errand: `perform` must be one public member function: errand cannot choose among "
                      "overloads, deduce a template's arguments or call a private member");
        return no_signature{};
    } else {
        return read_perform<H, callable<decltype(&H::perform)>>();
    }
}

template <class H>
using signature_of = decltype(read_signature<H>());

/// The values that `perform` takes, as a tuple of decayed types.
template <class H>
using args_of = typename signature_of<H>::args;

/// What `perform` yields: T of errand::awaitable<T>, void stays void.
template <class H>
using result_of = typename signature_of<H>::result;

/// False when one of the sentences above has been said of H: then there is nothing to call, and no more to
/// say.
template <class H>
inline constexpr bool has_signature = !std::is_same_v<signature_of<H>, no_signature>;

/// Of a handler whose `perform` takes one list and returns nothing or a list: what is in them; absent for any other.
template <class Args, class Result>
struct list_signature {
    static constexpr bool is_one = false;
};
template <class T, class A>
struct list_signature<std::tuple<std::vector<T, A>>, void> {
    static constexpr bool is_one = true;
    using item = T;
    using result = void;
};
template <class T, class A, class R, class B>
struct list_signature<std::tuple<std::vector<T, A>>, std::vector<R, B>> {
    static constexpr bool is_one = true;
    using item = T;
    using result = R;
};

template <class H>
using list_of = list_signature<args_of<H>, result_of<H>>;

/// True when what is given to a proxy of H is one item of the list that `perform` takes, and not the list.
template <class H, class... Given>
consteval bool gives_item() {
    if constexpr (list_of<H>::is_one && sizeof...(Given) == 1) {
        using list = std::tuple_element_t<0, args_of<H>>;
        return !(std::is_same_v<std::remove_cvref_t<Given>, list> && ...) &&
               (std::is_convertible_v<Given, typename list_of<H>::item> && ...);
    } else {
        return false;
    }
}

template <class H, bool Item>
struct task_result {
    using type = result_of<H>;
};
template <class H>
struct task_result<H, true> {
    using type = typename list_of<H>::result;
};

/// What a task yields to which these arguments are given.
template <class H, class... Given>
using task_result_of = typename task_result<H, gives_item<H, Given...>()>::type;

template <class H>
consteval bool names_items_by_biz_id() {
    if constexpr (list_of<H>::is_one) {
        return requires(const typename list_of<H>::item& item) {
            { H::biz_id(item) } -> std::convertible_to<std::string>;
        };
    } else {
        return false;
    }
}

template <class H>
consteval bool has_collect_key_of_item() {
    if constexpr (list_of<H>::is_one) {
        return requires(const typename list_of<H>::item& item) {
            { H::collect_key(item) } -> std::convertible_to<std::string>;
        };
    } else {
        return false;
    }
}

/// True when the handler has `static std::string collect_key(const Item&)`.
template <class H>
consteval bool has_collect_key() {
    if constexpr (!names_collect_key<H>()) {
        return false;
    } else if constexpr (!has_collect_key_of_item<H>()) {
        static_assert(
            supported<H>,
            "errand: `collect_key` must be a public `static std::string collect_key(const Item& item)` "
            "that takes an item of the std::vector<Item> that `perform` takes alone; `perform` returns "
            "nothing or a std::vector");
        return false;
    } else {
        return true;
    }
}

/// True when the handler names its items by `static std::string biz_id(const Item&)`.
template <class H>
consteval bool has_item_biz_id() {
    if constexpr (!names_biz_id<H>()) {
        return false;
    } else {
        return names_items_by_biz_id<H>();
    }
}

template <class H, class Args>
struct statics_with;
template <class H, class... A>
struct statics_with<H, std::tuple<A...>> {
    static constexpr bool biz_id = requires(const A&... args) {
        { H::biz_id(args...) } -> std::convertible_to<std::string>;
    };
    static constexpr bool concurrency_key = requires(const A&... args) {
        { H::concurrency_key(args...) } -> std::convertible_to<std::string>;
    };
    static constexpr bool rate_key = requires(const A&... args) {
        { H::rate_key(args...) } -> std::convertible_to<std::string>;
    };
};

/// True when the handler names its tasks by `static std::string biz_id(const Args&...)`.
template <class H>
consteval bool has_biz_id() {
    if constexpr (!names_biz_id<H>()) {
        return false;
    } else if constexpr (!statics_with<H, args_of<H>>::biz_id && has_item_biz_id<H>()) {
        return false;
    } else if constexpr (!statics_with<H, args_of<H>>::biz_id) {
        static_assert(supported<H>,
                      "errand: `biz_id` must be a public `static std::string biz_id(const Args&... args)` "
                      "that takes what `perform` takes");
        return false;
    } else {
        return true;
    }
}

/// True when the handler has `static std::string concurrency_key(const Args&...)`.
template <class H>
consteval bool has_concurrency_key() {
    if constexpr (!names_concurrency_key<H>()) {
        return false;
    } else if constexpr (!statics_with<H, args_of<H>>::concurrency_key) {
        static_assert(supported<H>,
                      "errand: `concurrency_key` must be a public "
                      "`static std::string concurrency_key(const Args&... args)` that takes what `perform` "
                      "takes");
        return false;
    } else {
        return true;
    }
}

/// True when the handler has `static std::string rate_key(const Args&...)`.
template <class H>
consteval bool has_rate_key() {
    if constexpr (!names_rate_key<H>()) {
        return false;
    } else if constexpr (!statics_with<H, args_of<H>>::rate_key) {
        static_assert(
            supported<H>,
            "errand: `rate_key` must be a public `static std::string rate_key(const Args&... args)` "
            "that takes what `perform` takes");
        return false;
    } else {
        return true;
    }
}

/// True when the handler has keys by which its tasks are limited.
template <class H>
consteval bool has_limit_keys() {
    return has_concurrency_key<H>() || has_rate_key<H>();
}

template <class H>
inline constexpr bool is_called_on_dead = requires(const task_info& info) {
    { H::on_dead(info) } -> std::same_as<void>;
};
template <class H>
inline constexpr bool is_awaited_on_dead = requires(H& handler, const task_info& info) {
    { handler.on_dead(info) } -> std::same_as<awaitable<void>>;
};

/// True when the handler has `static void on_dead(const errand::task_info&)`, or a member of it that is awaited.
template <class H>
consteval bool has_on_dead() {
    if constexpr (!names_on_dead<H>()) {
        return false;
    } else if constexpr (!is_called_on_dead<H> && !is_awaited_on_dead<H>) {
        static_assert(supported<H>,
                      "errand: `on_dead` must be a public "
                      "`static void on_dead(const errand::task_info& info)`, or a public member "
                      "`errand::awaitable<void> on_dead(const errand::task_info& info)`");
        return false;
    } else {
        return true;
    }
}

}  // namespace detail
}  // namespace errand
