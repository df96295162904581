#pragma once

#include <errand/detail/json_decode.hpp>
#include <errand/detail/json_encode.hpp>
#include <errand/detail/json_limits.hpp>

#include <boost/json/value.hpp>

#include <string>

namespace errand {

/// A value as JSON, in the form in which errand sends it.
///
/// Members of aggregates become members of an object in their order, by name. Durations are their count in
/// their own unit, time points milliseconds since 1970, variants `[index, value]`, an empty optional is null,
/// an enum described with Boost.Describe is its enumerator's name, any other enum its number, `char` a number
/// too. A type's own `tag_invoke` goes before all of this. Aggregates, and their members' types, must stand
/// at namespace scope. A type that cannot travel (a pointer, a C array, an aggregate with base classes ...)
/// is refused at compile time.
///
/// @throws bad_data naming the path, which begins with `value`: a number that is not finite, text that is not
///         UTF-8, an enum value without a name, nesting deeper than max_json_depth, or what a tag_invoke
///         throws
///
/// Thread safety: any, as long as nobody changes the value. Cost: linear; written once and parsed once.
template <class T>
[[nodiscard]] boost::json::value to_json(const T& value) {
    std::string text;
    detail::encode(text, value, detail::json_path{"value"});
    return detail::parse_json(text, "value");
}

/// The C++ value of a JSON value that to_json has written, or another program.
///
/// Members that T does not have are ignored. A member that is missing keeps what it has in `T{}`. A whole
/// number may be written as 3.0, and a floating-point member takes whole numbers. All else must fit exactly.
///
/// @throws bad_data naming the path: `value.cents: expected an integer, got string "9x"`
///
/// Thread safety: any. Cost: linear. The result shares no memory with the argument.
template <class T>
[[nodiscard]] T from_json(const boost::json::value& value) {
    return detail::decode<T>(value, detail::json_path{"value"});
}

}  // namespace errand
