// How much ended and failed in each of the last minutes, as this service has seen it: the store keeps days. Looked at from the first
// question on.
#pragma once

#include <errand/app.hpp>

#include "service/console/duty.hpp"
#include "service/console/survey.hpp"

#include <boost/json/array.hpp>
#include <boost/json/object.hpp>

#include <cstdint>
#include <deque>
#include <map>
#include <string>

namespace errand::console {

class pulse {
public:
    // `of` outlives it.
    pulse(survey& of, const boost::asio::any_io_executor& loop) : whole_{of}, duties_{loop} {}

    // {"each_ms", "points": [[ended, failed, ready]]}, the latest last; null for a time in which the store was away.
    boost::json::object document();
    // How many were ready in this queue, once a minute of the last half hour, the latest last. Of the first hundreds of queues.
    boost::json::array ready_lately(const std::string& queue);
    awaitable<void> stop() { return duties_.stop(); }

private:
    struct point {
        std::int64_t ended = 0;
        std::int64_t failed = 0;
        std::int64_t ready = 0;
        bool known = true;
    };
    void begin();
    awaitable<void> keep_counting();
    void add_minute(const whole_look& seen);
    // Null: of a time in which the store was away.
    void add_points(std::size_t count, const whole_look* before, const whole_look* now);

    survey& whole_;
    duties duties_;
    std::deque<point> points_;
    std::map<std::string, std::deque<std::int64_t>> ready_;  // by queue and minute
    bool started_ = false;
};

}  // namespace errand::console
