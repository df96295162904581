// What the parts of one worker share that serve the same namespace. Set before they start; what changes afterwards is atomic.
#pragma once

#include "core/queue_choice.hpp"
#include "runtime/app_core.hpp"
#include "runtime/handlers.hpp"
#include "worker/taken_elsewhere.hpp"

#include <boost/asio/thread_pool.hpp>

#include <atomic>
#include <cstddef>
#include <functional>
#include <memory>
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
    // Handlers that wait for other tasks now, of all namespaces together.
    std::shared_ptr<std::atomic<std::size_t>> awaiting = std::make_shared<std::atomic<std::size_t>>(0);
    std::atomic<std::size_t> alive{1};  // workers of the namespace, as the last heartbeat said
    std::atomic<bool> limits_are_declared{true};
    bool limits_are_looked_at = false;  // whether they are was asked before the worker began
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
    int weight = 1;  // among the namespaces that the worker serves
};

// One for each namespace.
using worker_shares = std::vector<std::unique_ptr<worker_shared>>;

}  // namespace errand
