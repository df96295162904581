// What those ask who look after tasks, and what they change.
#pragma once

#include <errand/awaitable.hpp>
#include <errand/time.hpp>

#include "store/inspection.hpp"
#include "store/store_calls.hpp"

#include <cstddef>
#include <memory>
#include <optional>
#include <span>
#include <string_view>
#include <vector>

namespace errand {

class inspection_store {
public:
    virtual awaitable<overview_answer> overview() = 0;
    // At least what says something of today and so many days before; 0 days: only of now and of the last minutes.
    virtual awaitable<totals_answer> happened(int days) = 0;
    virtual awaitable<std::vector<worker_card>> workers() = 0;
    // The shards that do not answer: what looks tells nothing of what these keep.
    virtual awaitable<std::vector<std::size_t>> away() { co_return std::vector<std::size_t>{}; }
    // The lists of tasks in this state; of all queues when the name is empty.
    virtual awaitable<std::vector<task_list>> lists(state where, std::string_view queue) = 0;
    virtual awaitable<list_answer> list(const list_call& call) = 0;
    // Where the first task of each of these stands: its order; nullopt: there is none. It may be gone when it is listed. All in
    // the same direction and without a cursor; not of what workers run.
    virtual awaitable<std::vector<std::optional<time_point>>> heads(std::span<const list_call> calls) = 0;
    // No task of the queue is claimed from now on; what runs goes on. False: it was so already.
    virtual awaitable<bool> pause(std::string_view queue) = 0;
    virtual awaitable<bool> resume(std::string_view queue) = 0;
    virtual awaitable<edit_verdict> edit(const edit_call& call) = 0;
    // Deletes a task that no worker runs; with this outcome ends one that has not ended.
    virtual awaitable<remove_verdict> remove(const task_id& id, std::string_view outcome) = 0;

    // Looks whether all that is kept agrees with itself, step by step, while work goes on. Must not outlive the store.
    virtual std::unique_ptr<auditor> audit(bool repair) = 0;

protected:
    ~inspection_store() = default;
};

}  // namespace errand
