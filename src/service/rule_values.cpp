#include "service/rule_values.hpp"

#include <array>
#include <limits>

namespace errand::web {
namespace {

constexpr std::array rate_members{
    field{"count", kind::integer, "Starts", true},
    field{"per_ms", kind::integer, "In this time (1000)"},
    field{"burst", kind::integer, "Of these so many at one instant; 0: as many as fall into 10 ms"},
};

constexpr std::int64_t most_int = std::numeric_limits<int>::max();

}  // namespace

std::optional<rate_limit> read_rate(const members& given, std::string_view name) {
    const auto* object = given.object(name);
    if (!object) return std::nullopt;
    const members rate{*object, rate_members, given.path_of(name)};
    rate_limit made;
    made.count = static_cast<int>(rate.integer("count", 1, most_int).value_or(1));
    if (const auto per = rate.length("per_ms")) made.per = *per;
    made.burst = static_cast<int>(rate.integer("burst", 0, most_int).value_or(0));
    return made;
}

std::optional<int> small_number(const members& given, std::string_view name) {
    const auto value = given.integer(name, 0, most_int);
    return value ? std::optional{static_cast<int>(*value)} : std::nullopt;
}

}  // namespace errand::web
