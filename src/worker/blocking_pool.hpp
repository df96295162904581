// The threads that run handlers with `.blocking`. Started and joined by the thread that starts and stops the worker.
#pragma once

#include <boost/asio/thread_pool.hpp>

#include <cstddef>
#include <thread>
#include <vector>

namespace errand {

class blocking_pool {
public:
    explicit blocking_pool(std::size_t threads) : count_{threads} {}
    ~blocking_pool();

    boost::asio::thread_pool& tasks() noexcept { return pool_; }
    void start();
    // Once nothing runs there any more.
    void join();

private:
    std::size_t count_;
    // Without threads of its own: those that join it are marked as errand's.
    boost::asio::thread_pool pool_{0};
    std::vector<std::thread> threads_;
};

}  // namespace errand
