// Waiting for tasks to end: one watch per task and process, made in batches; told by the store's listener. After a lost
// connection every watch is made again, and now and then one is repeated although nothing was lost.
#pragma once

#include <errand/error.hpp>

#include "store/store.hpp"

#include <boost/asio/any_completion_handler.hpp>
#include <boost/asio/steady_timer.hpp>

#include <list>
#include <unordered_map>
#include <vector>

namespace errand {

// The store knows nothing of a task: lost, or trimmed. Who knows its retention can tell which.
class unknown_task : public store_error {
public:
    using store_error::store_error;
};

// On its loop's thread only.
class result_watch {
public:
    result_watch(boost::asio::any_io_executor executor, store& in);

    // The end of this task. Throws result_gone when its place was taken by a later life or it is no longer kept,
    // store_error when the store lost it. Cancellation leaves nothing behind.
    awaitable<ended_task> wait(task_id id, incarnation life);

    // From the store's listener.
    void ended(const ended_task& task);
    void reconnected();
    // Fails whoever still waits: the loop ends.
    void close();

    std::size_t waiting() const noexcept { return waiters_.size(); }

private:
    using completion = boost::asio::any_completion_handler<void(std::exception_ptr, ended_task)>;
    struct waiter {
        incarnation life;
        completion done;
    };
    using entry = std::unordered_multimap<task_id, waiter>::iterator;

    void ask(const task_id& id, incarnation life);
    awaitable<void> send();
    awaitable<void> recheck();
    // Tells those who wait for this id: its end, or why there is none to come. With a life, only those who wait for it.
    void answer(const task_id& id, incarnation life, const ended_task* end, std::exception_ptr failure);

    boost::asio::any_io_executor executor_;
    store& in_;
    std::unordered_multimap<task_id, waiter> waiters_;
    std::vector<watched_task> unasked_;
    bool sending_ = false;
    bool rechecking_ = false;
    bool closed_ = false;
    boost::asio::steady_timer pace_;
};

}  // namespace errand
