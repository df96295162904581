// Checked access to parsed JSON: the compiled half of the decoder. Each function returns the value in the
// kind that was asked for, or throws bad_data naming the path, what was expected and what was there.
#pragma once

#include <errand/detail/json_path.hpp>
#include <errand/detail/json_write.hpp>

#include <boost/json/storage_ptr.hpp>
#include <boost/json/value.hpp>

#include <cstddef>
#include <cstdint>
#include <span>
#include <string_view>

namespace errand::detail {

/// Parses JSON text with errand's depth limit and exact numbers.
/// @param root what errors begin with
/// @throws bad_data with the position of the fault
[[nodiscard]] boost::json::value parse_json(std::string_view text, std::string_view root,
                                            boost::json::storage_ptr storage = {});

bool read_bool(const boost::json::value& value, const json_path& at);
/// A whole number, also one written as 3.0.
std::int64_t read_signed(const boost::json::value& value, std::int64_t least, std::int64_t most,
                         const json_path& at);
std::uint64_t read_unsigned(const boost::json::value& value, std::uint64_t most, const json_path& at);
double read_real(const boost::json::value& value, const json_path& at);
/// A number whose nearest float is finite.
float read_float(const boost::json::value& value, const json_path& at);
std::string_view read_text(const boost::json::value& value, const json_path& at);
/// The value of the enumerator of that name.
std::uint64_t read_enumerator(const boost::json::value& value, std::span<const enumerator> known,
                              const json_path& at);
void read_null(const boost::json::value& value, const json_path& at);
const boost::json::array& read_array(const boost::json::value& value, const json_path& at);
const boost::json::array& read_array_of(const boost::json::value& value, std::size_t size,
                                        const json_path& at);
const boost::json::object& read_object(const boost::json::value& value, const json_path& at);
/// Throws bad_data: `args: expected 2 arguments, got 3`.
[[noreturn]] void refuse_arity(const json_path& at, std::size_t wanted, std::size_t got);
/// The index of `[index, value]`, below `alternatives`.
std::size_t read_alternative(const boost::json::value& value, std::size_t alternatives, const json_path& at);

}  // namespace errand::detail
