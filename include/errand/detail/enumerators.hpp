// The enumerators of an enum described with Boost.Describe, as a table.
#pragma once

#include <errand/detail/json_write.hpp>

#include <boost/describe/enumerators.hpp>

#include <array>
#include <cstdint>
#include <type_traits>

namespace errand::detail {

/// The number of an enumerator in the one type that holds them all; negative ones wrap.
template <class E>
constexpr std::uint64_t widened(E value) noexcept {
    return static_cast<std::uint64_t>(static_cast<std::underlying_type_t<E>>(value));
}

template <template <class...> class List, class... Described>
constexpr auto tabulate(List<Described...>) {
    return std::array<enumerator, sizeof...(Described)>{
        enumerator{Described::name, widened(Described::value)}...};
}

/// In the order of the description.
template <class E>
inline constexpr auto enumerators_of = tabulate(boost::describe::describe_enumerators<E>{});

}  // namespace errand::detail
