// Workers killed, frozen and asked to stop in the middle of tasks.
#include "fault/fleet.hpp"

#include <catch2/catch_test_macros.hpp>

#include <algorithm>
#include <ranges>
#include <signal.h>

using namespace fault_test;
using errand::state;
using errand::test::program;

namespace {

// How long until all of these tasks of a dead worker have been started again. The store may have accepted the
// end of one of which the worker did not live to hear.
double seconds_until_taken_over(journal& book, errand::app& app, std::set<std::string> left) {
    const auto begin = std::chrono::steady_clock::now();
    const auto known = static_cast<std::ptrdiff_t>(book.entries().size());
    eventually([&] {
        for (const auto& one : book.entries() | std::views::drop(known)) {
            if (one.what == "started") left.erase(one.task);
        }
        std::erase_if(left,
                      [&](const auto& id) { return app.block_on(app.find(id))->state == state::success; });
        return left.empty();
    });
    return std::chrono::duration<double>(std::chrono::steady_clock::now() - begin).count();
}

std::string text_of(double seconds) { return std::to_string(seconds).substr(0, 4); }

}  // namespace

TEST_CASE("a worker killed in the middle of tasks loses none", "[any_store]") {
    fleet all;
    for (int i = 0; i < 3; ++i) all.worker({{"ERRAND_LEASE", "1s"}, {"ERRAND_CONCURRENCY", "10"}});
    errand::app app{all.settings()};
    const auto handles = submit(app, 0, 3000, 50ms);
    std::set<pid_t> killed;
    std::set<std::string> interrupted;
    double taken_over = 0;
    for (std::size_t victim = 0; victim < 2; ++victim) {
        auto& worker = *all.workers[victim];
        eventually([&] {
            return all.book.count("success", worker.pid()) >= 20 &&
                   !all.book.in_the_middle(worker.pid()).empty();
        });
        worker.kill();
        killed.insert(worker.pid());
        const auto middle = all.book.in_the_middle(worker.pid());
        interrupted.insert(middle.begin(), middle.end());
        if (victim == 1) taken_over = seconds_until_taken_over(all.book, app, middle);
    }
    const auto counts = all.audit(app, handles, killed);
    CHECK(interrupted.size() > 0);
    CHECK(counts.executions > counts.accepted);
    counts.print("killed workers", std::to_string(interrupted.size()) + " interrupted, taken over after " +
                                       text_of(taken_over) + " s (lease 1 s)");
}

TEST_CASE("a worker frozen for longer than its lease has its late result refused, the other's stands",
          "[any_store]") {
    fleet all;
    // A busy machine starts the twentieth before the first has ended, and loses no lease.
    auto& slow = all.worker({{"ERRAND_LEASE", "5s"}});
    errand::app app{all.settings()};
    const auto handles = submit(app, 0, 20, 6s, false);
    eventually([&] { return all.book.in_the_middle(slow.pid()).size() == 20; });
    all.freeze(slow);
    auto& other = all.worker({{"ERRAND_LEASE", "30s"}});
    eventually([&] { return all.book.count("success", other.pid()) == 20; });
    slow.signal(SIGCONT);
    // What it hears is another's before its own end is reported it does not report.
    eventually([&] {
        std::set<std::string> turned_away;
        for (const auto& one : all.book.entries()) {
            const bool its = one.what == "refused" || one.what == "withdrawn";
            if (its && one.pid == slow.pid()) turned_away.insert(one.task);
        }
        return turned_away.size() == 20;
    });
    const auto counts = all.audit(app, handles);
    for (const auto& one : handles) {
        CHECK(app.block_on(one).pid == other.pid());
        const auto info = app.block_on(one.info());
        CHECK(info.attempt == 2);
        REQUIRE(info.errors.size() == 1);
        CHECK(info.errors[0].type == "errand::lease_lost");
    }
    counts.print("frozen worker", "20 refused");
}

TEST_CASE("a worker that is asked to stop ends what it can and gives the rest back without an attempt",
          "[any_store]") {
    fleet all;
    auto& leaving = all.worker(
        {{"ERRAND_LEASE", "30s"}, {"ERRAND_SHUTDOWN_GRACE", "500ms"}, {"ERRAND_CONCURRENCY", "40"}});
    errand::app app{all.settings()};
    auto handles = submit(app, 0, 30, 50ms);
    const auto longer = submit(app, 30, 30, 3s);
    handles.insert(handles.end(), longer.begin(), longer.end());
    eventually([&] {
        const auto middle = all.book.in_the_middle(leaving.pid());
        return std::ranges::any_of(longer, [&](const auto& one) { return middle.contains(one.id()); });
    });
    leaving.signal(SIGTERM);
    eventually([&] { return leaving.ended().has_value(); });
    CHECK(leaving.ended() == 0);
    CHECK(all.book.in_the_middle(leaving.pid()).empty());
    for (const auto& one : handles) {
        const auto info = app.block_on(one.info());
        CHECK((info.state == state::success || info.state == state::ready));
        CHECK(info.errors.empty());
    }
    CHECK(all.book.count("given_back") > 0);
    CHECK(all.book.count("refused") == 0);
    all.worker({{"ERRAND_LEASE", "30s"}});
    const auto counts = all.audit(app, handles);
    for (const auto& one : handles) CHECK(app.block_on(one).attempt == 1);
    counts.print("stopped worker", std::to_string(all.book.count("given_back")) + " given back");
}
