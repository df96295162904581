// Waiting for tasks to end: one watch per task and process, made in batches; told by the store's listener. After a lost
// connection every watch is made again, and now and then one is repeated although nothing was lost. Of a store that does not say
// how things stand whoever waits is told when his patience is over, which counts from when he came: not from when his turn came.
#pragma once

#include <errand/error.hpp>

#include "store/store.hpp"

#include <boost/asio/any_completion_handler.hpp>
#include <boost/asio/steady_timer.hpp>

#include <chrono>
#include <memory>
#include <optional>
#include <span>
#include <unordered_map>
#include <vector>

namespace errand {

// The store knows nothing of a task: lost, or trimmed. Who knows its retention can tell which.
class unknown_task : public store_error {
public:
    using store_error::store_error;
};

// Who waits for several tasks at once.
class result_group {
public:
    // The task at this index of the list has ended; or, with a failure, there is no end of it to come. Each index is told
    // at most once. True: enough is known, nothing more is waited for.
    virtual bool told(std::size_t index, const ended_task* end, const std::exception_ptr& failure) = 0;

protected:
    ~result_group() = default;
};

// On its loop's thread only.
class result_watch {
public:
    // No patience: for ever.
    result_watch(boost::asio::any_io_executor executor, store& in, std::optional<duration> patience);

    // The end of this task. Throws result_gone when its place was taken by a later life or it is no longer kept,
    // store_error when the store lost it. Cancellation leaves nothing behind.
    awaitable<ended_task> wait(task_id id, incarnation life);

    using moment = std::chrono::steady_clock::time_point;
    // The length is that of time that is moved by hand, which passes by no more than that.
    struct wait_limit {
        moment until;
        duration length;
    };
    // Tells the group of each of these tasks as it ends, until it has heard of all, says that it knows enough, or the
    // time has come: then false. One suspension and at most one timer, however many tasks. `to` outlives the wait.
    awaitable<bool> wait_many(std::vector<watched_task> tasks, result_group& to,
                              std::optional<wait_limit> within);

    // The same as things stand now: nullopt when it has not ended. Nobody is told of it later.
    awaitable<std::optional<ended_task>> look(task_id id, incarnation life);
    // Tells the group of those that have ended, or whose end is not to come; false when there are others and it has not
    // said that it knows enough.
    awaitable<bool> look_at_many(std::vector<watched_task> tasks, result_group& to);

    // From the store's listener.
    void ended(const ended_task& task);
    void reconnected();
    // Fails whoever still waits: the loop ends.
    void close();

    std::size_t waiting() const noexcept { return waiters_.size(); }
    // The tasks whose end is awaited, each once.
    std::vector<task_id> awaited() const;

private:
    using completion = boost::asio::any_completion_handler<void(std::exception_ptr, ended_task)>;
    struct group;
    struct joint_look;
    struct waiter {
        incarnation life;
        completion done;              // of one that waits for this task alone
        std::shared_ptr<group> of{};  // or: it is one of a group
        std::size_t index = 0;
        bool asked =
            false;  // while the task had not ended: then its result is given, however shortly it is kept
    };

    // True when no waiter for it was there, so that the store has to be asked.
    bool is_news(const task_id& id, incarnation life) const;
    void ask(const task_id& id, incarnation life);
    void start_asking();
    void begin(const std::shared_ptr<group>& joined);
    void limit(const std::shared_ptr<group>& joined, wait_limit within);
    void end_late(group& joined);
    void tell(waiter& one, const ended_task* end, const std::exception_ptr& failure);
    void finish(group& joined, std::exception_ptr failure, bool in_time);
    // Erases the waiters for this task of which it holds.
    template <class Predicate>
    void forget(const task_id& id, Predicate which);
    static awaitable<void> look_at_part(store& in, std::shared_ptr<joint_look> job, std::size_t shard);
    awaitable<void> send(std::size_t shard);
    awaitable<void> recheck();
    // Tells those who wait for this id: its end, or why there is none to come. With a life, only those who wait for it.
    void answer(const task_id& id, incarnation life, const ended_task* end, std::exception_ptr failure);
    // The same, of a task that had ended when the store was asked.
    void answer_ended(const ended_task& end, time_point now);
    void note_asked(std::span<const watched_task> tasks);

    boost::asio::any_io_executor executor_;
    store& in_;
    std::unordered_multimap<task_id, waiter> waiters_;
    struct question {
        watched_task about;
        moment since;
    };
    // Of one shard: one that is away keeps nobody from hearing of tasks of the others.
    struct questions {
        std::vector<question> unasked{};  // the oldest first
        std::vector<question> asked{};    // by the call that is under way
        bool sending = false;
    };
    // Who has waited too long for an answer is told so.
    void look_for_late();
    void give_up_late();
    void rest();
    std::vector<questions> of_shard_;
    bool rechecking_ = false;
    bool closed_ = false;
    boost::asio::steady_timer pace_;
    std::optional<duration> patience_;
    boost::asio::steady_timer late_;
    bool looking_for_late_ = false;
};

}  // namespace errand
