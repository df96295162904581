// What a process measures of itself for monitoring: off, and then nothing is counted, until somebody asks for it (config::metrics,
// the HTTP service). From any thread.
#pragma once

#include "core/event.hpp"
#include "core/task_meter.hpp"
#include "runtime/outbox_port.hpp"
#include "store/store_observer.hpp"

#include <atomic>
#include <cstdint>
#include <functional>
#include <map>
#include <memory>
#include <mutex>
#include <string>
#include <string_view>
#include <vector>

namespace errand {

// How a worker stands at this moment.
struct worker_gauges {
    std::size_t slots = 0;
    std::size_t busy = 0;
    std::size_t reports = 0;  // that the store has not confirmed
    bool stopping = false;
};

class process_meter final : public store_observer {
public:
    // From now on it counts what happens; once.
    void measure(event_stream& of);
    bool measures() const noexcept { return on_.load(std::memory_order_acquire); }
    // What counts the events of the stream, once it measures.
    task_meter& tasks() noexcept { return tasks_; }
    // What stores are opened with; null while nobody asks.
    store_observer* observer() noexcept { return measures() ? this : nullptr; }

    void called(std::string_view operation, std::chrono::steady_clock::duration took,
                bool answered) noexcept override;
    void away() noexcept override { ++away_; }
    void back(bool again) noexcept override {
        --away_;
        if (again) ++reconnects_;
    }

    void blocked(duration more) noexcept { blocked_ms_ += static_cast<std::uint64_t>(more.count()); }
    // `route`, `method`: of the route table, so of few values.
    void answered(std::string_view route, std::string_view method, int status,
                  std::chrono::steady_clock::duration took);

    // Streams of events that are open.
    std::atomic<std::int64_t> streams{0};

    const std::shared_ptr<std::atomic<std::uint64_t>> spans_dropped =
        std::make_shared<std::atomic<std::uint64_t>>(0);

    // Of the worker as long as it runs; empty: none does. What it refers to lives until another is set.
    void set_worker(std::function<worker_gauges()> look);

    std::string page(metric_form form, const std::vector<outbox_counts>& outboxes) const;

private:
    struct call_cells {
        std::uint64_t ok = 0;
        std::uint64_t failed = 0;
        histogram_cell took{};
    };
    struct request_cells {
        std::map<std::pair<std::string, int>, std::uint64_t> counts;  // by method and status
        histogram_cell took{};
    };
    struct part {
        std::map<std::string, call_cells, std::less<>> calls;
        std::map<std::string, request_cells, std::less<>> requests;
    };
    void write_tasks(metric_text& to) const;
    void write_calls(metric_text& to) const;
    void write_worker(metric_text& to) const;

    std::atomic<bool> on_{false};
    std::once_flag once_;
    task_meter tasks_;
    thread_cells<part> parts_;
    std::atomic<std::int64_t> away_{0};  // connections
    std::atomic<std::uint64_t> reconnects_{0};
    std::atomic<std::uint64_t> blocked_ms_{0};
    mutable std::mutex guard_;  // of what follows
    std::function<worker_gauges()> look_;
};

}  // namespace errand
