#include <errand/detail/json_limits.hpp>
#include <errand/detail/json_read.hpp>
#include <errand/error.hpp>

#include "core/json_quote.hpp"

#include <boost/json/parser.hpp>

#include <array>
#include <charconv>
#include <cmath>
#include <limits>
#include <string>
#include <utility>

namespace errand::detail {
namespace {

std::string shortest(double number) {
    std::array<char, 32> text;
    const auto end = std::to_chars(text.data(), text.data() + text.size(), number);
    return {text.data(), end.ptr};
}

std::string found(const boost::json::value& value) {
    switch (value.kind()) {
    case boost::json::kind::null: return "null";
    case boost::json::kind::bool_: return value.get_bool() ? "true" : "false";
    case boost::json::kind::int64: return std::to_string(value.get_int64());
    case boost::json::kind::uint64: return std::to_string(value.get_uint64());
    case boost::json::kind::double_: return shortest(value.get_double());
    case boost::json::kind::string: return "string " + quoted_extract(value.get_string());
    case boost::json::kind::array: return "an array of " + std::to_string(value.get_array().size());
    case boost::json::kind::object: return "an object";
    }
    return "nothing";
}

[[noreturn]] void refuse_kind(const json_path& at, const std::string& wanted,
                              const boost::json::value& value) {
    refuse(at, "expected " + wanted + ", got " + found(value));
}

// A JSON number that is whole, however it is written. The bounds are where double and the integers part:
// -2^63 fits std::int64_t, 2^63 and 2^64 are the first that do not fit it and std::uint64_t.
struct whole_parts {
    bool negative = false;
    bool fits = false;
    std::uint64_t bits = 0;
};

whole_parts whole_number(double number) noexcept {
    if (number < 0) {
        const bool fits = number >= -0x1p63;
        return {true, fits, fits ? static_cast<std::uint64_t>(static_cast<std::int64_t>(number)) : 0};
    }
    const bool fits = number < 0x1p64;
    return {false, fits, fits ? static_cast<std::uint64_t>(number) : 0};
}

whole_parts read_whole(const boost::json::value& value, const json_path& at) {
    if (const auto* number = value.if_int64()) {
        return {*number < 0, true, static_cast<std::uint64_t>(*number)};
    }
    if (const auto* number = value.if_uint64()) return {false, true, *number};
    if (const auto* number = value.if_double(); number != nullptr && std::trunc(*number) == *number) {
        return whole_number(*number);
    }
    refuse_kind(at, "an integer", value);
}

}  // namespace

boost::json::value parse_json(std::string_view text, std::string_view root,
                              boost::json::storage_ptr storage) {
    boost::json::parse_options options;
    options.max_depth = static_cast<std::size_t>(max_json_depth);
    options.numbers = boost::json::number_precision::precise;
    // What the parser keeps for itself while it reads: enough for arguments of usual size.
    std::array<unsigned char, 2048> scratch;
    boost::json::parser parser{{}, options, scratch.data(), scratch.size()};
    parser.reset(std::move(storage));
    boost::system::error_code failed;
    const std::size_t read = parser.write_some(text, failed);
    if (!failed && read < text.size()) failed = boost::json::error::extra_data;
    if (failed) {
        refuse(json_path{root},
               "cannot be read as JSON, at byte " + std::to_string(read) + ": " + failed.message());
    }
    return parser.release();
}

bool read_bool(const boost::json::value& value, const json_path& at) {
    if (const bool* truth = value.if_bool()) return *truth;
    refuse_kind(at, "true or false", value);
}

std::int64_t read_signed(const boost::json::value& value, std::int64_t least, std::int64_t most,
                         const json_path& at) {
    const whole_parts number = read_whole(value, at);
    const auto as_signed = static_cast<std::int64_t>(number.bits);
    const bool fits = number.fits && number.negative == (as_signed < 0);
    if (!fits || as_signed < least || as_signed > most) {
        refuse_kind(at, "an integer from " + std::to_string(least) + " to " + std::to_string(most), value);
    }
    return as_signed;
}

std::uint64_t read_unsigned(const boost::json::value& value, std::uint64_t most, const json_path& at) {
    const whole_parts number = read_whole(value, at);
    if (!number.fits || number.negative || number.bits > most) {
        refuse_kind(at, "an integer from 0 to " + std::to_string(most), value);
    }
    return number.bits;
}

double read_real(const boost::json::value& value, const json_path& at) {
    double number = 0;
    if (const auto* real = value.if_double()) {
        number = *real;
    } else if (const auto* integer = value.if_int64()) {
        number = static_cast<double>(*integer);
    } else if (const auto* natural = value.if_uint64()) {
        number = static_cast<double>(*natural);
    } else {
        refuse_kind(at, "a number", value);
    }
    if (!std::isfinite(number)) refuse_kind(at, "a finite number", value);
    return number;
}

float read_float(const boost::json::value& value, const json_path& at) {
    // The last double that rounds to a finite float: 3.4028235e38, as others print the largest, must pass.
    constexpr double most = 0x1.fffffefffffffp127;
    const double number = read_real(value, at);
    if (std::abs(number) > most) refuse_kind(at, "a number from -3.4028235e+38 to 3.4028235e+38", value);
    return static_cast<float>(number);
}

std::string_view read_text(const boost::json::value& value, const json_path& at) {
    if (const auto* text = value.if_string()) return *text;
    refuse_kind(at, "a string", value);
}

std::uint64_t read_enumerator(const boost::json::value& value, std::span<const enumerator> known,
                              const json_path& at) {
    if (const auto* text = value.if_string()) {
        for (const enumerator& each : known) {
            if (each.name == std::string_view{*text}) return each.value;
        }
    }
    std::string names;
    for (const enumerator& each : known) {
        if (!names.empty()) names += ", ";
        names += each.name;
    }
    refuse_kind(at, "one of " + names, value);
}

void read_null(const boost::json::value& value, const json_path& at) {
    if (!value.is_null()) refuse_kind(at, "null", value);
}

const boost::json::array& read_array(const boost::json::value& value, const json_path& at) {
    if (const auto* array = value.if_array()) {
        check_depth(at);
        return *array;
    }
    refuse_kind(at, "an array", value);
}

const boost::json::array& read_array_of(const boost::json::value& value, std::size_t size,
                                        const json_path& at) {
    const auto* array = value.if_array();
    if (array == nullptr || array->size() != size)
        refuse_kind(at, "an array of " + std::to_string(size), value);
    check_depth(at);
    return *array;
}

const boost::json::object& read_object(const boost::json::value& value, const json_path& at) {
    if (const auto* object = value.if_object()) {
        check_depth(at);
        return *object;
    }
    refuse_kind(at, "an object", value);
}

void refuse_arity(const json_path& at, std::size_t wanted, std::size_t got) {
    refuse(at, "expected " + std::to_string(wanted) + (wanted == 1 ? " argument" : " arguments") + ", got " +
                   std::to_string(got));
}

std::size_t read_alternative(const boost::json::value& value, std::size_t alternatives, const json_path& at) {
    const auto* pair = value.if_array();
    if (pair == nullptr || pair->size() != 2) refuse_kind(at, "[index, value]", value);
    check_depth(at);
    return static_cast<std::size_t>(read_unsigned((*pair)[0], alternatives - 1,
                                                  json_path{at, std::size_t{0}}));
}

}  // namespace errand::detail
