#include "runtime/moved_time.hpp"

#include <algorithm>
#include <utility>

namespace errand {
namespace {

thread_local moved_time* in_force = nullptr;

}  // namespace

std::size_t moved_time::waiting() const {
    return static_cast<std::size_t>(std::ranges::count_if(waits_,
                                                          [](const entry& one) { return !!one.over; }));
}

std::optional<time_point> moved_time::first() const {
    std::optional<time_point> first;
    for (const auto& one : waits_) {
        if (one.over) first = std::min(first.value_or(one.ends), one.ends);
    }
    return first;
}

void moved_time::moved() {
    const auto now = clock_();
    const auto is_over = [now](const entry& one) { return one.over && one.ends <= now; };
    for (auto at = std::ranges::find_if(waits_, is_over); at != waits_.end();
         at = std::ranges::find_if(waits_, is_over)) {
        for (auto other = at; other != waits_.end(); ++other) {
            if (is_over(*other) && other->ends < at->ends) at = other;
        }
        std::exchange(at->over, nullptr)();
    }
}

bool time_is_moved() noexcept { return in_force != nullptr; }

moved_time_scope::moved_time_scope(moved_time& by) noexcept : before_{std::exchange(in_force, &by)} {}
moved_time_scope::~moved_time_scope() { in_force = before_; }

moved_wait::moved_wait(duration length, std::function<void()> over) : in_{in_force} {
    if (in_) at_ = in_->waits_.insert(in_->waits_.end(), {in_->clock_() + length, std::move(over)});
}

moved_wait::~moved_wait() {
    if (in_) in_->waits_.erase(at_);
}

}  // namespace errand
