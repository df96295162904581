// The duties of a worker without its tasks: what others take from the namespace by way of this program falls due, is recovered,
// and is told of, also when there is no worker beside it.
#pragma once

#include <errand/awaitable.hpp>

#include "worker/blocking_pool.hpp"
#include "worker/duties.hpp"
#include "worker/line_watch.hpp"
#include "worker/loop_thread.hpp"
#include "worker/worker_shared.hpp"

#include <functional>
#include <string>
#include <string_view>
#include <vector>

namespace errand {

class caretaker {
public:
    // Of the names under which what it looks after is taken: beside a worker of the same process it is another one.
    static constexpr std::string_view kind = "-http";

    // `may_adopt`: told, from any thread, when tasks may stand aside whose handlers somebody has said to know.
    caretaker(detail::app_core& app, std::function<void()> may_adopt);
    ~caretaker();
    caretaker(const caretaker&) = delete;
    caretaker& operator=(const caretaker&) = delete;

    // Throws store_error when its store cannot be reached. From any executor.
    awaitable<void> start();
    // What is taken, and by whose handlers. From any thread.
    void looks_after(const std::vector<std::string>& queues, const std::vector<std::string>& handlers);
    // So many are held by others now. From any thread.
    void holds(std::size_t tasks) noexcept { shared_.beside.tasks = tasks; }
    // From any thread: see worker_shared::falls_due.
    void falls_due(duration in) { duties_.falls_due(in); }
    // From any thread: see duties::lease_ends.
    void lease_ends(duration in) { duties_.lease_ends(in); }
    // Takes itself off the list of workers. From any executor.
    awaitable<void> leave();

private:
    // On its own loop: connects and begins all rounds.
    awaitable<void> open();

    blocking_pool pool_;
    worker_shared shared_;
    loop_thread thread_;
    duties duties_;
    line_watch lines_;
    bool started_ = false;
};

}  // namespace errand
