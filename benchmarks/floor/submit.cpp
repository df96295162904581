#include "measures.hpp"
#include "queue.hpp"

#include <algorithm>
#include <deque>

namespace benchmark_floor {

namespace {

void one_by_one(connection redis, std::int64_t tasks) {
    queue to{redis};
    stopwatch watch;
    for (std::int64_t n = 1; n <= tasks; ++n) {
        to.send_submit(n, 1);
        to.read_submit(1);
    }
    watch.stop();
    to.check_holds(tasks);
    watch.print(tasks);
}

}  // namespace

void round_trip(const options& how) { one_by_one(connection::over_tcp(), how.number("tasks", 20'000)); }

void round_trip_socket(const options& how) {
    one_by_one(connection::over_socket(), how.number("tasks", 20'000));
}

void submit(const options& how) {
    const auto tasks = how.number("tasks", 200'000);
    const auto batch = how.number("batch", 50);
    const auto inflight = static_cast<std::size_t>(how.number("inflight", 1));
    auto redis = connection::over_socket();
    queue to{redis};
    stopwatch watch;
    std::deque<std::int64_t> sent;
    for (std::int64_t next = 1; next <= tasks || !sent.empty();) {
        while (next <= tasks && sent.size() < inflight) {
            const auto count = std::min(batch, tasks - next + 1);
            to.send_submit(next, count);
            sent.push_back(count);
            next += count;
        }
        to.read_submit(sent.front());
        sent.pop_front();
    }
    watch.stop();
    to.check_holds(tasks);
    watch.print(tasks);
}

}  // namespace benchmark_floor
