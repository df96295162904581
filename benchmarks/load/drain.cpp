// One worker process and a full queue.
#include "submitting.hpp"

namespace load {

namespace {

void work_until_done(errand::app& app, std::size_t tasks) {
    app.block_on(app.start());
    wait_for_all();
    app.block_on(app.stop());  // the last reports have arrived
    check_all(tasks);
}

}  // namespace

result drain(const arguments& how) {
    const auto tasks = how.number("tasks", 200'000);
    auto settings = over_socket();
    settings.concurrency = how.number("concurrency", 100);
    settings.threads = how.number("threads", 1);
    count().expected = tasks;
    errand::app app{settings};
    app.block_on(in_bulk(app.handler<nop>(), tasks, in_a_bulk));
    const auto from = reading::now();
    work_until_done(app, tasks);
    return result{}.set(tasks, from, reading::now());
}

// All due at the same moment: from then until the last has run.
result promote(const arguments& how) {
    using namespace std::chrono_literals;
    const auto tasks = how.number("tasks", 100'000);
    count().expected = tasks;
    errand::app app{over_socket()};
    const auto fill_time = std::chrono::milliseconds{(tasks < 10'000 ? 5000 : 500) + tasks / 50};
    const auto due = std::chrono::floor<errand::duration>(std::chrono::system_clock::now()) + fill_time;
    const auto due_ns = now_ns() + std::chrono::nanoseconds{fill_time}.count();
    app.block_on(in_bulk(app.handler<nop>().with({.at = due}), tasks, in_a_bulk));
    if (now_ns() > due_ns) fail("the queue was not full when its tasks fell due: fewer tasks");
    work_until_done(app, tasks);
    return result{}
        .set("tasks", static_cast<double>(tasks))
        .set("seconds", static_cast<double>(count().done_ns - due_ns) / 1e9);
}

}  // namespace load
