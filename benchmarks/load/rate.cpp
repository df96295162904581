// Starts under a rate, by several worker processes: how much of it is reached, and the least time into which one start more fell than it
// allows. By the handlers' own journal, and by the numbers of their claims, which are the store's time.
#include "submitting.hpp"

#include <algorithm>
#include <array>
#include <new>
#include <string>
#include <sys/mman.h>

namespace load {

// Writes down when it has started.
struct paced_nop {
    errand::awaitable<void> perform(item what);
};

namespace {

constexpr std::size_t most_starts = 100'000;
constexpr std::size_t starts_a_second = 20;

struct start {
    std::int64_t at = 0;           // ns
    std::uint64_t claimed_by = 0;  // us
};

// Where all worker processes see it.
struct start_journal {
    std::atomic<std::size_t> count{0};
    std::array<start, most_starts> all{};
};

start_journal& journal() {
    static start_journal& shared = *[] {
        void* memory =
            mmap(nullptr, sizeof(start_journal), PROT_READ | PROT_WRITE, MAP_SHARED | MAP_ANONYMOUS, -1, 0);
        if (memory == MAP_FAILED) fail("no memory to share");
        return new (memory) start_journal;
    }();
    return shared;
}

// The shortest time from a start to the one that is `starts_a_second` later, and how many took less than a second, in ms.
void set_windows(result& out, const std::string& name, std::vector<double> starts) {
    std::ranges::sort(starts);
    double least = 1e9, too_short = 0;
    for (std::size_t at = starts_a_second; at < starts.size(); ++at) {
        const auto took = starts[at] - starts[at - starts_a_second];
        least = std::min(least, took);
        if (took < 1000) ++too_short;
    }
    const auto seconds = (starts.back() - starts.front()) / 1000;
    out.set(name + "_per_s", static_cast<double>(starts.size() - 1) / seconds)
        .set(name + "_least_window_ms", least)
        .set(name + "_windows_with_more", too_short);
}

}  // namespace

errand::awaitable<void> paced_nop::perform(item what) {
    const auto now = now_ns();
    auto& self = co_await errand::this_task();
    auto& to = journal();
    to.all.at(to.count++) = {.at = now, .claimed_by = self.fence()};
    executed(what.id);
}

}  // namespace load

ERRAND_HANDLER(load::paced_nop, .name = "paced_nop", .rate = errand::per_second(20))

namespace load {

result rate(const arguments& how) {
    const auto tasks = std::min(how.number("tasks", 10'000), most_starts);
    if (tasks <= starts_a_second) fail("tasks: more than are allowed in a second");
    auto settings = over_socket();
    if (!is_shared(settings)) fail("worker processes share no memory of one of them");
    count().expected = tasks;
    journal();
    std::vector<worker_process> workers;
    for (std::size_t at = 0; at < how.number("workers", 3); ++at) workers.emplace_back(settings);
    {
        errand::app app{settings};
        connect(app);
        app.block_on(in_bulk(app.handler<paced_nop>(), tasks, 1000));
        wait_for_all();
    }
    for (auto& one : workers) one.stop();
    check_all(tasks);
    std::vector<double> starts, claims;
    for (std::size_t at = 0; at < tasks; ++at) {
        starts.push_back(static_cast<double>(journal().all.at(at).at) / 1e6);
        claims.push_back(static_cast<double>(journal().all.at(at).claimed_by) / 1e3);
    }
    result out;
    out.set("tasks", static_cast<double>(tasks));
    set_windows(out, "handlers", std::move(starts));
    set_windows(out, "claims", std::move(claims));
    return out;
}

}  // namespace load
