#include "core/state_table.hpp"

#include <catch2/catch_test_macros.hpp>

#include <algorithm>
#include <set>
#include <utility>

using errand::state;
using errand::transition;

namespace {

// Null: a task in that state does not take it.
const errand::state_row* find_row(state from, transition event) {
    const auto rows = errand::state_table();
    const auto found = std::ranges::find_if(rows, [&](const errand::state_row& row) {
        return row.from == from && row.event == event;
    });
    return found == rows.end() ? nullptr : &*found;
}

}  // namespace

TEST_CASE("a state and a transition lead to one state") {
    std::set<std::pair<int, transition>> seen;
    for (const auto& row : errand::state_table()) {
        CHECK(seen.emplace(row.from ? static_cast<int>(*row.from) : -1, row.event).second);
    }
}

TEST_CASE("every transition has a row, and every state is reached and left") {
    std::set<transition> events;
    std::set<state> entered;
    std::set<state> left;
    for (const auto& row : errand::state_table()) {
        events.insert(row.event);
        if (row.to) entered.insert(*row.to);
        if (row.from) left.insert(*row.from);
    }
    CHECK(events.size() == errand::transition_count);
    CHECK(entered.size() == errand::detail::state_names.size());
    CHECK(left.size() == errand::detail::state_names.size());
}

TEST_CASE("nothing but a submission, a revival or its deletion moves a task that has ended") {
    for (const auto& row : errand::state_table()) {
        if (!row.from || !errand::is_end(*row.from)) continue;
        const bool anew = row.event <= transition::submit_waiting || row.event == transition::revive ||
                          row.event == transition::take_up;
        CHECK((anew || row.event == transition::clean || row.event == transition::remove));
    }
}

TEST_CASE("only a claimed task can succeed, and every state before the end can be cancelled") {
    CHECK(find_row(state::ready, transition::succeed) == nullptr);
    REQUIRE(find_row(state::working, transition::succeed) != nullptr);
    CHECK(find_row(state::working, transition::succeed)->to == state::success);
    for (auto from : {state::waiting, state::delayed, state::ready, state::working, state::retry}) {
        const auto* row = find_row(from, transition::cancel);
        REQUIRE(row != nullptr);
        CHECK(row->to == state::cancelled);
    }
}
