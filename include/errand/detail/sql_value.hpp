// C++ values to parameters of a statement.
#pragma once

#include <errand/detail/enumerators.hpp>
#include <errand/detail/json_traits.hpp>
#include <errand/detail/supported.hpp>
#include <errand/sql.hpp>

#include <chrono>
#include <cstddef>
#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <type_traits>
#include <utility>
#include <vector>

namespace errand::detail {

// Throws bad_data: no database has such an integer.
sql::value unsigned_value(std::uint64_t number);
// "2026-11-21 10:00:00.000", UTC.
sql::value time_value(std::int64_t ms_since_1970);
// The name of the enumerator; throws bad_data when there is none.
sql::value enumerator_value(std::uint64_t value, std::span<const enumerator> known);
sql::value json_value(const boost::json::value& from);

template <class T>
sql::value parameter_of(const T& from) {
    using type = std::remove_cvref_t<T>;
    constexpr auto form = form_of<type>;
    if constexpr (std::is_same_v<type, sql::value> || std::is_same_v<type, sql::bytes>) {
        return from;
    } else if constexpr (std::is_same_v<type, std::nullopt_t> || std::is_same_v<type, std::nullptr_t> ||
                         form == json_form::null) {
        return std::monostate{};
    } else if constexpr (form == json_form::optional) {
        return from ? parameter_of(*from) : sql::value{};
    } else if constexpr (std::is_convertible_v<const type&, std::string_view>) {
        return std::string{std::string_view{from}};
    } else if constexpr (form == json_form::boolean) {
        return sql::value{from};
    } else if constexpr (form == json_form::integer) {
        if constexpr (std::is_unsigned_v<type>) return unsigned_value(from);
        return static_cast<std::int64_t>(from);
    } else if constexpr (form == json_form::real) {
        return static_cast<double>(from);
    } else if constexpr (form == json_form::named_enum) {
        return enumerator_value(widened(from), enumerators_of<type>);
    } else if constexpr (form == json_form::plain_enum) {
        return parameter_of(static_cast<std::underlying_type_t<type>>(from));
    } else if constexpr (form == json_form::length_of_time) {
        return parameter_of(from.count());
    } else if constexpr (form == json_form::point_in_time) {
        return time_value(std::chrono::floor<std::chrono::milliseconds>(from).time_since_epoch().count());
    } else if constexpr (form == json_form::dom) {
        return json_value(from);
    } else {
        static_assert(
            supported<T>,
            "errand: this type cannot be a parameter of a statement: pass numbers, bool, enums, text, "
            "std::chrono times, errand::sql::bytes, boost::json::value, or std::optional of one of "
            "these");
        return {};
    }
}

template <class... P>
std::vector<sql::value> parameters_of(const P&... from) {
    std::vector<sql::value> values;
    values.reserve(sizeof...(P));
    (values.push_back(parameter_of(from)), ...);
    return values;
}

}  // namespace errand::detail
