// Tasks of ten stages that do nothing: from the start of a worker until the last one has ended.
#include "submitting.hpp"

#include <array>

namespace load {

struct staged_nop {
    errand::awaitable<void> perform(item what);
};

namespace {

constexpr std::array stage_names{"first", "second",  "third",  "fourth", "fifth",
                                 "sixth", "seventh", "eighth", "ninth",  "tenth"};

std::atomic<std::uint64_t> stages_run{0};

errand::awaitable<void> nothing() {
    ++stages_run;
    co_return;
}

}  // namespace

errand::awaitable<void> staged_nop::perform(item what) {
    auto& self = co_await errand::this_task();
    for (const auto* name : stage_names) co_await self.stage(name, [] { return nothing(); });
    executed(what.id);
}

}  // namespace load

ERRAND_HANDLER(load::staged_nop, .name = "staged_nop")

namespace load {

result stages(const arguments& how) {
    const auto tasks = how.number("tasks", 20'000);
    auto settings = over_socket();
    settings.concurrency = how.number("concurrency", 100);
    count().expected = tasks;
    errand::app app{settings};
    app.block_on(in_bulk(app.handler<staged_nop>(), tasks, in_a_bulk));
    const auto from = reading::now();
    app.block_on(app.start());
    wait_for_all();
    app.block_on(app.stop());
    check_all(tasks);
    if (stages_run != tasks * stage_names.size()) fail("not each stage of each task was run once");
    return result{}.set(tasks, from, reading::now());
}

}  // namespace load
