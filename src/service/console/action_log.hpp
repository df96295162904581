// Who did what by the console, the latest first. In memory; each is a line of the program's log as well.
#pragma once

#include <errand/time.hpp>

#include <chrono>
#include <deque>
#include <string>

namespace errand::console {

struct action {
    time_point at{};
    std::string who;      // the name of his token; empty: nobody is asked for one
    std::string request;  // its X-Request-ID
    std::string what;     // "revive", "pause queue"
    std::string on;       // "task 0198…", "queue mail"
    std::string came;     // "done", or why it was not
};

class action_log {
public:
    void add(action one) {
        constexpr std::size_t kept = 200;
        one.at = std::chrono::floor<duration>(std::chrono::system_clock::now());
        all_.push_front(std::move(one));
        if (all_.size() > kept) all_.pop_back();
        ++added_;
    }
    const std::deque<action>& all() const noexcept { return all_; }
    std::size_t added() const noexcept { return added_; }

private:
    std::deque<action> all_;
    std::size_t added_ = 0;
};

}  // namespace errand::console
