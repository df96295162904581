// Whether a gate lets a task through, and what that makes of it.
#include "core/gate_rules.hpp"

#include <catch2/catch_test_macros.hpp>

#include <vector>

using namespace errand;
using namespace std::chrono_literals;

namespace {

constexpr std::int64_t begun = 1'800'000'000'000'000'000;
constexpr std::int64_t a_second = 1'000'000'000;

}  // namespace

TEST_CASE("a gate says which limit it is of, and what it shares with gates of other kinds") {
    const auto one = gate_of(gate_kind::running, "crm", "k"), other = gate_of(gate_kind::both, "crm", "k");
    CHECK(kind_of_gate(one) == gate_kind::running);
    CHECK(limit_of_gate(one) == limit_number("crm"));
    CHECK(place_of_gate(one) == place_of_gate(other));
    CHECK(place_of_gate(one) != place_of_gate(gate_of(gate_kind::running, "crm", "")));
}

TEST_CASE("a gate is full when as many run as its limit allows, until one of them has left it") {
    const limit_rule rule{.max_running = 2};
    for (const auto kind : {gate_kind::running, gate_kind::both}) {
        gate_state state;
        for (int i = 0; i < 2; ++i) {
            CHECK(look_at_gate(kind, rule, state, begun).open());
            pass_gate(kind, rule, state, begun);
        }
        CHECK(look_at_gate(kind, rule, state, begun).how == gate_look::standing::full);
        CHECK(look_at_gate(gate_kind::starts, rule, state, begun).open());
        leave_gate(kind, state);
        CHECK(look_at_gate(kind, rule, state, begun).open());
        for (int i = 0; i < 3; ++i) leave_gate(kind, state);
        CHECK(state.running == 0);
        CHECK(state.is_fresh(begun));
    }
}

TEST_CASE("a gate of a limit of none is full, and one of which nothing is limited is open") {
    CHECK(look_at_gate(gate_kind::both, {.max_running = 0}, {}, begun).how == gate_look::standing::full);
    gate_state state;
    for (int i = 0; i < 5; ++i) pass_gate(gate_kind::both, {}, state, begun);
    CHECK(state.running == 5);
    CHECK(look_at_gate(gate_kind::both, {}, state, begun).open());
    CHECK(look_at_gate(gate_kind::both, {.max_running = 5}, state, begun).how == gate_look::standing::full);
}

TEST_CASE("a gate is closed by its rate until it opens at a time that it says") {
    const limit_rule rule{.rate = rate_limit{2, 1s}};
    for (const auto kind : {gate_kind::starts, gate_kind::both}) {
        gate_state state;
        pass_gate(kind, rule, state, begun);
        const auto found = look_at_gate(kind, rule, state, begun);
        CHECK(found.how == gate_look::standing::too_soon);
        CHECK(found.opens_at == begun + a_second / 2);
        CHECK(look_at_gate(kind, rule, state, found.opens_at - 1).how == gate_look::standing::too_soon);
        CHECK(look_at_gate(kind, rule, state, found.opens_at).open());
        CHECK(look_at_gate(gate_kind::running, rule, state, begun).open());
        CHECK_FALSE(gate_state{.running = 0, .kept = state.kept}.is_fresh(begun));
        CHECK(gate_state{.running = 0, .kept = state.kept}.is_fresh(begun + a_second));
    }
    gate_state state;
    pass_gate(gate_kind::running, rule, state, begun);
    CHECK(state.kept == 0);
    pass_gate(gate_kind::starts, rule, state, begun);
    CHECK(state.running == 1);
}

TEST_CASE("a burst passes one by one, and in no time of its rate more than it allows") {
    const limit_rule rule{.rate = rate_limit{6, 200ms, 4}};
    constexpr std::int64_t per = a_second / 5;
    gate_state state;
    std::vector<std::int64_t> starts;
    for (std::int64_t now = begun; starts.size() < 30;) {
        const auto found = look_at_gate(gate_kind::starts, rule, state, now);
        if (found.open()) {
            pass_gate(gate_kind::starts, rule, state, now);
            starts.push_back(now);
        } else {
            now = found.opens_at;
        }
    }
    CHECK(starts[3] == begun);
    CHECK(starts[4] > begun);
    for (std::size_t at = 6; at < starts.size(); ++at) CHECK(starts[at] - starts[at - 6] >= per);
}

TEST_CASE("a gate that is full says so, whatever its rate says") {
    const limit_rule rule{.max_running = 1, .rate = rate_limit{1, 1s}};
    gate_state state;
    pass_gate(gate_kind::both, rule, state, begun);
    CHECK(look_at_gate(gate_kind::both, rule, state, begun).how == gate_look::standing::full);
    leave_gate(gate_kind::both, state);
    CHECK(look_at_gate(gate_kind::both, rule, state, begun).how == gate_look::standing::too_soon);
}

TEST_CASE("what a slower rate has left behind is brought down, once, to what this one can") {
    gate_state state;
    pass_gate(gate_kind::starts, {.rate = rate_limit{1, 1h}}, state, begun);
    const limit_rule faster{.rate = rate_limit{2, 1s}};
    CHECK_FALSE(settle_gate(gate_kind::running, faster, state, begun));
    CHECK(settle_gate(gate_kind::starts, faster, state, begun));
    const auto opens = look_at_gate(gate_kind::starts, faster, state, begun).opens_at;
    CHECK(opens <= begun + a_second);
    CHECK_FALSE(settle_gate(gate_kind::starts, faster, state, begun + a_second / 10));
    CHECK(look_at_gate(gate_kind::starts, faster, state, begun + a_second / 10).opens_at == opens);
    CHECK(look_at_gate(gate_kind::starts, faster, state, opens).open());
}

TEST_CASE(
    "who comes back to a gate runs when of those that are counted fewer run than may, and keeps others out meanwhile") {
    const limit_rule rule{.max_running = 2};
    gate_state state;
    for (int i = 0; i < 2; ++i) pass_gate(gate_kind::both, rule, state, begun);
    // Two run, and a third one comes back.
    CHECK_FALSE(may_run_again(gate_kind::both, rule, state, 0));
    return_to_gate(gate_kind::both, state);
    CHECK(state.running == 3);
    CHECK_FALSE(may_run_again(gate_kind::both, rule, state, 1));
    leave_gate(gate_kind::both, state);
    CHECK(may_run_again(gate_kind::both, rule, state, 1));
    CHECK(look_at_gate(gate_kind::both, rule, state, begun).how == gate_look::standing::full);
}

TEST_CASE(
    "behind a closed gate those who have started run one after the other, and a gate of starts knows nothing of them") {
    gate_state state{.running = 1, .kept = 0};
    CHECK(may_run_again(gate_kind::running, {.max_running = 0}, state, 1));
    CHECK_FALSE(may_run_again(gate_kind::running, {.max_running = 0}, state, 0));
    CHECK(may_run_again(gate_kind::running, {}, state, 0));
    CHECK(may_run_again(gate_kind::starts, {.max_running = 0}, state, 0));
    return_to_gate(gate_kind::starts, state);
    CHECK(state.running == 1);
}

TEST_CASE("gates say whether one of them counts what runs") {
    const auto starts = gate_of(gate_kind::starts, "crm", "k"), runs = gate_of(gate_kind::running, "x", "");
    CHECK_FALSE(any_counts_running(""));
    CHECK_FALSE(any_counts_running(starts));
    CHECK(any_counts_running(starts + runs));
    CHECK(any_counts_running(gate_of(gate_kind::both, "x", "")));
}
