#include "worker/deadlines.hpp"

#include <algorithm>

namespace errand {

void deadlines::add(timed& one, timed::clock::duration length, timed::clock::time_point from) {
    if (one.is_linked()) one.unlink();
    if (stopped_) return;
    one.at_ = from + length;
    lists_[length].push_back(one);
    if (one.at_ < armed_) arm();
}

void deadlines::stop() {
    stopped_ = true;
    for (auto& [length, waiting] : lists_) waiting.clear();
    timer_.cancel();
}

// An earliest one that has left its list meanwhile makes the timer expire for nothing, which is cheaper than
// setting it again each time.
void deadlines::arm() {
    armed_ = timed::clock::time_point::max();
    std::erase_if(lists_, [](const auto& entry) { return entry.second.empty(); });
    for (const auto& [length, waiting] : lists_) armed_ = std::min(armed_, waiting.front().at_);
    if (stopped_ || lists_.empty()) return;
    timer_.expires_at(armed_);
    timer_.async_wait([this](const boost::system::error_code& ec) {
        if (!ec && !stopped_) pass(timed::clock::now());
    });
}

void deadlines::pass(timed::clock::time_point now) {
    list passed;
    for (auto& [length, waiting] : lists_) {
        while (!waiting.empty() && waiting.front().at_ <= now) {
            auto& one = waiting.front();
            waiting.pop_front();
            passed.push_back(one);
        }
    }
    while (!passed.empty()) {
        auto& one = passed.front();
        passed.pop_front();
        one.deadline_passed();
    }
    arm();
}

}  // namespace errand
