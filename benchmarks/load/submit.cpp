// Submissions without a worker: one by one, from concurrent callers, in bulk.
#include "submitting.hpp"

namespace load {

using namespace std::chrono_literals;

namespace {

result submit_from(const errand::config& settings, std::size_t callers, std::size_t tasks) {
    errand::app app{settings};
    connect(app);
    const auto call = [to = app.handler<nop>()](std::int64_t id) -> errand::awaitable<void> {
        const auto task = co_await to.perform_async(item{id});
        if (task.duplicate()) fail("a task without biz_id was a duplicate");
    };
    const auto from = reading::now();
    app.block_on(from_callers(callers, tasks, call));
    return result{}.set(tasks, from, reading::now());
}

}  // namespace

result submit(const arguments& how) {
    const auto callers = how.number("callers", 1);
    return submit_from(callers == 1 ? over_tcp() : over_socket(), callers, how.number("tasks", 20'000));
}

result submit_socket(const arguments& how) {
    return submit_from(over_socket(), 1, how.number("tasks", 20'000));
}

result bulk(const arguments& how) {
    const auto tasks = how.number("tasks", 200'000);
    const auto size = how.number("size", 1000);
    errand::app app{over_socket()};
    connect(app);
    auto to = app.handler<nop>();
    if (how.number("delayed", 0) != 0) to = to.with({.delay = 24h});
    const auto from = reading::now();
    if (how.number("biz_id", 0) != 0) {
        app.block_on(in_bulk(app.handler<unique_nop>(), tasks, size));
    } else {
        app.block_on(in_bulk(to, tasks, size));
    }
    return result{}.set(tasks, from, reading::now());
}

}  // namespace load
