// THE table: which transition takes a task from which state to which. What is not in it cannot happen.
//
// A store implements each row as one atomic step; the diagram in docs/ is printed from it.
#pragma once

#include <errand/state.hpp>

#include <cstdint>
#include <optional>
#include <span>
#include <string_view>

namespace errand {

// The name of a transition is its name everywhere: C++, scripts, events, documentation.
enum class transition : std::uint8_t {
    submit,            // due at once
    submit_delayed,    // due later
    submit_waiting,    // depends on tasks that have not ended
    replace,           // a second submission takes the place of one that never started, due at once ...
    replace_delayed,   // ... or later ...
    replace_waiting,   // ... or depending on tasks that have not ended
    resolve,           // all it depends on have ended as it needs; due now ...
    resolve_delayed,   // ... or, with a delay, later
    gather,            // a group: all its members are `success`
    forsake,           // one it depends on ended otherwise
    promote,           // its time has come
    claim,             // a worker takes it
    adopt,             // a worker that knows its handler takes it, after one that does not
    succeed,           // `perform` returned
    fail,              // `perform` threw, or timed out; retries are left
    snooze,            // run again later, no attempt used
    postpone,          // its worker does not know its handler: it stands aside for others
    bury,              // retries used up, discarded, undecodable
    give_back,         // its worker stops, or it was taken over: ready at once, at the head
    regroup,           // it lacked gates of limits: ready at once, behind them
    recover,           // its lease ran out; another worker takes it over and decides
    collect,           // an item: it waits in a bundle, to be run with others
    settle,            // an item: the run of its bundle has ended well ...
    settle_dead,       // ... is dead, or says that it has failed for the last time ...
    settle_cancelled,  // ... or was cancelled
    collect_again,     // an item: that run says that it has failed; retries are left
    release,           // an item: how that run ended is not known any more
    put_off,           // an item, by a caller: another due time, outside of its bundle ...
    recollect,         // ... or other arguments: it is collected anew
    expire,            // not started in time
    cancel,            // by a caller
    revive,            // by a caller: attempts from zero
    take_up,           // what it was cancelled for was revived
    reschedule,        // by a caller: another due time ...
    run_now,           // ... or at once
    change,            // by a caller: other arguments or priority, before its first start
    remove,            // by a caller: deleted
    clean,             // its retention is over
};

// All of them, in the order of their values.
inline constexpr std::size_t transition_count = static_cast<std::size_t>(transition::clean) + 1;

std::string_view to_string(transition what) noexcept;

struct state_row {
    std::optional<state> from;  // nullopt: the store does not know the task
    transition event;
    std::optional<state> to;  // nullopt: the store knows it no longer
};

// Every row, ordered by event, then by state.
std::span<const state_row> state_table() noexcept;

}  // namespace errand
