#include "runtime/manual_time.hpp"

#include <algorithm>
#include <utility>

namespace errand {
namespace {

thread_local manual_time* time_in_force = nullptr;

}  // namespace

std::size_t manual_time::waiting() const {
    return static_cast<std::size_t>(std::ranges::count_if(waits_,
                                                          [](const entry& one) { return !!one.over; }));
}

std::optional<time_point> manual_time::first() const {
    std::optional<time_point> first;
    for (const auto& one : waits_) {
        if (one.over) first = std::min(first.value_or(one.ends), one.ends);
    }
    return first;
}

void manual_time::moved() {
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

bool time_is_manual() noexcept { return time_in_force != nullptr; }

manual_time_scope::manual_time_scope(manual_time& by) noexcept : before_{std::exchange(time_in_force, &by)} {}
manual_time_scope::~manual_time_scope() { time_in_force = before_; }

manual_wait::manual_wait(duration length, std::function<void()> over) : in_{time_in_force} {
    if (in_) at_ = in_->waits_.insert(in_->waits_.end(), {in_->clock_() + length, std::move(over)});
}

manual_wait::~manual_wait() {
    if (in_) in_->waits_.erase(at_);
}

}  // namespace errand
