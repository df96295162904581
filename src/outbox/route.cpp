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

task_id id_of_schedule(const schedule_record& record) {
    return derive_schedule_id(record.identity, record.key);
}

}  // namespace

shard_set route_of(const store& in, const outbox_entry& entry) {
    return route(in, id_of(entry), entry.item.after);
}

shard_set route_of(const store& in, const detail::held_task& task) {
    return task.schedule ? route(in, id_of_schedule(*task.schedule), {})
                         : route(in, task.what.id, task.what.after);
}

task_id id_of(const outbox_entry& entry) {
    return entry.schedule.empty() ? entry.item.id : id_of_schedule(decode_schedule(entry.schedule));
}

}  // namespace errand
