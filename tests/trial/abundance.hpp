// A Redis with as much in it as a large installation has, made without running anything: tasks in every state, over all queues;
// workers that show they are alive, with tasks in hand; figures of handlers; days that are over.
#pragma once

#include "store/store.hpp"
#include "support/redis_server.hpp"

#include <boost/asio/io_context.hpp>

#include <cstdint>
#include <memory>
#include <string>
#include <vector>

namespace trial {

struct amounts {
    std::int64_t tasks = 10'000'000;
    std::int64_t queues = 5000;
    std::int64_t workers = 1000;
    std::int64_t days = 30;
};

class abundance {
public:
    explicit abundance(const amounts& of);
    ~abundance();
    abundance(const abundance&) = delete;
    abundance& operator=(const abundance&) = delete;

    const errand::test::redis_server& server() const noexcept { return server_; }
    pid_t server_pid() const;
    // What a number of INFO is.
    long told(const std::string& section, const std::string& name) const;
    std::string queue(std::int64_t number) const;
    std::string handler(std::int64_t number) const;
    // One that is dead, with all that a page shows of a task.
    const std::string& dead_task() const noexcept { return dead_task_; }

private:
    struct share;  // of a queue

    std::unique_ptr<errand::store> joined(const std::string& name);
    template <class T>
    T wait_for(errand::awaitable<T> what);
    std::vector<errand::submission_item> items(std::int64_t queue, std::int64_t count,
                                               bool delayed = false) const;
    std::vector<errand::claimed_task> claim(errand::store& by, const std::vector<std::string>& queues,
                                            std::size_t count, errand::duration lease);
    errand::report end_of(const errand::claimed_task& task, const share& of);
    void fill_queue(std::int64_t queue, std::int64_t count);
    void end_tasks(std::int64_t queue, const share& of);
    void add_worker(std::int64_t number);
    void add_figures();
    void add_days();

    amounts of_;
    errand::test::redis_server server_;
    boost::asio::io_context io_{1};
    errand::store_listener ear_;
    std::unique_ptr<errand::store> client_;
    std::vector<std::unique_ptr<errand::store>> workers_;  // closed; they end with the loop
    std::string dead_task_;
    std::int64_t ended_ = 0;
};

}  // namespace trial
