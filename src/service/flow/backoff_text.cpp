#include "service/flow/backoff_text.hpp"

#include "service/refusal.hpp"

#include <array>

namespace errand::flow {
namespace {

using web::field;
using web::kind;

constexpr std::array backoff_members{
    field{"kind", kind::text, "`progressive`, `uniform` or `polynomial`", true},
    field{"first_ms", kind::integer, "The first delay; of `uniform` every one"},
    field{"cap_ms", kind::integer, "The longest delay"},
};
constexpr std::array<std::string_view, 3> kinds{"progressive", "uniform", "polynomial"};
constexpr std::int64_t longest_delay = std::int64_t{365} * 86'400'000;

void refuse_member(const web::members& given, std::string_view name, std::string_view kind) {
    if (!given.has(name)) return;
    throw web::bad_request("\"" + std::string{name} + "\" is not said of a backoff of the kind " +
                               std::string{kind},
                           given.path_of(name));
}

}  // namespace

std::optional<backoff> read_backoff(const web::members& given, std::string_view name) {
    const auto* object = given.object(name);
    if (!object) return std::nullopt;
    const web::members of{*object, backoff_members, given.path_of(name)};
    const auto kind = *of.text("kind");
    const auto which = web::choice_of(kind, kinds, of.path_of("kind"));
    const auto first = of.integer("first_ms", which == 0 ? 1 : 0, longest_delay).value_or(1000);
    const auto cap = of.integer("cap_ms", 1, longest_delay);
    if (which != 0) refuse_member(of, "cap_ms", kind);
    if (which == 2) refuse_member(of, "first_ms", kind);
    if (which == 2) return backoff::polynomial();
    if (which == 1) return backoff::uniform(duration{first});
    const auto most = cap.value_or(std::max<std::int64_t>(first, 10'000));
    if (most < first)
        throw web::bad_request("\"cap_ms\" is not less than \"first_ms\"", of.path_of("cap_ms"));
    return backoff::exponential(duration{first}, duration{most});
}

}  // namespace errand::flow
