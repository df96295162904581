// Rows of a result to C++ values: an aggregate by the names of its members, a tuple by position, one column as what it is.
#pragma once

#include <errand/detail/enumerators.hpp>
#include <errand/detail/json_traits.hpp>
#include <errand/detail/supported.hpp>
#include <errand/sql.hpp>

#include <boost/json/value.hpp>
#include <boost/pfr/core.hpp>
#include <boost/pfr/core_name.hpp>

#include <chrono>
#include <cstdint>
#include <limits>
#include <span>
#include <string>
#include <string_view>
#include <type_traits>
#include <utility>
#include <vector>

namespace errand::detail {

// One value, and where it stands.
struct sql_cell {
    const sql::result& in;
    std::size_t row;
    std::size_t column;

    const sql::value& get() const { return in.rows[row][column]; }
};

// Each throws bad_data naming column and row (the first is 1) when the value is not one of that kind.
bool cell_bool(const sql_cell& at);
std::int64_t cell_signed(const sql_cell& at, std::int64_t least, std::int64_t most);
std::uint64_t cell_unsigned(const sql_cell& at, std::uint64_t most);
double cell_real(const sql_cell& at);
std::string cell_text(const sql_cell& at);
sql::bytes cell_bytes(const sql_cell& at);
// Milliseconds since 1970: a whole number, or a date or time as databases print them.
std::int64_t cell_time(const sql_cell& at);
bool names_enumerator(const sql_cell& at);
std::uint64_t cell_enumerator(const sql_cell& at, std::span<const enumerator> known);
boost::json::value cell_json(const sql_cell& at);

// For each member the column that it is read from: the one of its name, whatever the case; when some member has none and
// there are as many columns as members, the one at its position. Throws bad_data naming both.
std::vector<std::size_t> columns_for(const sql::result& in, std::span<const std::string_view> members);
// Throws bad_data when there are not so many columns.
void check_width(const sql::result& in, std::size_t wanted);

template <class T>
T integer_of(const sql_cell& at) {
    using limits = std::numeric_limits<T>;
    if constexpr (std::is_signed_v<T>)
        return static_cast<T>(cell_signed(at, limits::min(), limits::max()));
    else
        return static_cast<T>(cell_unsigned(at, limits::max()));
}

template <class T>
T value_in(const sql_cell& at) {
    constexpr auto form = form_of<T>;
    if constexpr (std::is_same_v<T, sql::value>) {
        return at.get();
    } else if constexpr (std::is_same_v<T, sql::bytes>) {
        return cell_bytes(at);
    } else if constexpr (form == json_form::optional) {
        if (at.get().index() == 0) return std::nullopt;
        return value_in<typename T::value_type>(at);
    } else if constexpr (form == json_form::boolean) {
        return cell_bool(at);
    } else if constexpr (form == json_form::integer) {
        return integer_of<T>(at);
    } else if constexpr (form == json_form::real) {
        return static_cast<T>(cell_real(at));
    } else if constexpr (form == json_form::named_enum) {
        if (names_enumerator(at)) return static_cast<T>(cell_enumerator(at, enumerators_of<T>));
        return static_cast<T>(integer_of<std::underlying_type_t<T>>(at));
    } else if constexpr (form == json_form::plain_enum) {
        return static_cast<T>(integer_of<std::underlying_type_t<T>>(at));
    } else if constexpr (form == json_form::text) {
        return T{cell_text(at)};
    } else if constexpr (form == json_form::length_of_time) {
        return T{integer_of<typename T::rep>(at)};
    } else if constexpr (form == json_form::point_in_time) {
        return std::chrono::time_point_cast<typename T::duration>(
            std::chrono::sys_time<std::chrono::milliseconds>{std::chrono::milliseconds{cell_time(at)}});
    } else if constexpr (std::is_same_v<T, boost::json::value>) {
        return cell_json(at);
    } else {
        static_assert(supported<T>,
                      "errand: a column cannot be read as this type: use numbers, bool, enums, std::string, "
                      "std::chrono times, errand::sql::bytes, boost::json::value, or std::optional of one of "
                      "these");
    }
}

template <class T>
inline constexpr bool is_row_of_values = std::is_same_v<T, std::vector<sql::value>>;
template <class T>
inline constexpr bool is_one_column =
    !is_row_of_values<T> && form_of<T> != json_form::tuple && form_of<T> != json_form::aggregate;

template <class Row, std::size_t... I>
Row tuple_in(const sql::result& in, std::size_t row, std::index_sequence<I...>) {
    return Row{value_in<std::tuple_element_t<I, Row>>({in, row, I})...};
}

template <class Row, std::size_t... I>
Row aggregate_in(const sql::result& in, std::size_t row, std::span<const std::size_t> columns,
                 std::index_sequence<I...>) {
    Row made{};
    ((boost::pfr::get<I>(made) = value_in<boost::pfr::tuple_element_t<I, Row>>({in, row, columns[I]})), ...);
    return made;
}

/// @throws bad_data naming column and row
template <class Row>
std::vector<Row> rows_in(const sql::result& in) {
    std::vector<Row> rows;
    if (in.columns.empty()) return rows;
    rows.reserve(in.rows.size());
    if constexpr (is_row_of_values<Row>) {
        rows = in.rows;
    } else if constexpr (is_one_column<Row>) {
        check_width(in, 1);
        for (std::size_t row = 0; row < in.rows.size(); ++row) rows.push_back(value_in<Row>({in, row, 0}));
    } else if constexpr (form_of<Row> == json_form::tuple) {
        constexpr auto size = std::tuple_size_v<Row>;
        check_width(in, size);
        for (std::size_t row = 0; row < in.rows.size(); ++row)
            rows.push_back(tuple_in<Row>(in, row, std::make_index_sequence<size>{}));
    } else {
        static constexpr auto names = boost::pfr::names_as_array<Row>();
        const auto columns = columns_for(in, names);
        for (std::size_t row = 0; row < in.rows.size(); ++row)
            rows.push_back(aggregate_in<Row>(in, row, columns, std::make_index_sequence<names.size()>{}));
    }
    return rows;
}

}  // namespace errand::detail
