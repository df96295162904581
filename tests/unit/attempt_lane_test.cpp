// What a thread counts in a lane of its own is what the meter would have counted.
#include "core/task_meter.hpp"
#include "worker/attempt_counts.hpp"

#include <catch2/catch_approx.hpp>
#include <catch2/catch_test_macros.hpp>

#include <atomic>
#include <thread>
#include <vector>

using namespace std::chrono_literals;
using errand::attempt_outcome;
using errand::duration;
using errand::event_kind;
using errand::task_meter;

namespace {

constexpr auto success = static_cast<std::size_t>(attempt_outcome::success);

// The shortest and the longest of every bucket.
std::vector<duration> lengths_at_bounds() {
    std::vector<duration> all{-1h, -1ms, 0ms, duration::max()};
    const auto add = [&all](const auto& bounds) {
        for (const auto bound : bounds) {
            const duration at{static_cast<duration::rep>(bound * 1000 + 0.5)};
            for (const auto off : {-1ms, 0ms, 1ms}) all.push_back(at + off);
        }
    };
    add(errand::attempt_bounds);
    add(errand::task_bounds);
    return all;
}

void count_in_full(task_meter& by, duration waited, duration took, duration whole) {
    const errand::time_point start{1'000'000ms};
    by.count({.kind = event_kind::task_started, .queue = "q", .handler = "h", .waited = waited});
    by.count({.kind = event_kind::task_succeeded,
              .queue = "q",
              .handler = "h",
              .submitted_at = start + took - whole,
              .started_at = start,
              .ended_at = start + took});
}

}  // namespace

