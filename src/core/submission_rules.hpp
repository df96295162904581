// What becomes of a submission whose id is known, or that depends on others. SQLite's store does what is said here;
// submit_read.lua and submit_after.lua say it once more, and tests/conformance/history_test.cpp holds them against it.
#pragma once

#include <errand/state.hpp>
#include <errand/time.hpp>

#include <algorithm>
#include <cstdint>

namespace errand {

enum class on_conflict : std::uint8_t {
    keep,  // the holder of the id stays as it is
    replace,
    reject,
    adopt,       // as keep, and a success holds its id for as long as it is kept, whatever its unique_for
    where_free,  // as keep, and whatever has ended and is kept holds its id
};
// The holder of the id stays as it is, and that is no refusal.
constexpr bool keeps_holder(on_conflict conflict) noexcept {
    return conflict != on_conflict::replace && conflict != on_conflict::reject;
}

enum class submit_verdict : std::uint8_t {
    accepted,     // a new task, or a new life of an ended one
    duplicate,    // the id is held by another submission, which stays as it is
    replaced,     // the arguments and due time of a task that never started were replaced by these
    rejected,     // on_conflict::reject or replace, and the id is held (or has started)
    withheld,     // all_or_nothing, and another item of the batch was rejected
    cycle,        // it would close a cycle: `others`, from the task to one that it depends on and back
    gone,         // it depends on a task that was accepted and is no longer kept: `others`
    busy,         // the id is held by a submission that is not complete: to be tried again
    registering,  // stored, but accepted only with enrol() for parents beyond parents_per_call and confirm()
};

// Whether something of the item is stored.
constexpr bool is_written(submit_verdict how) noexcept {
    return how == submit_verdict::accepted || how == submit_verdict::replaced ||
           how == submit_verdict::registering;
}
// Whether a batch that is submitted whole fails with it.
constexpr bool is_refused(submit_verdict how) noexcept {
    return !is_written(how) && how != submit_verdict::duplicate;
}

// The task that holds an id.
struct id_holder {
    state where = state::ready;
    bool registering = false;  // its submission is not complete
    bool started = false;      // an attempt was made
    bool tangled = false;      // it waits for more tasks than a store forgets in one step
    time_point finished_at{};  // of one that has ended
    duration unique_for{0};    // of a success: how long after its end it goes on refusing duplicates
    duration retention{0};     // of a success: how long it is kept
};

// `untold()`: whether there are tasks that wait for the holder's success and have not heard of it; asked only when that
// matters.
template <class Untold>
submit_verdict judge(const id_holder& held, on_conflict conflict, time_point now, Untold untold) {
    const bool keeps = keeps_holder(conflict);
    if (is_end(held.where)) {
        if (conflict == on_conflict::where_free) return submit_verdict::duplicate;
        const bool success = held.where == state::success;
        auto holds = success ? held.unique_for : duration{0};
        // The child of a stage is taken up for as long as its result is there.
        if (success && conflict == on_conflict::adopt) holds = std::max(holds, held.retention);
        if (held.finished_at + holds > now)
            return keeps ? submit_verdict::duplicate : submit_verdict::rejected;
        // Those that wait for that success hear of it before another life begins.
        return success && untold() ? submit_verdict::busy : submit_verdict::accepted;
    }
    if (held.registering) return submit_verdict::busy;
    if (keeps) return submit_verdict::duplicate;
    const bool fixed = conflict == on_conflict::reject || held.started || held.tangled;
    return fixed ? submit_verdict::rejected : submit_verdict::replaced;
}

// Of an item that depends on others and would be written without them: `gone`: one of those is; `closes`: a cycle; `far`: one
// call does not decide it.
constexpr submit_verdict judge_waiting(submit_verdict how, bool gone, bool closes, bool far) noexcept {
    if (gone) return submit_verdict::gone;
    if (closes) return submit_verdict::cycle;
    if (!far) return how;
    // Taking that back would take the task back that was accepted before.
    return how == submit_verdict::replaced ? submit_verdict::rejected : submit_verdict::registering;
}

}  // namespace errand
