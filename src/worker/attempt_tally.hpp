// What became of the attempts of one thread of a worker, summed up until somebody takes it. On its loop's thread only.
#pragma once

#include "core/attempt_figures.hpp"
#include "runtime/handlers.hpp"

#include <chrono>
#include <memory>
#include <optional>
#include <unordered_map>
#include <utility>

namespace errand {

class attempt_tally {
public:
    enum class result : unsigned char { went_well, failed, dead };

    // `waited`: how long its task had been due; nullopt: nobody knows, or it was not its first attempt.
    // `total`: how long ago its task was submitted; nullopt: it goes on.
    void count(const known_handler& of, result how, std::chrono::microseconds ran,
               std::optional<std::chrono::microseconds> waited,
               std::optional<std::chrono::microseconds> total) {
        auto& figures = figures_of(of);
        ++figures.runs;
        if (how == result::failed) ++figures.failures;
        if (how == result::dead) ++figures.dead;
        figures.run.add(ran);
        if (waited) figures.wait.add(*waited);
        if (total) figures.total.add(*total);
    }

    figures_by_handler take() {
        figures_by_handler all;
        for (const auto& [handler, figures] : by_handler_) {
            if (figures->runs > 0) all[handler->name].merge(*figures);
            *figures = {};
        }
        return all;
    }

private:
    attempt_figures& figures_of(const known_handler& of) {
        if (&of == last_) return *last_figures_;
        auto& figures = by_handler_[&of];
        if (!figures) figures = std::make_unique<attempt_figures>();
        last_ = &of;
        last_figures_ = figures.get();
        return *figures;
    }

    std::unordered_map<const known_handler*, std::unique_ptr<attempt_figures>> by_handler_;
    const known_handler* last_ = nullptr;  // that was counted last
    attempt_figures* last_figures_ = nullptr;
};

}  // namespace errand
