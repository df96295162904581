// Tells the store which of the tasks that were brought to it do not come again: when a while has passed since their rows went, beside
// whoever brings others, who waits for none of it.
#pragma once

#include <errand/awaitable.hpp>

#include "store/store.hpp"

#include <boost/asio/any_io_executor.hpp>
#include <boost/asio/steady_timer.hpp>

#include <chrono>
#include <cstddef>
#include <deque>
#include <memory>
#include <utility>
#include <vector>

namespace errand::shelf {

// Of one loop, on its thread. What is under way keeps it.
class forgetter : public std::enable_shared_from_this<forgetter> {
public:
    using clock = std::chrono::steady_clock;

    // `after`: they are forgotten so long after they were brought.
    forgetter(boost::asio::any_io_executor executor, clock::duration after)
        : executor_{std::move(executor)}, after_{after}, timer_{executor_} {}

    // What is more than is kept here the store drops by itself. `in`: always the same store, which is there until close().
    void later(store& in, std::vector<delivered_task> tasks);
    // Nothing more is begun, and what is under way ends with the store's own calls.
    void close();

private:
    void add(std::vector<delivered_task> tasks);
    awaitable<void> run(std::shared_ptr<forgetter> self, store& in);
    awaitable<void> rest_until(clock::time_point then);

    boost::asio::any_io_executor executor_;
    const clock::duration after_;
    boost::asio::steady_timer timer_;
    std::deque<std::pair<clock::time_point, std::vector<delivered_task>>> pages_;
    std::size_t count_ = 0;
    bool running_ = false, closed_ = false;
};

}  // namespace errand::shelf
