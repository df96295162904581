// What is counted of events, and in how many series.
#include "core/task_meter.hpp"
#include "runtime/task_event.hpp"

#include <catch2/catch_test_macros.hpp>

#include <thread>
#include <vector>

using namespace std::chrono_literals;
using errand::attempt_outcome;
using errand::event;
using errand::event_kind;
using errand::task_meter;

namespace {

event attempt_event(event_kind kind, const std::string& queue, const std::string& handler) {
    const errand::time_point start{1'000'000ms};
    return {.kind = kind,
            .handler = handler,
            .queue = queue,
            .attempt = 1,
            .submitted_at = start - 10s,
            .started_at = start,
            .ended_at = start + 40ms,
            .text = "std::runtime_error: no route"};
}

std::uint64_t finished(const errand::handler_cells& cells, attempt_outcome how) {
    return cells.finished.at(static_cast<std::size_t>(how));
}

}  // namespace

TEST_CASE("the ends of attempts are counted by how, and their lengths by success and failure", "[metrics]") {
    task_meter meter;
    using enum event_kind;
    for (const auto kind : {task_succeeded, task_succeeded, task_retrying, task_dead, task_snoozed,
                            task_given_back, task_cancelled, lease_lost})
        meter.count(brief_of(attempt_event(kind, "q", "h")));
    const auto all = meter.sum();
    REQUIRE(all.handlers.size() == 1);
    const auto& cells = all.handlers.at({"q", "h"});
    CHECK(finished(cells, attempt_outcome::success) == 2);
    for (const auto how : {attempt_outcome::retry, attempt_outcome::dead, attempt_outcome::snoozed,
                           attempt_outcome::given_back, attempt_outcome::cancelled, attempt_outcome::lost})
        CHECK(finished(cells, how) == 1);
    CHECK(cells.ran_well.count() == 2);
    CHECK(cells.failed.count() == 2);
    CHECK(cells.failed.sum == 0.08);
    CHECK(cells.whole.count() == 3);
    CHECK(all.errors.at({"h", "std::runtime_error"}) == 2);
}

TEST_CASE("what ends without having been started here is no attempt", "[metrics]") {
    task_meter meter;
    auto one = attempt_event(event_kind::task_given_back, "q", "h");
    one.started_at.reset();
    meter.count(brief_of(one));
    CHECK(meter.sum().handlers.empty());
}

TEST_CASE("a clock that was set back makes no negative length", "[metrics]") {
    task_meter meter;
    auto one = attempt_event(event_kind::task_succeeded, "q", "h");
    one.ended_at = *one.started_at - 1h;
    meter.count(brief_of(one));
    CHECK(meter.sum().handlers.at({"q", "h"}).ran_well.sum == 0);
}

TEST_CASE("of more names than are kept apart the others are counted together", "[metrics]") {
    task_meter meter;
    constexpr std::size_t many = 1000;
    for (std::size_t i = 0; i < many; ++i) {
        const auto name = std::to_string(i);
        auto one = attempt_event(event_kind::task_retrying, "q" + name, "h" + name);
        one.text = "error" + name + ": x";
        meter.count(brief_of(one));
        one.kind = event_kind::task_recovered;
        meter.count(brief_of(one));
    }
    // Those that are kept apart stay so, on whatever thread.
    std::thread{[&] { meter.count(brief_of(attempt_event(event_kind::task_retrying, "q0", "h0"))); }}.join();
    const auto all = meter.sum();
    CHECK(all.handlers.size() == task_meter::most_handlers + 1);
    CHECK(finished(all.handlers.at({"_other", "_other"}), attempt_outcome::retry) ==
          many - task_meter::most_handlers);
    CHECK(finished(all.handlers.at({"q0", "h0"}), attempt_outcome::retry) == 2);
    CHECK(all.queues.size() == task_meter::most_queues + 1);
    CHECK(all.queues.at("_other").recovered == many - task_meter::most_queues);
    CHECK(all.errors.size() == task_meter::most_errors + 1);
    CHECK(all.refused ==
          3 * many + 1 - task_meter::most_handlers - task_meter::most_queues - task_meter::most_errors);
}

