// What one thread counts of the commonest events of attempts, a start and a success: without a lock, and read from others while
// it goes on.
#pragma once

#include "core/metric_list.hpp"
#include "core/own_count.hpp"
#include "core/series.hpp"

#include <array>
#include <cstddef>
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
        started.add(1);
        if (due) waited.add(*due);
    }
    // `took`: since its start. `whole`: since the submission of its task.
    void succeed(duration took, duration whole) noexcept {
        ran.add(took);
        total.add(whole);
    }

    own_count started;
    own_histogram<attempt_bounds> waited;
    own_histogram<attempt_bounds> ran;  // of those that succeeded
    own_histogram<task_bounds> total;
};

// On the thread that counts, but for each().
class attempt_lane {
public:
    // Null: none was made of these names.
    attempt_cells* find(std::string_view queue, std::string_view handler) noexcept {
        auto& last = recent_[place_of(queue, handler)];
        if (last.cells && last.name->first == queue && last.name->second == handler) return last.cells;
        const auto at = cells_.find(std::pair{queue, handler});
        if (at == cells_.end()) return nullptr;
        last = {&at->first, at->second.get()};
        return last.cells;
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
    // Names found last: what happens many times a second mostly is of a few.
    struct recent {
        const series_name* name = nullptr;
        attempt_cells* cells = nullptr;
    };
    static constexpr std::size_t places = 16;
    static std::size_t place_of(std::string_view queue, std::string_view handler) noexcept {
        const auto sign = [](std::string_view name) {
            return name.empty() ? 0U : name.size() + static_cast<unsigned char>(name.back());
        };
        return (sign(queue) + sign(handler)) % places;
    }

    std::array<recent, places> recent_{};
    mutable std::mutex guard_;  // held while the list grows, and while another thread reads it
    series<std::unique_ptr<attempt_cells>> cells_;
};

}  // namespace errand
