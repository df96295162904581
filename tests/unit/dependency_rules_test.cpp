#include "core/dependency_rules.hpp"
#include "core/submission_rules.hpp"

#include <catch2/catch_test_macros.hpp>

#include <array>

using namespace errand;

namespace {

constexpr std::array every_rule{on_failed::cancel, on_failed::wait, on_failed::run, on_failed::gather};
constexpr std::array failures{tidings::dead, tidings::cancelled, tidings::expired};

settled_task settled(waiting_phase phase, on_failed rule, bool needs, bool failed) {
    return settle(phase, rule,
                  [=](errand::link kind) { return kind == errand::link::needs ? needs : failed; });
}

}  // namespace

TEST_CASE("the letter of a rule is read as that rule") {
    for (const auto rule : every_rule) CHECK(rule_of(letter_of(rule)) == rule);
}

TEST_CASE("a parent stands by how it ended, and one that is not there by whether it ever was") {
    for (const auto rule : every_rule) {
        CHECK(stand(rule, std::nullopt, false) == parent_standing::unmet);
        CHECK(stand(rule, std::nullopt, true) == parent_standing::gone);
        CHECK(stand(rule, state::working, true) == parent_standing::unmet);
        CHECK(stand(rule, state::success, false) == parent_standing::met);
        const auto failed = rule == on_failed::run ? parent_standing::met : parent_standing::failed;
        for (const auto end : {state::dead, state::cancelled, state::expired})
            CHECK(stand(rule, end, true) == failed);
    }
}

TEST_CASE("hearing the same news twice changes nothing more") {
    for (const auto rule : every_rule) {
        for (const auto before :
             {parent_edges{.needs = true}, parent_edges{.failed = true}, parent_edges{}}) {
            for (const auto what : {tidings::success, tidings::dead, tidings::revived, tidings::check}) {
                const auto once = hear(what, rule, before);
                CHECK(hear(what, rule, once.after).after == once.after);
                CHECK_FALSE((once.after.needs && once.after.failed));
            }
        }
    }
}

TEST_CASE("a failure is kept until the parent comes back, where the rule asks for it") {
    for (const auto rule : every_rule) {
        for (const auto what : failures) {
            const auto [after, again] = hear(what, rule, {.needs = true});
            CHECK(after == parent_edges{.failed = rule != on_failed::run});
            CHECK(again == (rule != on_failed::run));
        }
        CHECK(hear(tidings::revived, rule, {.failed = true}).after == parent_edges{.needs = true});
        CHECK(hear(tidings::success, rule, {.failed = true}).after == parent_edges{});
    }
}

TEST_CASE("a task is settled only when all that its rule asks for is known") {
    using enum settlement;
    for (const auto rule : every_rule) {
        CHECK(settled(waiting_phase::registering, rule, false, false).then == none);
        CHECK(settled(waiting_phase::withdrawn, rule, false, true).then == none);
        const auto end = rule == on_failed::gather ? gather : release;
        CHECK(settled(waiting_phase::waits, rule, false, false).then == end);
        CHECK(settled(waiting_phase::waits, rule, true, false).then == none);
        CHECK(settled(waiting_phase::waits, rule, true, true).then ==
              (rule == on_failed::cancel ? forsake : none));
        CHECK(settled(waiting_phase::waits, rule, false, true).then ==
              (rule == on_failed::wait ? none : forsake));
        CHECK_FALSE(settled(waiting_phase::forsaken, rule, true, true).taken_up);
        CHECK(settled(waiting_phase::forsaken, rule, true, false).taken_up);
        CHECK(settled(waiting_phase::forsaken, rule, false, false).then == end);
    }
}

TEST_CASE("news that were overtaken are told no more, but that of a success") {
    const auto at = [](std::optional<state> where) { return [=] { return where; }; };
    CHECK(still_true(tidings::success, at(state::ready)));
    CHECK(still_true(tidings::dead, at(state::dead)));
    CHECK(still_true(tidings::dead, at(std::nullopt)));
    CHECK_FALSE(still_true(tidings::dead, at(state::ready)));
    CHECK_FALSE(still_true(tidings::dead, at(state::success)));
    CHECK(still_true(tidings::revived, at(state::ready)));
    CHECK_FALSE(still_true(tidings::revived, at(state::dead)));
    CHECK_FALSE(still_true(tidings::revived, at(std::nullopt)));
}

TEST_CASE("an id is held while its task runs, and after a success for as long as was promised") {
    using enum submit_verdict;
    const time_point now{std::chrono::hours{2}};
    const auto says = [&](id_holder held, on_conflict conflict, bool untold = false) {
        return judge(held, conflict, now, [=] { return untold; });
    };
    const id_holder ready{.where = state::ready};
    CHECK(says(ready, on_conflict::keep) == duplicate);
    CHECK(says(ready, on_conflict::replace) == replaced);
    CHECK(says(ready, on_conflict::reject) == rejected);
    CHECK(says({.where = state::retry, .started = true}, on_conflict::replace) == rejected);
    CHECK(says({.where = state::waiting, .registering = true}, on_conflict::keep) == busy);
    id_holder ended{.where = state::success, .finished_at = time_point{std::chrono::hours{1}}};
    CHECK(says(ended, on_conflict::keep) == accepted);
    CHECK(says(ended, on_conflict::keep, true) == busy);
    ended.retention = std::chrono::hours{24};
    CHECK(says(ended, on_conflict::keep) == accepted);
    CHECK(says(ended, on_conflict::adopt) == duplicate);
    CHECK(says(ended, on_conflict::where_free, true) == duplicate);
    CHECK(says({.where = state::dead}, on_conflict::where_free) == duplicate);
    ended.unique_for = std::chrono::hours{2};
    CHECK(says(ended, on_conflict::keep) == duplicate);
    CHECK(says(ended, on_conflict::replace) == rejected);
    ended.where = state::dead;
    CHECK(says(ended, on_conflict::reject, true) == accepted);
}
