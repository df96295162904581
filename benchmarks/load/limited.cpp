// Tasks under limits: their lives, and very many of them that may not start.
#include "limited_tasks.hpp"
#include "submitting.hpp"

namespace load {

namespace {

using namespace std::chrono_literals;

void work_off(errand::app& app, std::size_t tasks) {
    count().expected = tasks;
    app.block_on(app.start());
    wait_for_all();
    app.block_on(app.stop());
    check_all(tasks);
}

}  // namespace

// A queue that is filled and then worked off: Redis's time is that of both.
result limited_life(const arguments& how) {
    const auto tasks = how.number("tasks", 200'000);
    keyed_nop::keys = how.number("keys", 0);
    auto settings = over_socket();
    settings.concurrency = how.number("concurrency", 100);
    errand::app app{settings};
    connect(app);
    const auto from = reading::now();
    if (keyed_nop::keys == 0) {
        app.block_on(in_bulk(app.handler<limited_nop>(), tasks, in_a_bulk));
    } else {
        app.block_on(in_bulk(app.handler<keyed_nop>(), tasks, in_a_bulk));
    }
    work_off(app, tasks);
    return result{}.set(tasks, from, reading::now());
}

// So many schedules of which none is due, and so many tasks, each in a group of its own, that no worker may start: half
// of them behind a closed limit, half behind rates.
result throng(const arguments& how) {
    const auto tasks = how.number("tasks", 10'000);
    const auto half = tasks / 2;
    errand::app app{over_socket()};
    connect(app);
    const auto tomorrow =
        std::chrono::floor<errand::duration>(std::chrono::system_clock::now()) + std::chrono::hours{24};
    app.block_on(from_callers(50, tasks, schedule_at<nop>(app, tomorrow, "default")));
    app.block_on(in_bulk(app.handler<barred>(), tasks - half, in_a_bulk));
    // The first of each key starts, and closes the rate for the second.
    for (int turn = 0; turn < 2; ++turn) app.block_on(in_bulk(app.handler<rationed>(), half, in_a_bulk));
    work_off(app, half);
    const auto left = app.block_on(app.inspect().queues());
    if (left.empty() || left[0].count(errand::state::ready) != tasks)
        fail("not all of the tasks wait behind their limits");
    return result{}.set("tasks", static_cast<double>(tasks));
}

}  // namespace load
