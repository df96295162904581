// Schedules that are due at once: from then until the last one has been fired.
#include "submitting.hpp"

#include <thread>

namespace load {

namespace {

using namespace std::chrono_literals;

// Its runs are made, and not worked off: that would be measured too.
constexpr const char* queue_of_nobody = "unserved";

std::size_t runs_made(errand::app& app) {
    for (const auto& one : app.block_on(app.inspect().queues())) {
        if (one.name == queue_of_nobody) return one.count(errand::state::ready);
    }
    return 0;
}

}  // namespace

result fire(const arguments& how) {
    const auto schedules = how.number("tasks", 1000);
    count().expected = 1;
    errand::app app{over_socket()};
    connect(app);
    const auto now = std::chrono::system_clock::now();
    const auto due = std::chrono::ceil<errand::duration>(now) + 500ms + std::chrono::milliseconds{schedules};
    const auto due_ns = now_ns() + std::chrono::nanoseconds{due - now}.count();
    app.block_on(from_callers(50, schedules, schedule_at<nop>(app, due, queue_of_nobody)));
    // The last one to be fired is worked off, which says when.
    app.block_on(schedule_at<nop>(app, due + 1ms, "default")(1));
    app.block_on(app.start());
    constexpr std::int64_t just_before = 10'000'000;
    if (now_ns() > due_ns - just_before)
        fail("not all schedules were declared when they fell due: fewer of them");
    std::this_thread::sleep_for(std::chrono::nanoseconds{due_ns - just_before - now_ns()});
    const auto from = reading::now();
    wait_for_all();
    app.block_on(app.stop());
    auto to = reading::now();
    if (runs_made(app) != schedules) fail("not every schedule made one run");
    to.seconds = from.seconds + static_cast<double>(count().done_ns - due_ns) / 1e9;
    return result{}.set(schedules, from, to);
}

}  // namespace load
