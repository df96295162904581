// Where figures of handlers are added up: numbers by periods of ten minutes, of which the last ones are kept.
#pragma once

#include <errand/awaitable.hpp>
#include <errand/time.hpp>

#include "core/attempt_figures.hpp"

#include <span>
#include <vector>

namespace errand {

struct figures_answer {
    std::vector<handler_count>
        counts{};  // of all periods that are kept, the one under way too; one number may come several times
    time_point now{};
};

class figures_store {
public:
    static constexpr duration figures_period = std::chrono::minutes{10};
    // Before the one under way.
    static constexpr std::int64_t figures_kept = 6;

    // To the period under way. A call that comes again adds again.
    virtual awaitable<void> add_figures(std::span<const handler_count> counts) = 0;
    virtual awaitable<figures_answer> figures() = 0;

protected:
    ~figures_store() = default;
};

}  // namespace errand
