// What programs that are no workers of errand take from the namespace by way of this one: it is looked after as if a worker
// took it. From any thread.
#pragma once

#include <atomic>
#include <cstddef>
#include <cstdint>
#include <map>
#include <mutex>
#include <set>
#include <string>
#include <vector>

namespace errand {

class taken_elsewhere {
public:
    // False: all of it is known already, or there is no end of it. Of queues without end those are left that were taken from
    // last.
    bool add(const std::vector<std::string>& queues, const std::vector<std::string>& handlers) {
        constexpr std::size_t most = 10'000;
        const std::lock_guard lock{guard_};
        bool more = false;
        for (const auto& name : queues) {
            const auto [at, is_new] = queues_.try_emplace(name, 0);
            if (!is_new) by_use_.erase(at->second);
            at->second = ++uses_;
            by_use_.emplace(uses_, at);
            more = more || is_new;
            if (queues_.size() <= most) continue;
            queues_.erase(by_use_.begin()->second);
            by_use_.erase(by_use_.begin());
        }
        for (const auto& name : handlers)
            more = (handlers_.size() < most && handlers_.insert(name).second) || more;
        return more;
    }
    // These, and those that are taken from.
    std::vector<std::string> queues_with(std::vector<std::string> names) const {
        const std::lock_guard lock{guard_};
        for (const auto& [name, use] : queues_) names.push_back(name);
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
    using queue_uses = std::map<std::string, std::uint64_t>;
    queue_uses queues_;  // and when each was taken from last
    std::map<std::uint64_t, queue_uses::iterator> by_use_;
    std::uint64_t uses_ = 0;
    std::set<std::string> handlers_;
};

}  // namespace errand
