// The scripts that are sent to Redis, each put together from the files of scripts/ that it needs (script_text.hpp).
// Made at the first use, then constant: for any thread.
#pragma once

#include <cstdint>
#include <span>
#include <string>
#include <string_view>

namespace errand::redis {

// A file of scripts/ each, of that name.
enum class script_name : std::uint8_t {
    open,
    stamp,
    submit_new,
    submit,
    work,
    extend,
    note,
    stage,
    stages,
    promote,
    recover,
    adopt,
    clean,
    cancel,
    find,
    watch,
    beat,
    leave,
    busy,
    enrol,
    depend,
    confirm,
    withdraw,
    links,
    news,
    resolve,
    delivered,
    revive,
    pause,
    edit,
    remove,
    overview,
    list,
    running,
    audit_tasks,
    audit_lists,
    audit_rest,
    trim,
    untangle,
    repair,
    repair_count,
    resume,
    forget,
    sweep,
    audit_links,
    schedules_due,
    schedules_find,
    schedules_list,
    schedules_step,
    settings_find,
    settings_set,
    limits_set,
    limits_list,
    limits_lend,
    limits_lent,
    audit_gates,
    bundle,
    quota_take,
    figures_add,
    yield,
    limits_waiting,
    submit_instead,
    requests,
    heads,
    tally,
};

struct script {
    std::string_view name;  // of the transition
    std::string text;
    std::string sha;  // 40 hex digits, by which Redis knows it once it was loaded
    bool only_reads = false;
    bool counts_each =
        false;  // a repeat would count once more: it is asked once, and no replica has to confirm it
};

// `in_cluster`: its messages go to those who listen at the shard's own server, and not to each server of the cluster.
const script& script_of(script_name name, bool in_cluster = false);
std::span<const script> all_scripts(bool in_cluster = false);

}  // namespace errand::redis
