// Counts what events tell of tasks, for monitoring, in a bounded number of series: of more queues, handlers or types of errors than
// are kept apart the others are counted together, as `_other`. From any thread.
#pragma once

#include "core/attempt_lane.hpp"
#include "core/event.hpp"
#include "core/metric_text.hpp"
#include "core/series.hpp"
#include "core/thread_cells.hpp"

#include <array>
#include <cstdint>
#include <map>
#include <memory>
#include <mutex>
#include <set>
#include <string>
#include <string_view>
#include <vector>

namespace errand {

enum class submit_result : unsigned char { accepted, duplicate, refused };
inline constexpr std::array<std::string_view, 3> submit_result_names{"accepted", "duplicate", "refused"};

enum class attempt_outcome : unsigned char { success, retry, dead, cancelled, snoozed, given_back, lost };
inline constexpr std::array<std::string_view, 7> attempt_outcome_names{
    "success", "retry", "dead", "cancelled", "snoozed", "given_back", "lost"};

// Of a queue and a handler.
struct handler_cells {
    std::array<std::uint64_t, submit_result_names.size()> submitted{};
    std::uint64_t started = 0;
    std::array<std::uint64_t, attempt_outcome_names.size()> finished{};
    std::uint64_t expired = 0;
    histogram_cell ran_well{};
    histogram_cell failed{};
    exemplars well_seen{};     // of `ran_well`
    exemplars failure_seen{};  // of `failed`
    histogram_cell whole{};    // from its submission to its end

    void merge(const handler_cells& other);
};

// Of a queue.
struct queue_cells {
    histogram_cell wait{};
    std::uint64_t recovered = 0;
    std::uint64_t unknown = 0;

    void merge(const queue_cells& other) noexcept;
};

struct task_figures {
    std::map<series_name, handler_cells> handlers;  // by queue and handler
    std::map<std::string, queue_cells> queues;
    std::map<series_name, std::uint64_t> errors;  // by handler and type
    std::uint64_t stale = 0;
    std::uint64_t refused = 0;  // counted as `_other`
};

class task_meter final : public event_counter {
public:
    static constexpr std::size_t most_queues = 200;
    static constexpr std::size_t most_handlers = 300;
    static constexpr std::size_t most_errors = 100;
    static constexpr std::string_view other = "_other";

    // Of these it is to be told.
    static event_stream::kinds kinds() noexcept;
    void count(const event_brief& what) noexcept override;
    task_figures sum() const;

    // A thread may count its starts and successes itself, in a lane that is lent to it; what it has counted outlives that.
    class lent_lane {
    public:
        explicit lent_lane(task_meter& by) : by_{by}, lane_{by.lend()} {}
        lent_lane(const lent_lane&) = delete;
        lent_lane& operator=(const lent_lane&) = delete;
        ~lent_lane() { by_.take_back(lane_); }

        // Null: one of the names is not kept apart, so that it is for `count` to count. What it gives lives as long as the meter.
        attempt_cells* cells_of(std::string_view queue, std::string_view handler) {
            auto* const known = lane_.find(queue, handler);
            return known ? known : by_.admit(lane_, queue, handler);
        }

    private:
        task_meter& by_;
        attempt_lane& lane_;
    };

private:
    // The cell asked for last: what happens many times a second mostly is of the same.
    template <class Cell>
    struct recent {
        const series_name* name = nullptr;
        Cell* cell = nullptr;
    };
    struct part {
        series<handler_cells> handlers;
        series<queue_cells> queues;
        recent<handler_cells> handler{};
        recent<queue_cells> queue{};
        series<std::uint64_t> errors;
        std::uint64_t stale = 0;
        std::uint64_t refused = 0;
    };

    // Which names are kept apart, over all threads.
    class budget {
    public:
        explicit budget(std::size_t most) : most_{most} {}
        bool admits(std::string_view first, std::string_view second);

    private:
        const std::size_t most_;
        std::mutex guard_;
        std::set<series_name> names_;
    };

    template <class Cell>
    static Cell& cell_of(part& in, series<Cell>& of, budget& within, std::string_view first,
                         std::string_view second);
    template <class Cell>
    static Cell& recent_cell(part& in, recent<Cell>& last, series<Cell>& of, budget& within,
                             std::string_view first, std::string_view second);
    handler_cells& cells_of(part& in, const event_brief& what);
    queue_cells& queue_of(part& in, const event_brief& what);
    void submitted(const event_brief& what, submit_result how);
    void started(const event_brief& what);
    void finished(const event_brief& what, attempt_outcome how);
    void failed(const event_brief& what);
    attempt_lane& lend();
    void take_back(attempt_lane& one) noexcept;
    attempt_cells* admit(attempt_lane& to, std::string_view queue, std::string_view handler);

    thread_cells<part> parts_;
    budget handlers_{most_handlers};
    budget queues_{most_queues};
    budget errors_{most_errors};
    mutable std::mutex lanes_guard_;  // of what follows
    std::vector<std::unique_ptr<attempt_lane>> lanes_;
    std::vector<attempt_lane*> free_lanes_;
};

}  // namespace errand
