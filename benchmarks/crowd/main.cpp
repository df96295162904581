// Very many tasks in one state, and a worker for them. The store is ERRAND_STORE.
//   crowd fill SORT tasks=N [queues=N]   SORT: a row of `sorts`, below
//   crowd work                           until nothing is left that is ready, due or waiting
//   crowd scripts                        the scripts by the SHA-1 by which Redis's slow log names them
#include "common/measure.hpp"
#include "duty.hpp"
#include "store/redis/script_set.hpp"

#include <cstdio>
#include <cstring>
#include <functional>
#include <string>
#include <thread>

using namespace std::chrono_literals;
using bench::arguments;
using bench::fail;
using crowd::duty;
using crowd::mood;
using errand::state;

namespace {

using submission = std::function<errand::options(std::int64_t number)>;

struct sort {
    const char* name;
    submission how;
    mood then = mood::works;
    bool worked = false;  // a worker has its day before
};

const sort sorts[] = {
    {"ready", [](std::int64_t) { return errand::options{}; }},
    {"urgent", [](std::int64_t n) { return errand::options{.priority = static_cast<int>(1 + n % 9)}; }},
    {"delayed", [](std::int64_t) { return errand::options{.delay = 1h}; }},
    {"expiring", [](std::int64_t) { return errand::options{.expires_after = 1ms}; }},
    {"retry", [](std::int64_t) { return errand::options{}; }, mood::fails, true},
    {"dead", [](std::int64_t) { return errand::options{}; }, mood::dies, true},
    {"dead_named", [](std::int64_t n) { return errand::options{.biz_id = "order-" + std::to_string(n)}; },
     mood::dies, true},
    {"success", [](std::int64_t) { return errand::options{}; }, mood::works, true},
    {"staged", [](std::int64_t) { return errand::options{.headers = {{"staged", "1"}}}; }, mood::works, true},
};

constexpr std::size_t per_call = 1000;

void add_all(errand::app& app, std::size_t tasks, std::size_t queues, const submission& how) {
    const auto to = app.handler<duty>();
    for (std::size_t done = 0; done < tasks;) {
        errand::transaction_guard batch{app};
        for (std::size_t i = 0; i < per_call && done < tasks; ++i, ++done) {
            auto extra = how(static_cast<std::int64_t>(done));
            extra.queue = "crowd-" + std::to_string(done % queues);
            app.block_on(to.with(std::move(extra)).in(batch).perform_async(static_cast<std::int64_t>(done)));
        }
        app.block_on(batch.commit());
    }
}

// Half of them depend on the other half, one on one; or all on one.
void add_family(errand::app& app, std::size_t tasks, bool one_parent) {
    const auto to = app.handler<duty>();
    const auto parent = [&](std::size_t i) { return to.ref("parent-" + std::to_string(one_parent ? 0 : i)); };
    const auto children = one_parent ? tasks : tasks / 2;
    add_all(app, children, 1,
            [&](std::int64_t n) { return errand::options{.after = {parent(static_cast<std::size_t>(n))}}; });
    add_all(app, one_parent ? 1 : tasks - children, 1,
            [](std::int64_t n) { return errand::options{.biz_id = "parent-" + std::to_string(n)}; });
}

bool has_work(errand::app& app) {
    for (const auto& queue : app.block_on(app.inspect().queues())) {
        for (const auto open : {state::ready, state::working, state::waiting, state::delayed}) {
            if (queue.count(open) > 0) return true;
        }
        if (queue.count(state::dead) > app.settings().max_history) return true;
    }
    return false;
}

void work(errand::app& app) {
    app.block_on(app.start());
    while (has_work(app)) std::this_thread::sleep_for(20ms);
    app.block_on(app.stop());
}

void fill(errand::app& app, const std::string& what, const arguments& how) {
    const auto tasks = how.number("tasks", 100'000);
    const auto queues = how.number("queues", 1);
    if (what == "pairs" || what == "family") {
        add_family(app, tasks, what == "family");
        crowd::today = mood::dies;
        return work(app);
    }
    for (const auto& one : sorts) {
        if (what != one.name) continue;
        add_all(app, tasks, queues, one.how);
        crowd::today = one.then;
        if (one.worked) work(app);
        return;
    }
    fail("no such sort of tasks: " + what);
}

void name_scripts() {
    for (const auto& one : errand::redis::all_scripts())
        std::printf("%s %s\n", one.sha.c_str(), std::string{one.name}.c_str());
}

errand::config settings(const arguments& how) {
    auto from = errand::config::from_environment();
    from.queues.clear();
    for (std::size_t at = 0; at < how.number("queues", 4); ++at)
        from.queues["crowd-" + std::to_string(at)] = 1;
    from.max_history = how.number("max_history", from.max_history);
    return from;
}

}  // namespace

int main(int count, char** words) try {
    const std::string what = count > 1 ? words[1] : "";
    if (what == "scripts") {
        name_scripts();
    } else if (what == "fill" && count > 2) {
        const arguments how{count - 1, words + 1};
        errand::app app{settings(how)};
        fill(app, words[2], how);
    } else if (what == "work") {
        const arguments how{count, words};
        errand::app app{settings(how)};
        work(app);
    } else {
        fail("see the top of benchmarks/crowd/main.cpp");
    }
    return 0;
} catch (const std::exception& e) {
    std::fprintf(stderr, "crowd: %s\n", e.what());
    return 1;
}
