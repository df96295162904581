#include "runtime/paced_log.hpp"

#include <spdlog/logger.h>

namespace errand {

using steady = std::chrono::steady_clock;

void paced_log::write(int level, std::string_view line) {
    const auto at = static_cast<spdlog::level::level_enum>(level);
    if (!to_->should_log(at)) return;
    {
        const std::lock_guard lock{guard_};
        if (!budgets_.at(static_cast<std::size_t>(level)).allows(line, steady::now())) return;
    }
    to_->log(at, "{}", line);
}

void paced_log::tell_left_out() {
    const std::lock_guard lock{guard_};
    const auto now = steady::now();
    for (std::size_t level = 0; level < budgets_.size(); ++level) tell(budgets_[level].over(now), level);
}

void paced_log::tell_all_left_out() {
    const std::lock_guard lock{guard_};
    for (std::size_t level = 0; level < budgets_.size(); ++level) tell(budgets_[level].all(), level);
}

void paced_log::tell(const std::vector<line_budget::left_out>& some, std::size_t level) {
    for (const auto& one : some) {
        to_->log(static_cast<spdlog::level::level_enum>(level), "{} more like this one within a minute: {}",
                 one.lines, one.example);
    }
}

}  // namespace errand
