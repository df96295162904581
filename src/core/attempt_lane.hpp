// What one thread counts of the commonest events of attempts, a start and a success: without a lock, and read from others while
// it goes on.
#pragma once

#include "core/metric_list.hpp"
#include "core/own_count.hpp"
#include "core/series.hpp"

#include <cstdint>
#include <memory>
#include <mutex>
#include <optional>
#include <string>
#include <string_view>
#include <utility>

namespace errand {

// Of a queue and a handler.
struct attempt_cells {
    // `due`: how long its task had been due; nullopt: nobody knows, or it was not its first.
    void start(const std::optional<duration>& due) noexcept {
        if (due)
            waited.add(*due);
        else
            other_starts.add(1);
    }
    std::uint64_t starts() const noexcept { return waited.read().count() + other_starts.get(); }
    // `took`: since its start. `whole`: since the submission of its task.
    void succeed(duration took, duration whole) noexcept {
        ran.add(took);
        total.add(whole);
    }

    own_histogram<attempt_bounds> waited;  // of those that start for the first time
    own_count other_starts;
    own_histogram<attempt_bounds> ran;  // of those that succeeded
    own_histogram<task_bounds> total;
};

// On the thread that counts, but for each().
class attempt_lane {
public:
    // Null: none was made of these names.
    attempt_cells* find(std::string_view queue, std::string_view handler) const noexcept {
        const auto at = cells_.find(std::pair{queue, handler});
        return at == cells_.end() ? nullptr : at->second.get();
    }
    attempt_cells& make(std::string_view queue, std::string_view handler) {
        const std::lock_guard lock{guard_};
        auto& cells = cells_[series_name{queue, handler}];
        if (!cells) cells = std::make_unique<attempt_cells>();
        return *cells;
    }
    // From any thread. `what` takes a name and its cells.
    template <class What>
    void each(What what) const {
        const std::lock_guard lock{guard_};
        for (const auto& [name, cells] : cells_) what(name, *cells);
    }

private:
    mutable std::mutex guard_;  // held while the list grows, and while another thread reads it
    series<std::unique_ptr<attempt_cells>> cells_;
};

}  // namespace errand
