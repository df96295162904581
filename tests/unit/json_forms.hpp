// Types of the shapes that handlers take, for the JSON tests.
#pragma once

#include <errand/json.hpp>
#include <errand/time.hpp>

#include <boost/describe/enum.hpp>
#include <boost/json/conversion.hpp>
#include <boost/json/serialize.hpp>

#include <array>
#include <chrono>
#include <cstdint>
#include <map>
#include <optional>
#include <string>
#include <tuple>
#include <unordered_map>
#include <utility>
#include <variant>
#include <vector>

namespace forms {

struct order {
    std::string id;
    std::int64_t cents = 0;
    std::optional<std::string> coupon;
    bool operator==(const order&) const = default;
};

struct with_defaults {
    int retries = 5;
    order first{"o-0", 7, "c"};
    std::optional<int> limit = 3;
    bool operator==(const with_defaults&) const = default;
};

struct tree {
    std::string name;
    std::vector<tree> branches;
    bool operator==(const tree&) const = default;
};

struct nothing {
    bool operator==(const nothing&) const = default;
};

struct everything {
    bool truth = true;
    char letter = 'a';
    std::int8_t tiny = -1;
    std::uint64_t huge = 18446744073709551615U;
    float ratio = 0.1F;
    double share = 2.5;
    std::chrono::seconds wait{90};
    errand::time_point at{std::chrono::milliseconds{1763700000123}};
    std::optional<int> maybe;
    std::variant<int, std::string> either = "right";
    std::vector<std::uint8_t> bytes{1, 2};
    std::vector<bool> bits{true, false};
    std::array<int, 2> both{3, 4};
    std::map<std::string, int> sorted{{"a", 1}, {"b", 2}};
    std::unordered_map<std::string, order> orders{{"k", {"o", 1, {}}}};
    std::tuple<int, std::string> couple{1, "x"};
    std::pair<bool, double> flagged{true, 0.5};
    boost::json::value free{1, "two", nullptr};
    nothing empty;
    std::monostate unit;
    bool operator==(const everything&) const = default;
};

enum class color { red, green = 7, blue = -1 };
BOOST_DESCRIBE_ENUM(color, red, green, blue)

enum class level : std::uint8_t { low, high = 200 };

// Travels by its own tag_invoke, though it would do as an aggregate, and has no T{}.
struct money {
    explicit money(std::int64_t amount) : cents{amount} {}
    std::int64_t cents;
    bool operator==(const money&) const = default;
};
inline void tag_invoke(boost::json::value_from_tag, boost::json::value& into, const money& from) {
    if (from.cents < 0) throw std::invalid_argument{"money is never negative"};
    into = std::to_string(from.cents) + " ct";
}
inline money tag_invoke(boost::json::value_to_tag<money>, const boost::json::value& from) {
    return money{std::stoll(std::string{from.as_string()})};
}

struct celsius {
    double degrees = 0;
    bool operator==(const celsius&) const = default;
};
inline void tag_invoke(boost::json::value_from_tag, boost::json::value& into, const celsius& from) {
    into = {{"celsius", from.degrees}};
}
inline boost::json::result_for<celsius, boost::json::value>::type tag_invoke(
    boost::json::try_value_to_tag<celsius>, const boost::json::value& from) {
    const auto* object = from.if_object();
    if (object == nullptr) return make_error_code(boost::json::error::not_object);
    return celsius{object->at("celsius").to_number<double>()};
}

struct invoice {
    money total{0};
    std::vector<money> parts;
    std::tuple<money, int> rest{money{0}, 0};
    bool operator==(const invoice&) const = default;
};

template <class T>
std::string text_of(const T& value) {
    return boost::json::serialize(errand::to_json(value));
}

template <class T>
T read(boost::json::string_view text) {
    return errand::from_json<T>(errand::detail::parse_json(text, "test"));
}

template <class T>
T there_and_back(const T& value) {
    return errand::from_json<T>(errand::to_json(value));
}

}  // namespace forms
