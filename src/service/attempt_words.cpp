// What a program says of a task that it works on, read from the body of its request.
#include <errand/error.hpp>

#include "core/schedule_rules.hpp"
#include "service/attempt_calls.hpp"
#include "service/refusal.hpp"
#include "service/values.hpp"

#include <boost/json/array.hpp>
#include <boost/json/serialize.hpp>

#include <array>

namespace errand::web {

namespace json = boost::json;

namespace {

constexpr std::array wish_members{
    field{"next_at", kind::instant, "Its next tick"},
    field{"stop", kind::boolean, "It has no more ticks (false)"},
    field{"args", kind::array, "Of later runs"},
};

constexpr std::array error_members{
    field{"type", kind::text, "What kind of error it is"},
    field{"message", kind::text, "What went wrong", true},
};

constexpr std::array<std::string_view, 5> outcome_names{"success", "failure", "discard", "snooze",
                                                        "give_back"};

void refuse_member(const members& given, std::string_view name, const std::string& of) {
    if (given.has(name))
        throw bad_request("\"" + std::string{name} + "\" is said of " + of, given.path_of(name));
}

void need_member(const members& given, std::string_view name, const std::string& of) {
    if (!given.has(name))
        throw bad_request("a " + of + " needs \"" + std::string{name} + '"', given.path_of(name));
}

void read_error(const members& given, const std::string& outcome, spoken& into) {
    need_member(given, "error", outcome);
    const members error{*given.object("error"), error_members, given.path_of("error")};
    into.type = error.text("type").value_or("");
    into.message = *error.text("message");
}

void read_result(const members& given, std::size_t limit, spoken& into) {
    const auto* result = given.any("result");
    if (!result) return;
    into.result = json::serialize(*result);
    if (into.result.size() <= limit) return;
    throw refusal{413, "too_large",
                  "the result has " + std::to_string(into.result.size()) +
                      " bytes as JSON, and the limit is " + std::to_string(limit) +
                      ": report a reference to the data instead",
                  given.path_of("result")};
}

schedule_wish read_wish(const members& given, std::size_t limit) {
    schedule_wish wish;
    const auto* object = given.object("schedule");
    if (!object) return wish;
    const members of{*object, wish_members, given.path_of("schedule")};
    wish.next_at = of.instant("next_at");
    if (wish.next_at && *wish.next_at > latest_tick)
        throw bad_request("the time is after the year 2969; \"stop\" ends a schedule", of.path_of("next_at"));
    wish.stop = of.flag("stop").value_or(false);
    if (const auto* args = of.array("args")) wish.args = json::serialize(*args);
    if (wish.args && wish.args->size() > limit)
        throw refusal{413, "too_large",
                      "the arguments have " + std::to_string(wish.args->size()) +
                          " bytes as JSON, and the limit is " + std::to_string(limit) +
                          ": pass a reference to the data instead",
                      of.path_of("args")};
    return wish;
}

}  // namespace

ticket read_claim(const members& given) {
    auto read = read_ticket(*given.text("claim"));
    if (read) return std::move(*read);
    throw bad_request("\"claim\" is to be the text that came with the task", given.path_of("claim"));
}

spoken read_spoken(const members& given, std::size_t max_payload) {
    spoken said;
    const auto name = *given.text("outcome");
    said.what = static_cast<outcome_kind>(choice_of(name, outcome_names, given.path_of("outcome")));
    const bool fails = said.what == outcome_kind::failure || said.what == outcome_kind::discard;
    const bool comes_later = said.what == outcome_kind::failure || said.what == outcome_kind::snooze;
    if (said.what != outcome_kind::success) refuse_member(given, "result", "a success");
    if (!fails) refuse_member(given, "error", "failure and discard");
    if (said.what != outcome_kind::success) refuse_member(given, "schedule", "a success");
    if (!comes_later) refuse_member(given, "delay_ms", "failure and snooze");
    if (fails) read_error(given, name, said);
    if (said.what == outcome_kind::snooze) need_member(given, "delay_ms", name);
    said.delay = given.delay("delay_ms");
    read_result(given, max_payload, said);
    said.wish = read_wish(given, max_payload);
    return said;
}

}  // namespace errand::web
