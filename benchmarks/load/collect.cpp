// Items that are gathered into runs: from the start of a worker until the last of them has been in one.
#include "submitting.hpp"

namespace load {

// Does nothing, with a hundred at a time.
struct gathered_nop {
    errand::awaitable<void> perform(std::vector<item> all);
};

namespace {

std::atomic<std::uint64_t> runs{0};

}  // namespace

errand::awaitable<void> gathered_nop::perform(std::vector<item> all) {
    ++runs;
    for (const auto& one : all) executed(one.id);
    co_return;
}

}  // namespace load

ERRAND_HANDLER(load::gathered_nop, .name = "gathered_nop",
               .collect = errand::collect_rule{.max_size = 100,
                                               .max_wait = std::chrono::seconds{10},
                                               .grace = std::chrono::milliseconds{100}})

namespace load {

result collect(const arguments& how) {
    const auto tasks = how.number("tasks", 100'000);
    auto settings = over_socket();
    settings.concurrency = how.number("concurrency", 100);
    count().expected = tasks;
    errand::app app{settings};
    connect(app);
    app.block_on(in_bulk(app.handler<gathered_nop>(), tasks, in_a_bulk));
    const auto from = reading::now();
    const auto began = now_ns();
    app.block_on(app.start());
    wait_for_all();
    app.block_on(app.stop());
    auto to = reading::now();
    check_all(tasks);
    to.seconds = from.seconds + static_cast<double>(count().done_ns - began) / 1e9;
    const auto each = static_cast<double>(tasks) / static_cast<double>(runs);
    if (tasks > 1 && each < 2) fail("the items were not gathered");
    return result{}.set(tasks, from, to).set("items_per_run", each);
}

}  // namespace load
