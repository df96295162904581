// What must be known of an aggregate before Boost.PFR may look at it: PFR ends with errors of its own on base
// classes and C arrays, which are no sentences that a user could act on.
#pragma once

#include <boost/pfr/tuple_size.hpp>

#include <cstddef>
#include <type_traits>
#include <utility>

namespace errand::detail {

/// Converts to base classes of T, and to nothing else.
template <class T>
struct any_base_of {
    template <class Base>
        requires(std::is_base_of_v<Base, T> && !std::is_same_v<std::remove_cv_t<Base>, T>)
    operator Base() const;
};

/// True when an aggregate has a base class: its first initialiser is the base then.
template <class T>
inline constexpr bool has_base = requires { T{any_base_of<T>{}}; };

/// Converts to any member, but not to a C array, which therefore takes one initialiser for each of its
/// elements.
template <bool Copied>
struct any_member {
    template <class M>
    operator M&() const& noexcept;
    template <class M>
    operator M&() const&& noexcept;
};
template <>
struct any_member<false> {
    template <class M>
    operator M() const&& noexcept;
};

template <class T, std::size_t>
using member_of = any_member<std::is_copy_constructible_v<T>>;

// `{}` takes exactly one member, whatever it is, and an array of two elements or more takes several
// initialisers without braces. So there is an array at I when `{}` fits there and leaves too little room for
// the rest.
template <class T, std::size_t... Before, std::size_t... After>
consteval bool is_array_at(std::index_sequence<Before...>, std::index_sequence<After...>) {
    if constexpr (requires { T{member_of<T, Before>{}..., {}, member_of<T, After>{}...}; }) {
        return false;
    } else {
        return requires { T{member_of<T, Before>{}..., {}}; };
    }
}

template <class T, std::size_t... I>
consteval bool has_array_among(std::index_sequence<I...>) {
    return (is_array_at<T>(std::make_index_sequence<I>{}, std::make_index_sequence<sizeof...(I) - 1 - I>{}) ||
            ...);
}

/// True when an aggregate without bases has a C array of more than one element among its members.
template <class T>
inline constexpr bool has_c_array =
    has_array_among<T>(std::make_index_sequence<boost::pfr::tuple_size_v<T>>{});

}  // namespace errand::detail
