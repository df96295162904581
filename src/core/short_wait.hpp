// Whether to look for an answer without sleeping, for a moment: on the same machine an answer comes sooner than a
// sleeping core wakes up. Looking that does not pay off is given up, longer each time.
#pragma once

#include <algorithm>
#include <chrono>

namespace errand {

class short_wait {
public:
    using time_point = std::chrono::steady_clock::time_point;
    static constexpr std::chrono::microseconds longest{100};

    // A call was sent. True when its answer should be looked for.
    bool begin(time_point now) noexcept {
        if (left_out_ > 0) {
            --left_out_;
            return false;
        }
        until_ = now + longest;
        return true;
    }
    bool goes_on(time_point now) const noexcept { return now < until_; }
    // The answer to a call for which begin() was true is there, or will not come.
    void end(time_point now) noexcept {
        failures_ = now <= until_ ? 0 : std::min(failures_ + 1, 10);
        left_out_ = failures_ > 0 ? 1U << failures_ : 0;
        until_ = {};
    }

private:
    time_point until_{};
    int failures_ = 0;
    unsigned left_out_ = 0;  // so many calls are not looked for
};

}  // namespace errand
