// One worker process and a full queue.
#include "measure.hpp"
#include "tasks.hpp"

namespace load {

namespace {

errand::awaitable<void> fill(errand::proxy<nop> to, std::size_t tasks, errand::options extra) {
    const auto with = to.with(std::move(extra));
    std::vector<item> items;
    for (std::size_t done = 0; done < tasks; done += items.size()) {
        items.resize(std::min<std::size_t>(1000, tasks - done));
        for (std::size_t at = 0; at < items.size(); ++at)
            items[at].id = static_cast<std::int64_t>(done + at + 1);
        co_await with.perform_bulk(items);
    }
}

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
    app.block_on(fill(app.handler<nop>(), tasks, {}));
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
    const auto fill_time = std::chrono::milliseconds{500 + tasks / 50};
    const auto due = std::chrono::floor<errand::duration>(std::chrono::system_clock::now()) + fill_time;
    const auto due_ns = now_ns() + std::chrono::nanoseconds{fill_time}.count();
    errand::options later;
    later.at = due;
    app.block_on(fill(app.handler<nop>(), tasks, later));
    if (now_ns() > due_ns) fail("the queue was not full when its tasks fell due: fewer tasks");
    work_until_done(app, tasks);
    return result{}
        .set("tasks", static_cast<double>(tasks))
        .set("seconds", static_cast<double>(count().done_ns - due_ns) / 1e9);
}

}  // namespace load
