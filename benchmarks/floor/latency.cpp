#include "measures.hpp"
#include "queue.hpp"

#include <atomic>
#include <chrono>
#include <cstdio>
#include <string>
#include <sys/mman.h>
#include <sys/wait.h>
#include <thread>
#include <unistd.h>
#include <vector>

namespace benchmark_floor {
namespace {

using namespace std::chrono_literals;

// What the worker process tells: when it received each task.
class shared_times {
public:
    explicit shared_times(std::size_t count) : bytes_{sizeof(std::int64_t) * count} {
        memory_ = mmap(nullptr, bytes_, PROT_READ | PROT_WRITE, MAP_SHARED | MAP_ANONYMOUS, -1, 0);
        if (memory_ == MAP_FAILED) throw failure{"no memory shared with the worker process"};
    }
    ~shared_times() { munmap(memory_, bytes_); }
    shared_times(const shared_times&) = delete;
    shared_times& operator=(const shared_times&) = delete;

    std::atomic<std::int64_t>& operator[](std::size_t at) {
        return static_cast<std::atomic<std::int64_t>*>(memory_)[at];
    }

private:
    std::size_t bytes_;
    void* memory_;
};

// Blocks on the list itself: nothing wakes a worker sooner. Its end is told by the exit code only.
void receive(std::size_t tasks, shared_times& received) {
    auto redis = connection::over_socket();
    for (std::size_t n = 1; n <= tasks; ++n) {
        const auto id = redis.call("BLMOVE ready leased RIGHT LEFT 10");
        if (id.is_null()) throw failure{"the worker waited 10 s for a task"};
        received[n] = bench::now_ns();
        if (std::stoul(std::string{id.text().substr(1)}) != n)
            throw failure{"the worker received another task"};
        redis.call("LPOP leased");
        redis.call("HDEL tasks " + std::string{id.text()});
    }
}

pid_t start_worker(std::size_t tasks, shared_times& received) {
    const auto pid = fork();
    if (pid < 0) throw failure{"cannot start the worker process"};
    if (pid > 0) return pid;
    try {
        receive(tasks, received);
        _exit(0);
    } catch (const std::exception& e) {
        std::fprintf(stderr, "worker: %s\n", e.what());
        _exit(1);
    }
}

}  // namespace

void latency(const options& how) {
    // Those before `first` let the worker come up.
    constexpr std::size_t first = 51;
    const auto tasks = static_cast<std::size_t>(how.number("tasks", 2'000)) + first - 1;
    shared_times received{tasks + 1};
    auto redis = connection::over_socket();
    queue to{redis};
    const auto worker = start_worker(tasks, received);

    std::vector<std::int64_t> sent(tasks + 1);
    for (std::size_t n = 1; n <= tasks; ++n) {
        std::this_thread::sleep_for(2ms);
        sent[n] = bench::now_ns();
        to.send_submit(static_cast<std::int64_t>(n), 1);
        to.read_submit(1);
    }
    int status = 0;
    waitpid(worker, &status, 0);
    if (status != 0) throw failure{"the worker process failed"};
    to.check_holds(0);

    std::vector<std::int64_t> delays;
    for (std::size_t n = first; n <= tasks; ++n) delays.push_back(received[n] - sent[n]);
    bench::result{}.set_latencies(std::move(delays)).print();
}

}  // namespace benchmark_floor
