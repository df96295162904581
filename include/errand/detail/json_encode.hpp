// C++ values to JSON text, in one pass and without a DOM between. The value's path goes along for errors.
#pragma once

#include <errand/detail/enumerators.hpp>
#include <errand/detail/json_path.hpp>
#include <errand/detail/json_refusal.hpp>
#include <errand/detail/json_traits.hpp>
#include <errand/detail/json_write.hpp>

#include <boost/pfr/core_name.hpp>

#include <chrono>
#include <cstdint>
#include <exception>
#include <ratio>
#include <string>
#include <string_view>
#include <tuple>
#include <type_traits>
#include <variant>

namespace errand::detail {

/// Appends the value as JSON.
/// @throws bad_data when JSON cannot hold it
template <class T>
void encode(std::string& out, const T& value, const json_path& at);

template <class T>
void encode_integer(std::string& out, T value) {
    if constexpr (std::is_signed_v<T>) {
        append_signed(out, static_cast<std::int64_t>(value));
    } else {
        append_unsigned(out, static_cast<std::uint64_t>(value));
    }
}

/// Milliseconds since 1970, rounded towards the past.
template <class Duration>
void encode_time(std::string& out, const std::chrono::sys_time<Duration>& value, const json_path& at) {
    using std::chrono::milliseconds;
    constexpr bool may_overflow = std::is_floating_point_v<typename Duration::rep> ||
                                  std::ratio_greater_v<typename Duration::period, milliseconds::period>;
    if constexpr (may_overflow) {
        const std::chrono::duration<double, std::milli> about = value.time_since_epoch();
        if (!(about.count() > -4e18 && about.count() < 4e18)) refuse(at, "a time too far from 1970");
    }
    append_signed(out, std::chrono::floor<milliseconds>(value).time_since_epoch().count());
}

template <class T, class Tag = boost::json::value_from_tag>
void encode_custom(std::string& out, const T& value, const json_path& at) {
    if constexpr (writes_itself<T>) {
        boost::json::value written;
        try {
            tag_invoke(Tag{}, written, value);
        } catch (const std::exception&) {
            refuse_current_exception(at);
        }
        append_dom(out, written, at);
    } else {
        static_assert(
            supported<T>,
            "errand: this type has a tag_invoke for boost::json::value_to_tag only: it needs one for "
            "boost::json::value_from_tag too");
    }
}

template <class List>
void encode_list(std::string& out, const List& list, const json_path& at) {
    check_depth(at);
    out += '[';
    std::size_t index = 0;
    for (const auto& element : list) {
        if (index != 0) out += ',';
        encode<typename List::value_type>(out, element, json_path{at, index});
        ++index;
    }
    out += ']';
}

template <class Map>
void encode_map(std::string& out, const Map& map, const json_path& at) {
    check_depth(at);
    out += '{';
    bool first = true;
    for (const auto& [key, value] : map) {
        if (!first) out += ',';
        first = false;
        append_key(out, key, at);
        encode(out, value, json_path{at, key});
    }
    out += '}';
}

template <class Tuple>
void encode_tuple(std::string& out, const Tuple& tuple, const json_path& at) {
    check_depth(at);
    out += '[';
    std::size_t index = 0;
    const auto element = [&](const auto& value) {
        if (index != 0) out += ',';
        encode(out, value, json_path{at, index});
        ++index;
    };
    std::apply([&](const auto&... values) { (element(values), ...); }, tuple);
    out += ']';
}

template <class Variant>
void encode_variant(std::string& out, const Variant& variant, const json_path& at) {
    check_depth(at);
    if (variant.valueless_by_exception()) refuse(at, "a variant without a value");
    out += '[';
    append_unsigned(out, variant.index());
    out += ',';
    std::visit([&](const auto& value) { encode(out, value, json_path{at, std::size_t{1}}); }, variant);
    out += ']';
}

template <class T>
void encode_members(std::string& out, const T& value, const json_path& at) {
    check_depth(at);
    out += '{';
    bool first = true;
    boost::pfr::for_each_field_with_name(value, [&](std::string_view name, const auto& member) {
        out += first ? "\"" : ",\"";
        first = false;
        out += name;
        out += "\":";
        encode(out, member, json_path{at, name});
    });
    out += '}';
}

template <json_form Form, class T>
void encode_scalar(std::string& out, const T& value, const json_path& at) {
    if constexpr (Form == json_form::null) {
        out += "null";
    } else if constexpr (Form == json_form::boolean) {
        out += value ? "true" : "false";
    } else if constexpr (Form == json_form::integer) {
        encode_integer(out, value);
    } else if constexpr (Form == json_form::real) {
        append_real(out, static_cast<double>(value), at);
    } else if constexpr (Form == json_form::named_enum) {
        append_enumerator(out, widened(value), enumerators_of<T>, at);
    } else if constexpr (Form == json_form::plain_enum) {
        encode(out, static_cast<std::underlying_type_t<T>>(value), at);
    } else if constexpr (Form == json_form::length_of_time) {
        encode(out, value.count(), at);
    } else if constexpr (Form == json_form::point_in_time) {
        encode_time(out, value, at);
    } else {
        append_text(out, value, at);
    }
}

template <class T>
void encode(std::string& out, const T& value, const json_path& at) {
    constexpr json_form form = form_of<T>;
    if constexpr (is_scalar(form)) {
        encode_scalar<form>(out, value, at);
    } else if constexpr (form == json_form::custom) {
        encode_custom(out, value, at);
    } else if constexpr (form == json_form::optional) {
        value ? encode(out, *value, at) : void(out += "null");
    } else if constexpr (form == json_form::variant) {
        encode_variant(out, value, at);
    } else if constexpr (form == json_form::list || form == json_form::fixed_list) {
        encode_list(out, value, at);
    } else if constexpr (form == json_form::tuple) {
        encode_tuple(out, value, at);
    } else if constexpr (form == json_form::map) {
        encode_map(out, value, at);
    } else if constexpr (form == json_form::dom) {
        append_dom(out, value, at);
    } else if constexpr (form == json_form::aggregate) {
        encode_members(out, value, at);
    } else {
        refuse_type<T, form>();
    }
}

}  // namespace errand::detail
