// Tells the store which of the tasks that were brought to it do not come again: when a while has passed since their rows went, beside
// whoever brings others, who waits for none of it. Each shard is told of its own, so that one that is away holds up no other.
#pragma once

#include <errand/awaitable.hpp>

#include "store/store.hpp"

#include <boost/asio/any_io_executor.hpp>
#include <boost/asio/steady_timer.hpp>

#include <chrono>
#include <cstddef>
#include <deque>
#include <map>
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
        : executor_{std::move(executor)}, after_{after} {}

    // What is more than is kept here the store drops by itself. `in`: always the same store, which is there until close().
    void later(store& in, std::vector<delivered_task> tasks);
    // Nothing more is begun, and what is under way ends with the store's own calls.
    void close();

private:
    // What one shard is told.
    struct line {
        explicit line(const boost::asio::any_io_executor& executor) : timer{executor} {}
        boost::asio::steady_timer timer;
        std::deque<std::pair<clock::time_point, std::vector<delivered_task>>> pages{};
        std::size_t count = 0;
        bool running = false;
    };

    void add(line& to, std::vector<delivered_task> tasks);
    static std::vector<delivered_task> take_first(line& from);
    void drop_oldest();
    awaitable<void> run(std::shared_ptr<forgetter> self, store& in, line& of);
    awaitable<void> rest_until(line& of, clock::time_point then) const;

    boost::asio::any_io_executor executor_;
    const clock::duration after_;
    std::map<std::size_t, line> lines_;  // by shards
    bool closed_ = false;
};

}  // namespace errand::shelf
