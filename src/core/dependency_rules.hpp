// What follows for a task from how those stand that it depends on. SQLite's store does what is said here; the scripts of
// Redis's say it once more (named at each), and tests/conformance/history_test.cpp holds them against it.
#pragma once

#include <errand/state.hpp>

#include "core/record.hpp"

#include <cstdint>
#include <optional>

namespace errand {

// Edges between tasks, by the end from which they are looked for.
enum class link : char {
    needs = 'n',   // child -> parent whose end it needs
    failed = 'f',  // child -> parent that ended otherwise than it needs
    tells = 'c',   // parent -> child that is to hear of it
    served = 's',  // parent -> child that has heard what it needs
    untied = 'u',  // child -> parent in another shard that is to forget the child
};

// What became of a task that others depend on.
enum class tidings : char {
    success = 's',
    dead = 'd',
    cancelled = 'c',
    expired = 'x',
    revived = 'v',
    check = 'k',    // it is to be looked at itself
    overdue = 'w',  // its submission was not completed
    untied = 'u',   // it needs parents in other shards no longer
    ran = 'r',      // of a schedule: a run of it has ended
    bundled = 'b',  // of a carrier, told to its items: each with what becomes of it (core/bundles.hpp)
};

// Of a task that depends on others, until it is free to run.
enum class waiting_phase : char {
    registering = 'r',  // its submission is not complete
    withdrawn = 'g',    // and will not be: it is being taken back, in steps
    waits = 'w',
    forsaken = 'f',  // it was cancelled because of one that it depends on
};

// Its submission is not complete: nobody may count on it, and its id is nobody else's yet.
constexpr bool is_incomplete(waiting_phase phase) noexcept {
    return phase == waiting_phase::registering || phase == waiting_phase::withdrawn;
}

// As stores write it down.
char letter_of(on_failed rule) noexcept;
on_failed rule_of(char letter) noexcept;

// ---- at its submission (lib_depend.lua) ----

enum class parent_standing : std::uint8_t {
    unmet,
    met,
    failed,  // it ended otherwise than the task needs
    gone,    // it was accepted and is no longer kept: how it ended is not known
};
// `where`: nothing when it is not there, or about to begin anew. `accepted`: it is known to have been there.
parent_standing stand(on_failed rule, std::optional<state> where, bool accepted) noexcept;

// Whether it can close a cycle: it waits for others to end.
bool waits_for_others(on_failed rule, bool any_unmet, bool any_failed) noexcept;

enum class first_step : std::uint8_t {
    free_to_run,
    wait,
    wait_and_check,  // somebody is to look at it: it may be free, or cancelled, already
};
first_step first_step_of(on_failed rule, bool any_unmet, bool any_failed) noexcept;

// ---- when a parent ends or is revived (lib_news.lua, lib_hear.lua, lib_judge.lua) ----

// Whether news must be told, given how the task stands that they are about. `where()` is asked only when that matters;
// nothing: it is not there. A success is told although its id was started anew since.
template <class Where>
bool still_true(tidings what, Where where) {
    switch (what) {
    case tidings::check:
    case tidings::overdue:
    case tidings::success:
    case tidings::untied:
    case tidings::ran: return true;
    default: break;
    }
    const std::optional<state> now = where();
    if (what == tidings::bundled) return !now || is_end(*now);
    if (!now) return what != tidings::revived;
    const bool failed = is_end(*now) && *now != state::success;
    return failed == (what != tidings::revived);
}

// The edges from a task to one parent.
struct parent_edges {
    bool needs = false;
    bool failed = false;
    bool operator==(const parent_edges&) const = default;
};
struct heard_news {
    parent_edges after;
    bool again = false;  // it is to hear of this parent again
};
heard_news hear(tidings what, on_failed rule, parent_edges before) noexcept;

enum class settlement : std::uint8_t {
    none,
    release,  // all it waited for is there
    forsake,  // it is cancelled because of one that failed
    gather,   // a group, all of whose members succeeded: it ends
};
struct settled_task {
    bool taken_up = false;  // what it was cancelled for is there again: first it waits again
    settlement then = settlement::none;
};
// `any(link::needs)`, `any(link::failed)`: whether it has such an edge.
template <class Any>
settled_task settle(waiting_phase phase, on_failed rule, Any any) {
    settled_task found;
    if (is_incomplete(phase)) return found;
    if (phase == waiting_phase::forsaken) {
        if (any(link::failed)) return found;
        found.taken_up = true;
    }
    const bool unmet = any(link::needs);
    // Some rules do not ask for the failed while others have not ended.
    if (unmet && rule != on_failed::cancel) return found;
    if (any(link::failed)) {
        if (rule != on_failed::wait) found.then = settlement::forsake;
    } else if (!unmet) {
        found.then = rule == on_failed::gather ? settlement::gather : settlement::release;
    }
    return found;
}

}  // namespace errand
