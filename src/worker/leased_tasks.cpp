#include "worker/leased_tasks.hpp"

#include <algorithm>

namespace errand {

void leased_tasks::add(std::span<const claimed_task> tasks, std::vector<index>& indexes) {
    std::lock_guard lock{guard_};
    for (const auto& task : tasks) {
        if (free_.empty()) {
            free_.push_back(static_cast<index>(entries_.size()));
            entries_.emplace_back();
        }
        indexes.push_back(free_.back());
        free_.pop_back();
        entries_[indexes.back()] = {task.id, task.claim};
    }
}

void leased_tasks::remove(std::span<const index> indexes) {
    std::lock_guard lock{guard_};
    for (const index at : indexes) {
        entries_[at].claim = 0;
        free_.push_back(at);
    }
}

void leased_tasks::abandon(index at) {
    std::lock_guard lock{guard_};
    entries_[at].claim = 0;
}

void leased_tasks::collect(extend_call& to) const {
    const auto from = static_cast<std::ptrdiff_t>(to.claims.size());
    {
        std::lock_guard lock{guard_};
        for (const auto& one : entries_) {
            if (one.claim == 0) continue;
            to.tasks.emplace_back(one.id, one.claim);
            to.claims.push_back(one.claim);
        }
    }
    std::sort(to.claims.begin() + from, to.claims.end());
    to.claims.erase(std::unique(to.claims.begin() + from, to.claims.end()), to.claims.end());
}

}  // namespace errand
