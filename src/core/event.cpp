#include "core/event.hpp"

namespace errand {

void event_stream::subscribe(subscriber to) {
    std::lock_guard lock{guard_};
    auto grown = subscribers_ ? std::make_shared<std::vector<subscriber>>(*subscribers_)
                              : std::make_shared<std::vector<subscriber>>();
    grown->push_back(std::move(to));
    subscribers_ = std::move(grown);
    heard_.store(true, std::memory_order_release);
}

void event_stream::publish(const event& what) const {
    if (!heard()) return;
    std::shared_ptr<const std::vector<subscriber>> now;
    {
        std::lock_guard lock{guard_};
        now = subscribers_;
    }
    for (const auto& one : *now) one(what);
}

}  // namespace errand
