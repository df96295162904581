// Timeouts of attempts, without a timer for each. Attempts of one timeout pass it in the order in which they
// began, so a list for each length of time is sorted by itself; one timer is set to the earliest of all.
#pragma once

#include <boost/asio/steady_timer.hpp>
#include <boost/intrusive/list.hpp>

#include <chrono>
#include <map>

namespace errand {

// Something with a deadline. Leaves its list by itself when it is destroyed or unlinked.
class timed
    : public boost::intrusive::list_base_hook<boost::intrusive::link_mode<boost::intrusive::auto_unlink>> {
public:
    using clock = std::chrono::steady_clock;

    timed() = default;
    timed(const timed&) = delete;
    timed& operator=(const timed&) = delete;

    virtual void deadline_passed() = 0;

protected:
    ~timed() = default;

private:
    friend class deadlines;
    clock::time_point at_{};
};

// On its executor's thread only.
class deadlines {
public:
    explicit deadlines(const boost::asio::any_io_executor& executor) : timer_{executor} {}

    void add(timed& one, timed::clock::duration length, timed::clock::time_point from);
    // No deadline passes any more.
    void stop();

private:
    using list = boost::intrusive::list<timed, boost::intrusive::constant_time_size<false>>;

    void arm();
    void pass(timed::clock::time_point now);

    boost::asio::steady_timer timer_;
    timed::clock::time_point armed_ = timed::clock::time_point::max();
    std::map<timed::clock::duration, list> lists_;
    bool stopped_ = false;
};

}  // namespace errand
