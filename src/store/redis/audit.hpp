// The audit of one shard: every task stands in exactly one place, and everything that stands somewhere has a task.
//
// Each page is looked at in one script, and so at one moment. Only membership in the ready and history lists, which are too
// long for that, is compared here; what seems to be missing is looked for again before it is called lost.
#pragma once

#include "store/redis/script_call.hpp"
#include "store/redis/shard_store.hpp"

#include <deque>
#include <functional>
#include <unordered_set>

namespace errand::redis {

class shard_audit final : public auditor {
public:
    shard_audit(shard_store& in, bool repair);

    awaitable<audit_step> next() override;

private:
    using step = std::function<awaitable<void>(audit_step&)>;
    using ids = std::unordered_set<std::string>;

    awaitable<void> begin(audit_step& out);
    awaitable<void> look_at_tasks(audit_step& out, std::string cursor, std::size_t count);
    awaitable<void> look_at_list(audit_step& out, std::string queue, std::string which, std::size_t from,
                                 ids* seen);
    awaitable<void> look_at_history(audit_step& out, std::string member, std::int64_t from,
                                    std::int64_t ids_so_far);
    awaitable<void> look_at_entries(audit_step& out, script_name by, std::string which, std::string cursor);
    awaitable<void> look_for_missing(audit_step& out, int round);
    awaitable<void> look_for_unkept(audit_step& out);
    awaitable<void> look_at_edges(audit_step& out, std::string after);
    awaitable<void> look_at_void(audit_step& out, std::string cursor);
    awaitable<bool> is_repaired(script_call& call);
    awaitable<void> repair(audit_step& out, audit_finding found, const std::string& id,
                           std::string_view where);
    awaitable<void> judge_counter(audit_step& out, std::string field, std::string seen, std::int64_t right,
                                  std::string words);
    awaitable<std::string> count_of(std::string field);
    void read_findings(reply_reader& in, audit_step& out) const;
    void name_all(script_call& call) const;

    shard_store& in_;
    bool repair_;
    std::deque<step> steps_;
    std::vector<std::string> queues_;
    ids must_be_ready_;  // by the tasks themselves
    ids ready_;          // by the lists
    ids must_be_kept_;
    ids kept_;
    std::map<std::string, std::int64_t> void_;         // by queue as in keys
    std::map<std::string, std::string> void_counted_;  // what was said before they were counted
    std::string came_;                                 // of the history list that is being read
    std::string left_;
};

}  // namespace errand::redis
