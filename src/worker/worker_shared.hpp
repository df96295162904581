// What the parts of one worker share. Set before they start; what changes afterwards is atomic.
#pragma once

#include "core/queue_choice.hpp"
#include "runtime/app_core.hpp"
#include "runtime/handlers.hpp"
#include "worker/taken_elsewhere.hpp"

#include <boost/asio/thread_pool.hpp>

#include <atomic>
#include <cstddef>
#include <functional>
#include <string>
#include <string_view>
#include <vector>

namespace errand {

struct worker_shared {
    detail::app_core& app;
    queue_choice queues;
    boost::asio::thread_pool& pool;  // runs handlers with `.blocking`
    bool has_pool = true;            // false: they run where the others do
    // Tells the promoter when something falls due next: that long from now. From any thread.
    std::function<void(duration)> falls_due{};
    // A thread of the worker has said so to the store, which took the worker off its list. From any thread.
    std::function<void()> claims_no_more{};
    std::atomic<std::size_t> awaiting{0};  // handlers that wait for other tasks now
    std::atomic<std::size_t> alive{1};     // workers of the namespace, as the last heartbeat said
    std::atomic<bool> limits_are_declared{true};
    std::atomic<bool> stopping{false};
    const std::vector<std::string> knows = handlers::runnable();  // all names of its handlers
    // What it looks after although it runs nothing of it.
    taken_elsewhere beside{};
    // Tasks stand aside that may be for those. From any thread.
    std::function<void()> others_may_adopt{};
    std::string_view kind{};  // see app_core::next_name()
    bool runs_tasks = true;   // false: it has no threads, and only looks after what others run
    // All queues that it looks after.
    std::vector<std::string> looks_after() const { return beside.queues_with(queues.names()); }
    // Whose tasks it takes when they stand aside: not those of handlers that are paused.
    std::vector<std::string> takes() const {
        auto names = beside.handlers_with(runs_tasks ? knows : std::vector<std::string>{});
        if (app.overrides.any())
            std::erase_if(names, [this](const auto& name) { return app.overrides.is_paused(name); });
        return names;
    }
};

}  // namespace errand
