// What programs that are no workers of errand take from the namespace by way of this one: it is looked after as if a worker
// took it. From any thread.
#pragma once

#include <atomic>
#include <cstddef>
#include <mutex>
#include <set>
#include <string>
#include <vector>

namespace errand {

class taken_elsewhere {
public:
    // False: all of it is known already, or there is no end of it.
    bool add(const std::vector<std::string>& queues, const std::vector<std::string>& handlers) {
        constexpr std::size_t most = 10'000;
        const std::lock_guard lock{guard_};
        const auto before = queues_.size() + handlers_.size();
        if (before >= most) return false;
        queues_.insert(queues.begin(), queues.end());
        handlers_.insert(handlers.begin(), handlers.end());
        return queues_.size() + handlers_.size() > before;
    }
    // These, and those that are taken from.
    std::vector<std::string> queues_with(std::vector<std::string> names) const {
        const std::lock_guard lock{guard_};
        names.insert(names.end(), queues_.begin(), queues_.end());
        return names;
    }
    // These, and those that somebody said to know.
    std::vector<std::string> handlers_with(std::vector<std::string> names) const {
        const std::lock_guard lock{guard_};
        names.insert(names.end(), handlers_.begin(), handlers_.end());
        return names;
    }

    std::atomic<std::size_t> tasks{0};  // that they hold now

private:
    mutable std::mutex guard_;
    std::set<std::string> queues_;
    std::set<std::string> handlers_;
};

}  // namespace errand
