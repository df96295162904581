// How long from a submission to the start of its handler, with worker and submitter in separate processes?
//   ERRAND_STORE=redis+unix:///path latency [TASKS]
// One task every 2 ms, so that the worker is idle each time; the arguments carry the time of the submission.
#include <errand/errand.hpp>

#include <boost/asio/steady_timer.hpp>
#include <boost/asio/this_coro.hpp>
#include <boost/asio/use_awaitable.hpp>

#include <algorithm>
#include <csignal>
#include <cstdint>
#include <cstdio>
#include <string>
#include <sys/prctl.h>
#include <sys/wait.h>
#include <time.h>
#include <unistd.h>
#include <vector>

namespace {

using namespace std::chrono_literals;

constexpr std::size_t warm_up = 100;

// The same in all processes of a machine.
std::int64_t now_ns() {
    timespec at{};
    clock_gettime(CLOCK_MONOTONIC, &at);
    return at.tv_sec * std::int64_t{1'000'000'000} + at.tv_nsec;
}

}  // namespace

struct start_delay {
    errand::awaitable<std::int64_t> perform(std::int64_t submitted_ns) { co_return now_ns() - submitted_ns; }
};
ERRAND_HANDLER(start_delay, .retention = 1h)

namespace {

errand::awaitable<std::vector<std::int64_t>> measure(errand::app& app, std::size_t tasks) {
    const auto delays = app.handler<start_delay>();
    co_await (co_await delays.perform_async(now_ns()));  // the worker stands
    boost::asio::steady_timer pace{co_await boost::asio::this_coro::executor};
    std::vector<errand::handle<std::int64_t>> handles;
    for (std::size_t at = 0; at < warm_up + tasks; ++at) {
        pace.expires_after(2ms);
        co_await pace.async_wait(boost::asio::use_awaitable);
        auto one = co_await delays.perform_async(now_ns());
        if (at >= warm_up) handles.push_back(std::move(one));
    }
    std::vector<std::int64_t> all;
    for (const auto& one : handles) all.push_back(co_await one);
    std::ranges::sort(all);
    co_return all;
}

void print(const std::vector<std::int64_t>& sorted) {
    const auto ms = [&](std::size_t per_mille) {
        return static_cast<double>(sorted[std::min(sorted.size() - 1, sorted.size() * per_mille / 1000)]) /
               1e6;
    };
    std::printf("latency: %zu tasks, p50 %.3f ms, p90 %.3f ms, p99 %.3f ms, max %.3f ms\n", sorted.size(),
                ms(500), ms(900), ms(990), static_cast<double>(sorted.back()) / 1e6);
}

int work() {
    prctl(PR_SET_PDEATHSIG, SIGKILL);
    errand::app app;
    return app.run();
}

}  // namespace

int main(int count, char** words) try {
    const std::size_t tasks = count > 1 ? std::stoul(words[1]) : 1000;
    if (setenv("ERRAND_LOG_LEVEL", "warn", 0) != 0 || tasks == 0) return 2;
    const pid_t worker = fork();
    if (worker == 0) return work();
    {
        errand::app app;
        print(app.block_on(measure(app, tasks)));
    }
    kill(worker, SIGTERM);
    int status = 0;
    return waitpid(worker, &status, 0) == worker && status == 0 ? 0 : 1;
} catch (const std::exception& e) {
    std::fprintf(stderr, "latency: %s\n", e.what());
    return 1;
}