TEST_CASE("a lane counts each length in the bucket in which the meter counts it", "[metrics]") {
    for (const auto length : lengths_at_bounds()) {
        task_meter whole, lane;
        // Longer ones are of the same bucket, and time points do not reach so far.
        const auto shown = std::min<duration>(length, 10'000h);
        count_in_full(whole, shown, shown, shown);
        task_meter::lent_lane lent{lane};
        auto* const cells = lent.cells_of("q", "h");
        REQUIRE(cells);
        cells->start(length);
        cells->succeed(length, length);
        const auto expected = whole.sum().handlers.at({"q", "h"});
        const auto found = lane.sum();
        const auto& of = found.handlers.at({"q", "h"});
        INFO(length.count() << " ms");
        CHECK(of.started == 1);
        CHECK(of.finished == expected.finished);
        CHECK(of.ran_well.counts == expected.ran_well.counts);
        CHECK(of.whole.counts == expected.whole.counts);
        CHECK(found.queues.at("q").wait.counts == whole.sum().queues.at("q").wait.counts);
        if (shown != length) continue;
        CHECK(of.ran_well.sum == Catch::Approx(expected.ran_well.sum));
        CHECK(of.whole.sum == Catch::Approx(expected.whole.sum));
        CHECK(found.queues.at("q").wait.sum == Catch::Approx(whole.sum().queues.at("q").wait.sum));
    }
}

TEST_CASE("the sum of a queue's waits never falls, whatever else comes to be counted", "[metrics]") {
    // How far sums of fractions differ by their order is a matter of chance.
    for (int tenth = 1; tenth < 200; ++tenth) {
        task_meter meter;
        task_meter::lent_lane lane{meter};
        double last = 0;
        for (int i = 0; i < 40; ++i) {
            lane.cells_of("q", "handler" + std::to_string(i * tenth))
                ->start(i < 12 ? tenth * (100ms + i * 7ms) : 0ms);
            const auto now = meter.sum().queues.at("q").wait.sum;
            CHECK(now >= last);
            last = now;
        }
    }
}

TEST_CASE("a name that is not kept apart is known to be none", "[metrics]") {
    task_meter meter;
    std::vector<errand::known_handler> known(task_meter::most_handlers + 5);
    errand::attempt_counts counts{meter};
    for (std::size_t i = 0; i < known.size(); ++i) {
        known[i].name = "h" + std::to_string(i);
        for (int again = 0; again < 3; ++again)
            CHECK((counts.of(&known[i], "q", known[i].name) != nullptr) == (i < task_meter::most_handlers));
    }
    CHECK(meter.sum().handlers.size() == task_meter::most_handlers);
}

TEST_CASE("what is counted in lanes and beside them is one sum", "[metrics]") {
    task_meter meter;
    task_meter::lent_lane one{meter}, other{meter};
    one.cells_of("q", "h")->start(1s);
    one.cells_of("q", "h")->succeed(2s, 3s);
    other.cells_of("q", "h")->start(std::nullopt);
    count_in_full(meter, 4s, 5s, 9s);
    const auto all = meter.sum();
    const auto& cells = all.handlers.at({"q", "h"});
    CHECK(cells.started == 3);
    CHECK(cells.finished.at(success) == 2);
    CHECK(cells.ran_well.sum == 7);
    CHECK(cells.whole.sum == 12);
    CHECK(all.queues.at("q").wait.count() == 2);
    CHECK(all.queues.at("q").wait.sum == 5);
    CHECK(all.refused == 0);
}

TEST_CASE("a lane has no cells for names that are not kept apart", "[metrics]") {
    task_meter meter;
    task_meter::lent_lane lent{meter};
    constexpr auto many = task_meter::most_handlers;
    for (std::size_t i = 0; i < many; ++i) REQUIRE(lent.cells_of("q", std::to_string(i)));
    CHECK_FALSE(lent.cells_of("q", "one more"));
    CHECK(lent.cells_of("q", "0"));
    task_meter of_queues;
    task_meter::lent_lane another{of_queues};
    for (std::size_t i = 0; i < task_meter::most_queues; ++i)
        REQUIRE(another.cells_of(std::to_string(i), "h"));
    CHECK_FALSE(another.cells_of("one more", "h"));
    CHECK(another.cells_of("0", "h"));
}

TEST_CASE("what a lane has counted outlives who counted, and goes on under the next", "[metrics]") {
    task_meter meter;
    constexpr int threads = 5;
    errand::attempt_cells* first = nullptr;
    for (int n = 0; n < threads; ++n) {
        std::thread{[&] {
            task_meter::lent_lane lent{meter};
            auto* const cells = lent.cells_of("q", "h");
            if (!first) first = cells;
            CHECK(cells == first);
            cells->start(1ms);
        }}.join();
        CHECK(meter.sum().handlers.at({"q", "h"}).started == static_cast<std::uint64_t>(n) + 1);
    }
}

TEST_CASE("who reads while lanes count sees no more ends than starts, and at last all of them",
          "[metrics][concurrent]") {
    task_meter meter;
    constexpr std::uint64_t each = 1'000'000, many = 2;
    std::atomic<std::uint64_t> over{0};
    std::vector<std::thread> threads;
    for (std::uint64_t n = 0; n < many; ++n) {
        threads.emplace_back([&] {
            task_meter::lent_lane lent{meter};
            auto* const often = lent.cells_of("q", "often");
            auto* const seldom = lent.cells_of("q", "seldom");
            for (std::uint64_t i = 0; i < each; ++i) {
                auto* const cells = i % 100 == 0 ? seldom : often;
                cells->start(1ms);
                cells->succeed(1ms, 2ms);
            }
            ++over;
        });
    }
    bool in_order = true;
    while (over < many) {
        const auto all = meter.sum();
        for (const auto& [name, cells] : all.handlers)
            in_order = in_order && cells.finished.at(success) <= cells.started;
    }
    for (auto& one : threads) one.join();
    CHECK(in_order);
    std::uint64_t started = 0, ended = 0;
    const auto all = meter.sum();
    for (const auto& [name, cells] : all.handlers) {
        started += cells.started;
        ended += cells.finished.at(success);
    }
    CHECK(started == many * each);
    CHECK(ended == many * each);
}
