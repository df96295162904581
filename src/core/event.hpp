// Everything that a worker or a client does, as one typed stream. Logs, metrics and tests subscribe to it; nothing in
// errand depends on who listens.
#pragma once

#include <errand/time.hpp>

#include <atomic>
#include <cstdint>
#include <functional>
#include <memory>
#include <mutex>
#include <string>
#include <string_view>
#include <vector>

namespace errand {

enum class event_kind : std::uint8_t {
    worker_started,
    worker_stopping,
    worker_stopped,
    store_trouble,  // text: what is wrong, or that it is well again
    task_claimed,
    task_started,
    task_succeeded,
    task_retrying,  // text: the failure; after: delay
    task_snoozed,   // after: delay
    task_given_back,
    task_dead,  // text: the failure
    task_expired,
    task_cancelled,
    handler_unknown,  // text: the name nobody here knows; after: delay
    lease_lost,       // the task went to another worker, or its worker died
    task_recovered,   // taken over from a worker whose lease ran out
    report_stale,     // the store refused a report: the task is no longer ours
    report_accepted,
    overdue,       // a handler goes on after its cancellation; text: since when
    loop_blocked,  // a handler kept the worker's thread busy; after: how long
    commit_step,  // of a transaction with tasks on a database; text: "before commit", "committed", "delivered", "struck"
    delivery_refused,  // a task was committed in a database, and the store did not take it any more; text: why
    failure,           // something went wrong in errand itself; text says what
};

struct event {
    event_kind kind{};
    std::string task{};  // id as text; empty when it is about no task
    std::string handler{};
    int attempt = 0;
    std::string text{};
    duration after{0};
};

class event_stream {
public:
    using subscriber = std::function<void(const event&)>;

    // Called on whatever thread publishes, so it must be quick and safe from any; lives as long as the stream.
    void subscribe(subscriber to);
    // Cheap when nobody listens; ask `heard()` before building a costly event.
    void publish(const event& what) const;
    bool heard() const noexcept { return heard_.load(std::memory_order_acquire); }

private:
    std::atomic<bool> heard_{false};
    mutable std::mutex guard_;  // held while the list is read or grown, not while subscribers run
    std::shared_ptr<const std::vector<subscriber>> subscribers_;
};

}  // namespace errand
