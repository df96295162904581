#include "transaction/postgres/parameters.hpp"

#include <errand/error.hpp>

#include "transaction/postgres/types.hpp"

#include <array>
#include <charconv>
#include <cstring>

namespace errand::postgres {
namespace {

template <class Number>
std::string digits_of(Number number) {
    std::array<char, 32> text{};
    const auto end = std::to_chars(text.data(), text.data() + text.size(), number).ptr;
    return {text.data(), end};
}

}  // namespace

parameters::parameters(const std::vector<sql::value>& values) {
    digits_.reserve(values.size());  // what is pointed to stays where it is
    types_.reserve(values.size());
    values_.reserve(values.size());
    lengths_.reserve(values.size());
    formats_.reserve(values.size());
    for (const auto& one : values) {
        if (const auto* truth = std::get_if<bool>(&one)) {
            add(type_bool, *truth ? "t" : "f", 1, false);
        } else if (const auto* whole = std::get_if<std::int64_t>(&one)) {
            add_number(type_int8, digits_of(*whole));
        } else if (const auto* real = std::get_if<double>(&one)) {
            add_number(type_float8, digits_of(*real));
        } else if (const auto* text = std::get_if<std::string>(&one)) {
            add_text(*text);
        } else if (const auto* bytes = std::get_if<sql::bytes>(&one)) {
            // A null pointer would be NULL.
            const void* data = bytes->empty() ? static_cast<const void*>("") : bytes->data();
            add(type_bytea, static_cast<const char*>(data), bytes->size(), true);
        } else {
            add(type_unknown, nullptr, 0, false);
        }
    }
}

void parameters::add(Oid type, const char* value, std::size_t length, bool binary) {
    types_.push_back(type);
    values_.push_back(value);
    lengths_.push_back(static_cast<int>(length));
    formats_.push_back(binary ? 1 : 0);
}

void parameters::add_text(const std::string& text) {
    if (text.find('\0') != text.npos) {
        throw database_error{"PostgreSQL keeps no text with a zero byte, as parameter $" +
                                 std::to_string(values_.size() + 1) + " has one (SQLSTATE 22021)",
                             "22021"};
    }
    add(type_unknown, text.c_str(), text.size(), false);
}

void parameters::add_number(Oid type, std::string digits) {
    digits_.push_back(std::move(digits));
    add(type, digits_.back().c_str(), digits_.back().size(), false);
}

std::string parameters::signature() const {
    std::string text;
    for (const auto type : types_) text += std::to_string(type) + ' ';
    return text;
}

}  // namespace errand::postgres