TEST_CASE("what many threads count is all there", "[metrics]") {
    task_meter meter;
    std::vector<std::thread> threads;
    for (int n = 0; n < 20; ++n) {
        threads.emplace_back([&] {
            for (int i = 0; i < 500; ++i)
                meter.count(brief_of(attempt_event(event_kind::task_succeeded, "q", "h")));
        });
    }
    for (auto& one : threads) one.join();
    CHECK(finished(meter.sum().handlers.at({"q", "h"}), attempt_outcome::success) == 10'000);
}

TEST_CASE("events that nobody wants are not made", "[metrics]") {
    errand::event_stream stream;
    int heard = 0;
    stream.subscribe([&](const event&) { ++heard; }, task_meter::kinds());
    CHECK(stream.heard(event_kind::task_started));
    CHECK_FALSE(stream.heard(event_kind::task_claimed));
    CHECK_FALSE(stream.heard(event_kind::report_accepted));
    stream.publish({.kind = event_kind::report_accepted});
    CHECK(heard == 0);
    stream.publish({.kind = event_kind::task_started});
    CHECK(heard == 1);
}

TEST_CASE("what is only counted needs no event, and what is published is counted too", "[metrics]") {
    errand::event_stream stream;
    const errand::event_stream of_another{stream, "another"};
    task_meter meter;
    stream.count_by(meter, task_meter::kinds());
    CHECK(of_another.heard(event_kind::task_started));
    CHECK_FALSE(of_another.listened(event_kind::task_started));
    CHECK_FALSE(stream.heard(event_kind::task_claimed));
    of_another.count({.kind = event_kind::task_submitted, .queue = "q", .handler = "h"});
    stream.count({.kind = event_kind::task_claimed, .queue = "q", .handler = "h"});
    stream.publish(attempt_event(event_kind::task_dead, "q", "h"));
    int heard = 0;
    stream.subscribe([&](const event&) { ++heard; }, errand::event_stream::kind_bit(event_kind::task_dead));
    CHECK(stream.listened(event_kind::task_dead));
    stream.publish(attempt_event(event_kind::task_dead, "q", "h"));
    stream.publish(attempt_event(event_kind::task_started, "q", "h"));
    CHECK(heard == 1);
    const auto all = meter.sum();
    const auto& cells = all.handlers.at({"q", "h"});
    CHECK(cells.submitted.front() == 1);
    CHECK(cells.started == 1);
    CHECK(finished(cells, attempt_outcome::dead) == 2);
    CHECK(all.errors.at({"h", "std::runtime_error"}) == 2);
}

TEST_CASE("of many submissions those that are alike are counted at once, and each of them", "[metrics]") {
    struct counting final : errand::event_counter {
        std::vector<errand::event_brief> told;
        void count(const errand::event_brief& what) noexcept override { told.push_back(what); }
    } counter;
    std::vector<errand::submission_item> items;
    for (const auto* name : {"a", "a", "b", "b", "a"}) {
        errand::task_body body;
        body.handler = name;
        auto& one = items.emplace_back();
        one.body = errand::encode(body);
        one.queue = "q";
    }
    errand::event_stream stream;
    stream.count_by(counter, task_meter::kinds());
    task_meter meter;
    {
        errand::submission_counts counts{stream};
        for (const auto& one : items) counts.add(event_kind::task_submitted, one);
        counts.add(event_kind::task_duplicate, items.back());
    }
    REQUIRE(counter.told.size() == 4);
    for (const auto& one : counter.told) meter.count(one);
    const auto all = meter.sum();
    CHECK(all.handlers.at({"q", "a"}).submitted == std::array<std::uint64_t, 3>{3, 1, 0});
    CHECK(all.handlers.at({"q", "b"}).submitted == std::array<std::uint64_t, 3>{2, 0, 0});
}

TEST_CASE("of queues and handlers that take turns each is counted as its own", "[metrics]") {
    task_meter meter;
    for (int n = 0; n < 30; ++n) {
        const auto queue = "q" + std::to_string(n % 3), handler = "h" + std::to_string(n % 2);
        meter.count(brief_of(attempt_event(event_kind::task_succeeded, queue, handler)));
        meter.count(brief_of(attempt_event(event_kind::task_recovered, queue, handler)));
    }
    const auto all = meter.sum();
    CHECK(all.handlers.size() == 6);
    for (const auto& [name, cells] : all.handlers) CHECK(finished(cells, attempt_outcome::success) == 5);
    CHECK(all.queues.size() == 3);
    for (const auto& [queue, cells] : all.queues) CHECK(cells.recovered == 10);
}
