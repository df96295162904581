// Where a thread of a worker counts what starts and what succeeds, for monitoring. On its loop's thread only.
#pragma once

#include "core/same_name.hpp"
#include "core/task_meter.hpp"
#include "runtime/handlers.hpp"

#include <array>
#include <cstddef>
#include <cstdint>
#include <string>

namespace errand {

class attempt_counts {
public:
    explicit attempt_counts(task_meter& to) : lane_{to} {}

    // `known`: the handler that goes by this name; null: it is an alias. Null: one of the names is not counted apart. What it gives
    // lives as long as the meter.
    attempt_cells* of(const known_handler* known, const std::string& queue, const std::string& handler) {
        const auto& last = recent_[place_of(known, queue)];
        if (known && last.known == known && same_name(last.queue, queue)) return last.cells;
        return look_up(known, queue, handler);
    }

private:
    // What starts many times a second mostly is of a few handlers and queues.
    struct recent {
        const known_handler* known = nullptr;
        std::string queue{};
        attempt_cells* cells = nullptr;
    };
    static constexpr std::size_t places = 32;
    static std::size_t place_of(const known_handler* known, const std::string& queue) noexcept {
        const auto last = static_cast<unsigned char>(queue[queue.size() - (queue.empty() ? 0U : 1U)]);
        return (reinterpret_cast<std::uintptr_t>(known) / 64 + last) % places;
    }

    // Out of line, as it is seldom called.
    [[gnu::noinline]] attempt_cells* look_up(const known_handler* known, const std::string& queue,
                                             const std::string& handler) {
        auto* const cells = lane_.cells_of(queue, handler);
        // Also that there are none: what is not kept apart once never is.
        if (known) recent_[place_of(known, queue)] = {known, queue, cells};
        return cells;
    }

    task_meter::lent_lane lane_;
    std::array<recent, places> recent_{};
};

}  // namespace errand
