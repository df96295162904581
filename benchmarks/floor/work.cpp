// The measures in which tasks are claimed and finished.
#include "measures.hpp"
#include "queue.hpp"

#include <algorithm>
#include <deque>
#include <string>

namespace benchmark_floor {
namespace {

// What has been done to tasks 1 .. n so far.
class progress {
public:
    explicit progress(std::int64_t tasks) : tasks_{tasks} {}

    void add(const turn& done) {
        finished_ += done.finished;
        claimed_ += done.claimed;
        id_sum_ += done.id_sum;
    }
    bool all_claimed() const { return claimed_ >= tasks_; }
    void check() const {
        if (finished_ != tasks_ || claimed_ != tasks_ || id_sum_ != tasks_ * (tasks_ + 1) / 2)
            throw failure{"not every task was claimed and finished once"};
    }

private:
    std::int64_t tasks_;
    std::int64_t finished_ = 0;
    std::int64_t claimed_ = 0;
    std::int64_t id_sum_ = 0;
};

}  // namespace

void drain(const options& how) {
    const auto tasks = how.number("tasks", 200'000);
    const auto batch = how.number("batch", 50);
    const auto inflight = how.number("inflight", 2);
    auto redis = connection::over_socket();
    queue from{redis};
    for (std::int64_t next = 1; next <= tasks; next += 500) {
        const auto count = std::min<std::int64_t>(500, tasks - next + 1);
        from.send_submit(next, count);
        from.read_submit(count);
    }

    stopwatch watch;
    progress done{tasks};
    std::deque<std::string> held;  // by the calls in flight, in their order
    for (std::int64_t i = 0; i < inflight; ++i) from.send_turn(held.emplace_back(), batch);
    while (!held.empty()) {
        auto ids = std::move(held.front());
        held.pop_front();
        done.add(from.read_turn(ids));
        if (!ids.empty()) from.send_turn(held.emplace_back(std::move(ids)), batch);
    }
    watch.stop();
    done.check();
    from.check_holds(0);
    watch.print(tasks);
}

void life(const options& how) {
    const auto tasks = how.number("tasks", 200'000);
    const auto batch = how.number("batch", 50);
    const auto inflight = how.number("inflight", 4);
    if (inflight % 2 != 0) throw failure{"inflight must be even: half of the calls submit, the others work"};
    auto redis = connection::over_socket();
    queue of{redis};

    struct call {
        std::int64_t submits;  // 0: it is a turn
        std::string held;
    };
    stopwatch watch;
    progress done{tasks};
    std::deque<call> sent;
    std::int64_t next = 1;
    std::int64_t submitted = 0;
    const auto send_submit = [&] {
        const auto count = std::min(batch, tasks - next + 1);
        if (count == 0) return;
        of.send_submit(next, count);
        sent.push_back({count, {}});
        next += count;
    };
    const auto send_turn = [&](std::string ids) {
        of.send_turn(ids, batch);
        sent.push_back({0, std::move(ids)});
    };
    for (std::int64_t i = 0; i < inflight; i += 2) {
        send_submit();
        send_turn({});
    }
    while (!sent.empty()) {
        auto answered = std::move(sent.front());
        sent.pop_front();
        if (answered.submits > 0) {
            of.read_submit(answered.submits);
            submitted += answered.submits;
            send_submit();
            continue;
        }
        done.add(of.read_turn(answered.held));
        if (answered.held.empty() && submitted == tasks && !done.all_claimed())
            throw failure{"a task that was submitted is not in the queue"};
        if (!answered.held.empty() || !done.all_claimed()) send_turn(std::move(answered.held));
    }
    watch.stop();
    done.check();
    of.check_holds(0);
    watch.print(tasks);
}

}  // namespace benchmark_floor
