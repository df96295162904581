// Which form a C++ type has as JSON. The encoder and the decoder both ask here, so that they cannot disagree.
#pragma once

#include <errand/detail/aggregate.hpp>

#include <boost/describe/enumerators.hpp>
#include <boost/json/fwd.hpp>
#include <boost/json/value.hpp>

#include <array>
#include <chrono>
#include <concepts>
#include <optional>
#include <string>
#include <string_view>
#include <tuple>
#include <type_traits>
#include <utility>
#include <variant>
#include <vector>

namespace errand::detail {

enum class json_form {
    // Values without parts; is_scalar counts on their order:
    null,  // std::monostate
    boolean,
    integer,
    real,
    named_enum,      // its enumerator's name
    plain_enum,      // its underlying number
    text,            // std::string
    text_view,       // std::string_view: can be written, not read
    length_of_time,  // count in its own unit
    point_in_time,   // milliseconds since 1970
    // Values with parts:
    custom,  // tag_invoke
    optional,
    variant,     // [index, value]
    list,        // std::vector
    fixed_list,  // std::array
    tuple,       // std::tuple, std::pair
    map,         // keys are std::string
    dom,         // boost::json::value, array, object, string
    aggregate,
    // What is refused, by the reason:
    pointer,
    reference,
    c_array,
    keyed_otherwise,  // a map whose keys are not std::string
    union_type,
    wide_integer,
    with_base,
    with_c_array,
    without_default,  // no T{}
    opaque
};

constexpr bool is_scalar(json_form form) noexcept { return form <= json_form::point_in_time; }

template <class T>
inline constexpr json_form standard_form = json_form::opaque;
template <>
inline constexpr json_form standard_form<std::monostate> = json_form::null;
template <class Traits, class Allocator>
inline constexpr json_form standard_form<std::basic_string<char, Traits, Allocator>> = json_form::text;
template <class Traits>
inline constexpr json_form standard_form<std::basic_string_view<char, Traits>> = json_form::text_view;
template <class Count, class Period>
inline constexpr json_form standard_form<std::chrono::duration<Count, Period>> = json_form::length_of_time;
template <class Duration>
inline constexpr json_form standard_form<std::chrono::sys_time<Duration>> = json_form::point_in_time;
template <class T>
inline constexpr json_form standard_form<std::optional<T>> = json_form::optional;
template <class... T>
inline constexpr json_form standard_form<std::variant<T...>> = json_form::variant;
template <class T, class Allocator>
inline constexpr json_form standard_form<std::vector<T, Allocator>> = json_form::list;
template <class T, std::size_t N>
inline constexpr json_form standard_form<std::array<T, N>> = json_form::fixed_list;
template <class... T>
inline constexpr json_form standard_form<std::tuple<T...>> = json_form::tuple;
template <class First, class Second>
inline constexpr json_form standard_form<std::pair<First, Second>> = json_form::tuple;
template <>
inline constexpr json_form standard_form<boost::json::value> = json_form::dom;
template <>
inline constexpr json_form standard_form<boost::json::array> = json_form::dom;
template <>
inline constexpr json_form standard_form<boost::json::object> = json_form::dom;
template <>
inline constexpr json_form standard_form<boost::json::string> = json_form::dom;

// The tags are incomplete until <boost/json/conversion.hpp> is included, which whoever writes a tag_invoke
// does; so they are dependent here, and users who write none do not pay for that header.
template <class T, class Tag = boost::json::value_from_tag>
concept writes_itself =
    requires(const Tag& tag, boost::json::value& into, const T& value) { tag_invoke(tag, into, value); };
template <class T, class Tag = boost::json::value_to_tag<T>>
concept reads_itself = requires(const Tag& tag, const boost::json::value& from) {
    { tag_invoke(tag, from) } -> std::convertible_to<T>;
};
template <class T, class Tag = boost::json::try_value_to_tag<T>>
concept tries_itself =
    requires(const Tag& tag, const boost::json::value& from) { tag_invoke(tag, from).value(); };

/// Maps by what they offer, so that neither <map> nor <unordered_map> is needed; multimaps are none.
template <class T>
concept map_like = requires(T map, typename T::key_type key) {
    typename T::mapped_type;
    map.insert_or_assign(std::move(key), std::declval<typename T::mapped_type>());
};

template <class T>
consteval json_form number_form() {
    if (std::is_same_v<T, bool>) return json_form::boolean;
    if (std::is_floating_point_v<T>) return json_form::real;
    return sizeof(T) > sizeof(std::int64_t) ? json_form::wide_integer : json_form::integer;
}

template <class T>
consteval json_form aggregate_form() {
    if constexpr (has_base<T>) {
        return json_form::with_base;
    } else if constexpr (!requires { T{}; }) {
        return json_form::without_default;
    } else if constexpr (has_c_array<T>) {
        return json_form::with_c_array;
    } else {
        return json_form::aggregate;
    }
}

template <class T>
consteval json_form class_form() {
    if constexpr (standard_form<T> != json_form::opaque) {
        return standard_form<T>;
    } else if constexpr (writes_itself<T> || reads_itself<T> || tries_itself<T>) {
        return json_form::custom;
    } else if constexpr (map_like<T>) {
        return std::is_same_v<typename T::key_type, std::string> ? json_form::map
                                                                 : json_form::keyed_otherwise;
    } else if constexpr (std::is_union_v<T>) {
        return json_form::union_type;
    } else if constexpr (std::is_aggregate_v<T>) {
        return aggregate_form<T>();
    } else {
        return json_form::opaque;
    }
}

template <class T>
consteval json_form find_form() {
    if constexpr (std::is_reference_v<T>) {
        return json_form::reference;
    } else if constexpr (std::is_pointer_v<T> || std::is_null_pointer_v<T> || std::is_member_pointer_v<T>) {
        return json_form::pointer;
    } else if constexpr (std::is_array_v<T>) {
        return json_form::c_array;
    } else if constexpr (std::is_arithmetic_v<T>) {
        return number_form<T>();
    } else if constexpr (std::is_enum_v<T>) {
        if constexpr (writes_itself<T> || reads_itself<T> || tries_itself<T>) {
            return json_form::custom;
        } else {
            return boost::describe::has_describe_enumerators<T>::value ? json_form::named_enum
                                                                       : json_form::plain_enum;
        }
    } else {
        return class_form<T>();
    }
}

/// The form of T, constness aside.
template <class T>
inline constexpr json_form form_of = find_form<std::remove_cv_t<T>>();

}  // namespace errand::detail
