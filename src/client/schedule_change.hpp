// A schedule is looked at, a rule says what follows, and that is written if nothing has changed in between; else again. On the
// store's executor.
#pragma once

#include "core/schedule_rules.hpp"
#include "store/store.hpp"

#include <cstddef>
#include <functional>
#include <map>
#include <optional>
#include <vector>

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

// Schedules by the id that they have from here on.
using moved_schedules = std::map<task_id, schedule_record>;

// Of several shards a schedule stands in another one as soon as its handler has limits, or has none any more. Those that stand
// under these ids are cancelled there; what they were is to go on in the other place.
awaitable<moved_schedules> leave_places(store& in, std::vector<task_id> ids);
// As declare() of core/schedule_rules.hpp; where it stood elsewhere it goes on from there.
schedule_move declare_here(const seen_schedule& seen, schedule_record declared, const moved_schedules& moved,
                           const zone_source& zones);
// Where this schedule stands when its handler has limits and this one says that it has none, or the other way round; nothing:
// there is no other place.
std::optional<task_id> other_place(const schedule_record& record, std::size_t shards);

// Of those that are the same schedule the last one. As declare() of core/schedule_rules.hpp takes them.
awaitable<void> declare_all(store& in, std::vector<schedule_record> declared, zone_source zones);

}  // namespace errand
