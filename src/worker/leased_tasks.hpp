// The tasks that a worker thread holds a lease of: written by that thread, read by the lease keeper's.
#pragma once

#include "store/store.hpp"

#include <cstdint>
#include <mutex>
#include <span>
#include <vector>

namespace errand {

class leased_tasks {
public:
    using index = std::uint32_t;

    // Before the tasks are started. One index each, in order.
    void add(std::span<const claimed_task> tasks, std::vector<index>& indexes);
    // Once the store has answered their reports.
    void remove(std::span<const index> indexes);
    // Its lease is not extended any more; the index stays taken.
    void abandon(index at);
    // Appends all whose lease is to be extended: each claim once, each task.
    void collect(extend_call& to) const;

private:
    struct entry {
        task_id id;
        claim_number claim = 0;  // 0: the index is free, or the task abandoned
    };

    mutable std::mutex guard_;
    std::vector<entry> entries_;
    std::vector<index> free_;
};

}  // namespace errand
