#include "tasks.hpp"

#include "measure.hpp"

#include <chrono>
#include <new>
#include <sys/mman.h>
#include <thread>

namespace load {

counters& count() {
    static counters& shared = *[] {
        void* memory =
            mmap(nullptr, sizeof(counters), PROT_READ | PROT_WRITE, MAP_SHARED | MAP_ANONYMOUS, -1, 0);
        if (memory == MAP_FAILED) fail("no memory to share");
        return new (memory) counters;
    }();
    return shared;
}

void executed(std::int64_t id) {
    auto& all = count();
    all.id_sum.fetch_add(static_cast<std::uint64_t>(id), std::memory_order_relaxed);
    if (all.executed.fetch_add(1, std::memory_order_acq_rel) + 1 == all.expected) all.done_ns = now_ns();
}

void wait_for_all() {
    using namespace std::chrono_literals;
    auto& all = count();
    std::uint64_t before = 0;
    auto last = std::chrono::steady_clock::now();
    while (all.executed < all.expected) {
        std::this_thread::sleep_for(500us);
        const auto now = std::chrono::steady_clock::now();
        if (all.executed != before) last = now;
        before = all.executed;
        if (now - last > 1min)
            fail("only " + std::to_string(before) + " of " + std::to_string(all.expected) +
                 " tasks were executed");
    }
}

void check_all(std::uint64_t tasks) {
    const auto& all = count();
    if (all.executed != tasks)
        fail(std::to_string(all.executed) + " executions of " + std::to_string(tasks) + " tasks");
    if (all.id_sum != tasks * (tasks + 1) / 2) fail("some task was executed twice and another not at all");
}

errand::awaitable<void> nop::perform(item what) {
    executed(what.id);
    co_return;
}

errand::awaitable<void> unique_nop::perform(item what) {
    executed(what.id);
    co_return;
}

std::string unique_nop::biz_id(const item& what) {
    return "order-" + std::to_string(10'000'000'000 + what.id);
}

errand::awaitable<std::int64_t> echo::perform(item what) {
    executed(what.id);
    co_return what.id;
}

errand::awaitable<std::int64_t> start_delay::perform(std::int64_t submitted_ns) {
    co_return now_ns() - submitted_ns;
}

}  // namespace load

ERRAND_DEFINE_HANDLER(load::nop)
ERRAND_DEFINE_HANDLER(load::unique_nop)
ERRAND_DEFINE_HANDLER(load::echo)
ERRAND_DEFINE_HANDLER(load::start_delay)
