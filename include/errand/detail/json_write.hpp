// JSON text, appended to a string: the compiled half of the encoder. Writes what boost::json::serialize
// writes, and refuses what a JSON parser would refuse: numbers that are not finite, text that is not UTF-8,
// too deep nesting.
#pragma once

#include <errand/detail/json_path.hpp>

#include <cstddef>
#include <cstdint>
#include <span>
#include <string>
#include <string_view>

namespace boost::json {
class value;
}

namespace errand::detail {

/// An enumerator and its value, widened (negative ones by two's complement).
struct enumerator {
    std::string_view name;
    std::uint64_t value;
};

void append_signed(std::string& out, std::int64_t number);
void append_unsigned(std::string& out, std::uint64_t number);
/// In its shortest form that reads back as the same number.
void append_real(std::string& out, double number, const json_path& at);
/// Quoted and escaped.
void append_text(std::string& out, std::string_view text, const json_path& at);
/// Quoted and escaped; `at` is the object's place.
void append_key(std::string& out, std::string_view key, const json_path& at);
/// The name of the enumerator with that value, quoted.
void append_enumerator(std::string& out, std::uint64_t value, std::span<const enumerator> known,
                       const json_path& at);
void append_dom(std::string& out, const boost::json::value& value, const json_path& at);

/// Throws bad_data: `args[1]: 99999 does not fit the parameter`.
[[noreturn]] void refuse_argument(std::size_t index, const std::string& number);

/// Throws bad_data when an array or object at `at` would be nested deeper than max_json_depth.
void check_depth(const json_path& at);

}  // namespace errand::detail
