#include "outbox/route.hpp"

#include <algorithm>

namespace errand {

namespace {

shard_set route(const store& in, const task_id& id, const std::vector<parent_task>& after) {
    shard_set all{in.shard_of(id)};
    for (const auto& parent : after) all.push_back(in.shard_of(parent.id));
    std::ranges::sort(all);
    const auto twice = std::ranges::unique(all);
    all.erase(twice.begin(), twice.end());
    return all;
}

// It stands there or, with its runs, in the first shard; who declares it looks at both.
shard_set route_of_schedule(const store& in, const task_id& id) {
    return route(in, id, {{in_first_shard(id), false}});
}

}  // namespace

shard_set route_of(const store& in, const outbox_entry& entry) {
    return entry.schedule.empty() ? route(in, entry.item.id, entry.item.after)
                                  : route_of_schedule(in, entry.item.id);
}

shard_set route_of(const store& in, const detail::held_task& task) {
    return task.schedule ? route_of_schedule(in, entry_id(task)) : route(in, task.what.id, task.what.after);
}

task_id entry_id(const detail::held_task& task) {
    return task.schedule ? derive_schedule_id(task.schedule->identity, task.schedule->key) : task.what.id;
}

}  // namespace errand
