// Where schedules are kept: records that are changed by compare-and-set, together with the runs that a change makes. What a
// record says and when it is looked at is decided outside (core/schedule_rules.hpp).
#pragma once

#include <errand/awaitable.hpp>
#include <errand/time.hpp>

#include "core/schedule_rules.hpp"
#include "store/submission.hpp"

#include <cstdint>
#include <optional>
#include <span>
#include <string>
#include <vector>

namespace errand {

struct kept_schedule {
    task_id id;
    std::string record{};             // as decode_schedule() reads it; empty when there is none
    last_run_seen last_run{};         // of the run that the record names
    std::optional<time_point> now{};  // of its shard, where that is not the one of the answer
};

struct schedules_answer {
    std::vector<kept_schedule> schedules{};
    std::optional<time_point>
        next{};  // of due_schedules: when this worker should look again, as far as is known
    time_point now{};
};

// One schedule's change. It is made if the record is still the one that was seen, and all of `heard` are still to be heard;
// else nothing of it is.
struct schedule_step {
    task_id id;
    std::uint64_t seen = 0;               // stamp of the record; 0: there is none
    std::string record{};                 // with another stamp; empty: there is to be none
    std::string name{};                   // its place in lists: the same in each step
    std::optional<time_point> look_at{};  // when due_schedules() gives it; nullopt: never
    std::vector<submission_item>
        runs{};                    // plain items of this schedule; one whose id is held is left as it is
    std::vector<task_id> heard{};  // runs of whose end it has heard (news of tidings::ran): that news goes
};

enum class step_verdict : std::uint8_t {
    done,
    stale,  // nothing was written
};

struct schedule_list {
    std::vector<kept_schedule> schedules{};  // by name
    std::vector<std::string> names{};        // of each
    bool more = false;
};

class schedule_store {
public:
    // One call carries so many steps at most: what one shard does for them takes a few milliseconds.
    static constexpr std::size_t steps_per_call = 100;

    // Schedules whose time to be looked at has come, the earliest first, and the post of looking at the next one: of the
    // workers that ask, one is told when exactly that is due, others up to a second later.
    virtual awaitable<schedules_answer> due_schedules(std::size_t limit) = 0;
    // In the order asked for.
    virtual awaitable<schedules_answer> find_schedules(std::span<const task_id> ids) = 0;
    // Each schedule once. Whoever sleeps until a later time than some look_at hears schedules_changed().
    virtual awaitable<std::vector<step_verdict>> step_schedules(std::span<const schedule_step> steps) = 0;
    // Those whose names come after this one, by name.
    virtual awaitable<schedule_list> list_schedules(std::string after, std::size_t limit) = 0;

protected:
    ~schedule_store() = default;
};

}  // namespace errand
