// A schedule is looked at, a rule says what follows, and that is written if nothing has changed in between; else again. On the
// store's executor.
#pragma once

#include "core/schedule_rules.hpp"
#include "store/store.hpp"

#include <functional>
#include <optional>

namespace errand {

struct seen_schedule {
    task_id id{};
    std::optional<schedule_record> record{};  // nothing when there is none
    last_run_seen last_run{};
    time_point now{};
};

awaitable<seen_schedule> look_at_schedule(store& in, task_id id);
// Throws usage_error when it is not there.
const schedule_record& required_record(const seen_schedule& seen);

using schedule_rule = std::function<schedule_move(const seen_schedule&)>;

// What was written; not changed: nothing was.
awaitable<schedule_move> change_schedule(store& in, task_id id, schedule_rule rule);
// Each once, in few calls; a rule is asked for each of them.
awaitable<void> change_schedules(store& in, std::vector<task_id> ids, schedule_rule rule);

// Of those that are the same schedule the last one. As declare() of core/schedule_rules.hpp takes them.
awaitable<void> declare_all(store& in, std::vector<schedule_record> declared, zone_source zones);

}  // namespace errand
