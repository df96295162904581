#include <errand/detail/json_limits.hpp>
#include <errand/detail/json_write.hpp>

#include "core/hex.hpp"
#include "core/json_quote.hpp"
#include "core/utf8.hpp"

#include <boost/json/serializer.hpp>
#include <boost/json/value.hpp>

#include <array>
#include <charconv>
#include <cmath>
#include <cstring>

namespace errand::detail {
namespace {

// What follows the backslash for a byte that cannot stand for itself: 'u' = \u00XX, 0 = it can.
constexpr std::array<char, 256> make_escapes() {
    std::array<char, 256> escapes{};
    for (std::size_t control = 0; control < 0x20; ++control) escapes[control] = 'u';
    escapes['\b'] = 'b';
    escapes['\f'] = 'f';
    escapes['\n'] = 'n';
    escapes['\r'] = 'r';
    escapes['\t'] = 't';
    escapes['"'] = '"';
    escapes['\\'] = '\\';
    return escapes;
}
constexpr std::array<char, 256> escapes = make_escapes();

// True when none of eight bytes needs an escape: none below 0x20, no quote, no backslash. Long texts are
// mostly such.
bool is_plain_word(const char* at) noexcept {
    constexpr std::uint64_t each = 0x0101010101010101U;
    constexpr std::uint64_t high = each * 0x80U;
    std::uint64_t word;
    std::memcpy(&word, at, sizeof word);
    const auto has_zero = [](std::uint64_t bytes) { return (bytes - each) & ~bytes & high; };
    const std::uint64_t control = (word - each * 0x20U) & ~word & high;
    return (control | has_zero(word ^ (each * '"')) | has_zero(word ^ (each * '\\'))) == 0;
}

template <class Number>
void append_digits(std::string& out, Number number) {
    std::array<char, 24> digits;
    const auto end = std::to_chars(digits.data(), digits.data() + digits.size(), number);
    out.append(digits.data(), end.ptr);
}

void check_utf8(std::string_view text, const json_path& at, const char* whose) {
    const std::size_t valid = first_invalid_utf8(text);
    if (valid != text.size()) {
        refuse(at, std::string{whose} + "not valid UTF-8 at byte " + std::to_string(valid) +
                       ", which JSON cannot hold");
    }
}

void append_dom_array(std::string& out, const boost::json::array& array, const json_path& at) {
    check_depth(at);
    out += '[';
    for (std::size_t i = 0; i < array.size(); ++i) {
        if (i != 0) out += ',';
        append_dom(out, array[i], json_path{at, i});
    }
    out += ']';
}

void append_dom_object(std::string& out, const boost::json::object& object, const json_path& at) {
    check_depth(at);
    out += '{';
    bool first = true;
    for (const auto& member : object) {
        if (!first) out += ',';
        first = false;
        append_key(out, member.key(), at);
        append_dom(out, member.value(), json_path{at, member.key()});
    }
    out += '}';
}

}  // namespace

void append_escaped(std::string& out, std::string_view text) {
    std::size_t plain = 0;
    for (std::size_t i = 0; i < text.size(); ++i) {
        while (text.size() - i > 8 && is_plain_word(text.data() + i)) i += 8;
        const auto byte = static_cast<unsigned char>(text[i]);
        const char escape = escapes[byte];
        if (escape == 0) continue;
        out.append(text, plain, i - plain);
        plain = i + 1;
        out += '\\';
        out += escape;
        if (escape == 'u') {
            out += "00";
            append_hex(out, byte);
        }
    }
    out.append(text, plain);
}

std::string quoted_extract(std::string_view text) {
    constexpr std::size_t shown = 60;
    const std::string whole = repaired_utf8(text.substr(0, shown + 4));
    const std::string_view part = utf8_prefix(whole, shown);
    std::string quoted = "\"";
    append_escaped(quoted, part);
    quoted += part.size() < whole.size() || text.size() > shown + 4 ? "...\"" : "\"";
    return quoted;
}

void check_depth(const json_path& at) {
    if (at.depth() >= max_json_depth) {
        refuse(at, "nested deeper than " + std::to_string(max_json_depth) + " (max_json_depth)");
    }
}

void refuse_argument(std::size_t index, const std::string& number) {
    const json_path args{"args"};
    refuse(json_path{args, index}, number + " does not fit the parameter");
}

void append_signed(std::string& out, std::int64_t number) { append_digits(out, number); }

void append_unsigned(std::string& out, std::uint64_t number) { append_digits(out, number); }

void append_real(std::string& out, double number, const json_path& at) {
    if (!std::isfinite(number)) {
        refuse(at, std::isnan(number) ? "JSON cannot hold a NaN" : "JSON cannot hold an infinite number");
    }
    // The serializer of Boost.JSON, so that numbers keep the form it writes elsewhere (1E0: a real, not 1).
    const boost::json::value value(number);
    std::array<unsigned char, 16> stack;
    boost::json::serializer serializer{{}, stack.data(), stack.size()};
    serializer.reset(&value);
    std::array<char, 32> text;
    out += std::string_view{serializer.read(text.data(), text.size())};
}

void append_text(std::string& out, std::string_view text, const json_path& at) {
    check_utf8(text, at, "");
    out += '"';
    append_escaped(out, text);
    out += '"';
}

void append_key(std::string& out, std::string_view key, const json_path& at) {
    check_utf8(key, at, "a key is ");
    out += '"';
    append_escaped(out, key);
    out += "\":";
}

void append_enumerator(std::string& out, std::uint64_t value, std::span<const enumerator> known,
                       const json_path& at) {
    for (const enumerator& each : known) {
        if (each.value == value) {
            out += '"';
            out += each.name;
            out += '"';
            return;
        }
    }
    refuse(at, "the value " + std::to_string(static_cast<std::int64_t>(value)) + " has no enumerator");
}

void append_dom(std::string& out, const boost::json::value& value, const json_path& at) {
    switch (value.kind()) {
    case boost::json::kind::null: out += "null"; return;
    case boost::json::kind::bool_: out += value.get_bool() ? "true" : "false"; return;
    case boost::json::kind::int64: append_signed(out, value.get_int64()); return;
    case boost::json::kind::uint64: append_unsigned(out, value.get_uint64()); return;
    case boost::json::kind::double_: append_real(out, value.get_double(), at); return;
    case boost::json::kind::string: append_text(out, value.get_string(), at); return;
    case boost::json::kind::array: append_dom_array(out, value.get_array(), at); return;
    case boost::json::kind::object: append_dom_object(out, value.get_object(), at); return;
    }
}

}  // namespace errand::detail
