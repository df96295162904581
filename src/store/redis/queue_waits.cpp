#include "store/redis/queue_waits.hpp"

#include <algorithm>

namespace errand::redis {

void queue_waits::told(std::string_view queue) {
    if (queue.empty()) return forget();
    // Who has one asks that one.
    if (!many_) return;
    if (const auto at = told_.find(queue); at != told_.end()) {
        at->second = ++events_;
    } else {
        told_.emplace(queue, ++events_);
    }
}

void queue_waits::forget() {
    forgotten_ = ++events_;
    waits_ = false;
    told_.clear();
}

std::vector<std::string_view> queue_waits::to_ask(std::span<const std::string> queues) const {
    std::vector<std::string_view> some;
    if (!waits_ || told_.empty()) return some;
    for (const auto& queue : queues) {
        if (told_.contains(queue)) some.emplace_back(queue);
    }
    return some;
}

queue_waits::question queue_waits::asks(std::span<const std::string> queues, bool some) {
    many_ = queues.size() > 1;
    asked_ = ++events_;
    return {.at = asked_, .some = some};
}

bool queue_waits::answered(const question& of, bool filled) {
    if (!many_) return true;
    if (filled && of.some) {
        forget();
        return false;
    }
    if (filled) {
        filled_ = std::max(filled_, of.at);
        waits_ = false;
        return true;
    }
    // A call that replicas have not confirmed is made again, and so answered after one that was sent later.
    if (of.at < forgotten_ || of.at < filled_) return false;
    std::erase_if(told_, [&](const auto& one) { return one.second < of.at; });
    // Of the others an answer of some says nothing: a claim of all may have taken the worker off them.
    waits_ = waits_ || !of.some;
    return waits_;
}

}  // namespace errand::redis
