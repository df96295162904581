// Parsed JSON to C++ values. Aggregates are read in place, over the values of their T{}: that is how a
// missing member keeps its default, at any depth.
#pragma once

#include <errand/detail/enumerators.hpp>
#include <errand/detail/json_path.hpp>
#include <errand/detail/json_read.hpp>
#include <errand/detail/json_refusal.hpp>
#include <errand/detail/json_traits.hpp>

#include <boost/json/value.hpp>
#include <boost/pfr/core_name.hpp>

#include <chrono>
#include <cstdint>
#include <exception>
#include <limits>
#include <ratio>
#include <string>
#include <string_view>
#include <tuple>
#include <type_traits>
#include <utility>
#include <variant>

namespace errand::detail {

/// A new value.
/// @throws bad_data when the JSON is not one of this type
template <class T>
T decode(const boost::json::value& from, const json_path& at);

/// Over an existing value, whose members stay where the JSON has none.
template <class T>
void decode_into(T& into, const boost::json::value& from, const json_path& at);

template <class T>
T decode_integer(const boost::json::value& from, const json_path& at) {
    using limits = std::numeric_limits<T>;
    if constexpr (std::is_signed_v<T>) {
        return static_cast<T>(read_signed(from, limits::min(), limits::max(), at));
    } else {
        return static_cast<T>(read_unsigned(from, limits::max(), at));
    }
}

template <class T>
T decode_real(const boost::json::value& from, const json_path& at) {
    if constexpr (std::is_same_v<T, float>) {
        return read_float(from, at);
    } else {
        return static_cast<T>(read_real(from, at));
    }
}

template <class Time>
Time decode_time(const boost::json::value& from, const json_path& at) {
    using std::chrono::milliseconds;
    using unit = typename Time::duration;
    using wide = std::chrono::duration<std::int64_t, typename unit::period>;
    std::int64_t least = std::numeric_limits<std::int64_t>::min();
    std::int64_t most = std::numeric_limits<std::int64_t>::max();
    if constexpr (std::ratio_less_v<typename unit::period, milliseconds::period>) {
        least = std::chrono::ceil<milliseconds>(wide::min()).count();
        most = std::chrono::floor<milliseconds>(wide::max()).count();
    }
    const wide since = std::chrono::floor<wide>(milliseconds{read_signed(from, least, most, at)});
    if (since < unit::min() || since > unit::max()) refuse(at, "a time too far from 1970");
    return Time{std::chrono::duration_cast<unit>(since)};
}

template <class T, class ValueTo = boost::json::value_to_tag<T>,
          class TryValueTo = boost::json::try_value_to_tag<T>>
T decode_custom(const boost::json::value& from, const json_path& at) {
    try {
        if constexpr (reads_itself<T>) {
            return tag_invoke(ValueTo{}, from);
        } else if constexpr (tries_itself<T>) {
            return tag_invoke(TryValueTo{}, from).value();
        } else {
            static_assert(
                supported<T>,
                "errand: this type has a tag_invoke for boost::json::value_from_tag only: it needs one for "
                "boost::json::value_to_tag too");
        }
    } catch (const std::exception&) {
        refuse_current_exception(at);
    }
}

template <class List>
List decode_list(const boost::json::value& from, const json_path& at) {
    const boost::json::array& array = read_array(from, at);
    List list;
    list.reserve(array.size());
    for (std::size_t i = 0; i < array.size(); ++i) {
        list.push_back(decode<typename List::value_type>(array[i], json_path{at, i}));
    }
    return list;
}

template <class Map>
Map decode_map(const boost::json::value& from, const json_path& at) {
    Map map;
    for (const auto& member : read_object(from, at)) {
        const std::string_view key = member.key();
        map.insert_or_assign(typename Map::key_type{key},
                             decode<typename Map::mapped_type>(member.value(), json_path{at, key}));
    }
    return map;
}

template <class Tuple, std::size_t... I>
Tuple decode_elements(const boost::json::array& array, const json_path& at, std::index_sequence<I...>) {
    return Tuple{decode<std::tuple_element_t<I, Tuple>>(array[I], json_path{at, I})...};
}

/// std::tuple and std::pair: the number of elements must be theirs.
template <class Tuple>
Tuple decode_tuple(const boost::json::value& from, const json_path& at) {
    constexpr std::size_t size = std::tuple_size_v<Tuple>;
    return decode_elements<Tuple>(read_array_of(from, size, at), at, std::make_index_sequence<size>{});
}

template <class Array>
Array decode_fixed_list(const boost::json::value& from, const json_path& at) {
    using element = typename Array::value_type;
    constexpr std::size_t size = std::tuple_size_v<Array>;
    const boost::json::array& array = read_array_of(from, size, at);
    if constexpr (std::is_default_constructible_v<element>) {
        Array list{};
        for (std::size_t i = 0; i < size; ++i) list[i] = decode<element>(array[i], json_path{at, i});
        return list;
    } else {
        return decode_elements<Array>(array, at, std::make_index_sequence<size>{});
    }
}

template <class Variant, std::size_t I = 0>
Variant decode_alternative(std::size_t index, const boost::json::value& from, const json_path& at) {
    if constexpr (I + 1 < std::variant_size_v<Variant>) {
        if (index != I) return decode_alternative<Variant, I + 1>(index, from, at);
    }
    return Variant{std::in_place_index<I>, decode<std::variant_alternative_t<I, Variant>>(from, at)};
}

template <class Variant>
Variant decode_variant(const boost::json::value& from, const json_path& at) {
    const std::size_t index = read_alternative(from, std::variant_size_v<Variant>, at);
    return decode_alternative<Variant>(index, from.get_array()[1], json_path{at, std::size_t{1}});
}

/// A copy that owns its memory: a plain copy would go on using the memory resource of the document.
template <class T>
T decode_dom(const boost::json::value& from, const json_path& at) {
    if constexpr (std::is_same_v<T, boost::json::value>) {
        return T(from, boost::json::storage_ptr{});
    } else if constexpr (std::is_same_v<T, boost::json::array>) {
        return T(read_array(from, at), boost::json::storage_ptr{});
    } else if constexpr (std::is_same_v<T, boost::json::object>) {
        return T(read_object(from, at), boost::json::storage_ptr{});
    } else {
        return T(read_text(from, at), boost::json::storage_ptr{});
    }
}

template <class T>
void decode_members(T& into, const boost::json::value& from, const json_path& at) {
    const boost::json::object& object = read_object(from, at);
    boost::pfr::for_each_field_with_name(into, [&](std::string_view name, auto& member) {
        if (const boost::json::value* found = object.if_contains(name)) {
            decode_into(member, *found, json_path{at, name});
        }
    });
}

template <class T>
void decode_into(T& into, const boost::json::value& from, const json_path& at) {
    if constexpr (std::is_const_v<T>) {
        static_assert(supported<T>, "errand: a const member cannot be read from JSON: make it non-const");
    } else if constexpr (form_of<T> == json_form::aggregate) {
        decode_members(into, from, at);
    } else {
        into = decode<T>(from, at);
    }
}

template <class T, json_form Form>
T decode_scalar(const boost::json::value& from, const json_path& at) {
    if constexpr (Form == json_form::null) {
        return read_null(from, at), T{};
    } else if constexpr (Form == json_form::boolean) {
        return read_bool(from, at);
    } else if constexpr (Form == json_form::integer) {
        return decode_integer<T>(from, at);
    } else if constexpr (Form == json_form::real) {
        return decode_real<T>(from, at);
    } else if constexpr (Form == json_form::named_enum) {
        return static_cast<T>(read_enumerator(from, enumerators_of<T>, at));
    } else if constexpr (Form == json_form::plain_enum) {
        return static_cast<T>(decode<std::underlying_type_t<T>>(from, at));
    } else if constexpr (Form == json_form::text) {
        return T{read_text(from, at)};
    } else if constexpr (Form == json_form::length_of_time) {
        return T{decode<typename T::rep>(from, at)};
    } else {
        return decode_time<T>(from, at);
    }
}

template <class T>
T decode(const boost::json::value& from, const json_path& at) {
    constexpr json_form form = form_of<T>;
    if constexpr (form == json_form::text_view) {
        refuse_type<T, form>();
    } else if constexpr (is_scalar(form)) {
        return decode_scalar<T, form>(from, at);
    } else if constexpr (form == json_form::custom) {
        return decode_custom<T>(from, at);
    } else if constexpr (form == json_form::optional) {
        return from.is_null() ? T{} : T{std::in_place, decode<typename T::value_type>(from, at)};
    } else if constexpr (form == json_form::variant) {
        return decode_variant<T>(from, at);
    } else if constexpr (form == json_form::list) {
        return decode_list<T>(from, at);
    } else if constexpr (form == json_form::fixed_list) {
        return decode_fixed_list<T>(from, at);
    } else if constexpr (form == json_form::tuple) {
        return decode_tuple<T>(from, at);
    } else if constexpr (form == json_form::map) {
        return decode_map<T>(from, at);
    } else if constexpr (form == json_form::dom) {
        return decode_dom<T>(from, at);
    } else if constexpr (form == json_form::aggregate) {
        T value{};
        decode_members(value, from, at);
        return value;
    } else {
        refuse_type<T, form>();
    }
}

}  // namespace errand::detail
