#include "testing/handlers.hpp"

#include <catch2/catch_test_macros.hpp>
#include <catch2/matchers/catch_matchers_string.hpp>

using namespace harness_test;
using Catch::Matchers::ContainsSubstring;
using errand::testing::harness_options;
using lines = std::vector<std::string>;

namespace {

// When each attempt of a task that always fails was made, from its submission on.
std::vector<errand::duration> attempts_of(std::uint64_t seed) {
    bench t{harness_options{.seed = seed}};
    const auto begin = t.now();
    const auto h = t.run(t.app().handler<refuse>().perform_async());
    t.drain();
    t.advance(30 * 24h);
    std::vector<errand::duration> all;
    for (const auto& one : t.run(h.info()).errors) all.push_back(one.at - begin);
    return all;
}

}  // namespace

TEST_CASE("twenty days of backoff pass in milliseconds, and end as the policy says") {
    bench t;
    refuse::last_words.clear();
    const auto h = t.run(t.app().handler<refuse>().perform_async());
    CHECK(t.drain() == 1);
    CHECK(t.run(h.info()).state == state::retry);
    CHECK(t.advance(30 * 24h) == 25);
    const auto info = t.run(h.info());
    CHECK(info.state == state::dead);
    CHECK(info.attempt == 26);
    CHECK(*info.finished_at - *info.submitted_at > 20 * 24h);
    CHECK(*info.finished_at - *info.submitted_at < 22 * 24h);
    CHECK(t.lines.lines.size() == 26);
    CHECK(refuse::last_words == "no route to host");
}

TEST_CASE("awaiting a task moves the clock through all its retries") {
    bench t;
    const auto begin = t.now();
    CHECK_THROWS_AS(t.run(t.run(t.app().handler<refuse>().perform_async())), errand::task_failed);
    CHECK(t.now() - begin > 20 * 24h);
}

TEST_CASE("retries come at the same times with the same seed, and at others with another") {
    const auto times = attempts_of(7);
    CHECK(times.size() == 25);  // the newest are kept
    CHECK(times == attempts_of(7));
    CHECK(times != attempts_of(8));
}

TEST_CASE("delayed tasks run by due time, then in the order of their submission") {
    bench t;
    const auto here = t.app().handler<write_line>();
    const auto there = t.app().handler<write_aside>();
    t.run(here.perform_in(2h, "third"));
    t.run(here.with({.biz_id = "b"}).perform_in(1h, "first"));
    t.run(there.perform_in(1h, "second"));
    t.run(here.with({.biz_id = "a"}).perform_at(t.now() + 2h, "fourth"));
    t.run(there.with({.biz_id = "c"}).perform_in(2h, "fifth"));
    CHECK(t.drain() == 0);
    CHECK(t.advance(2h) == 5);
    CHECK(t.lines.lines == lines{"first", "second", "third", "fourth", "fifth"});
}

TEST_CASE("the clock stops at each time at which a task falls due, and ends where it was to go") {
    bench t;
    const auto begin = t.now();
    const auto a = t.run(t.app().handler<write_line>().perform_in(1h, "a"));
    const auto b = t.run(t.app().handler<write_line>().perform_in(90min, "b"));
    t.advance(24h);
    CHECK(t.now() == begin + 24h);
    CHECK(t.run(a.info()).started_at == begin + 1h);
    CHECK(t.run(b.info()).finished_at == begin + 90min);
}

TEST_CASE("nothing runs before its time") {
    bench t;
    t.run(t.app().handler<write_line>().perform_in(1h, "a"));
    CHECK(t.advance(1h - 1ms) == 0);
    CHECK(t.advance(1ms) == 1);
}

TEST_CASE("awaiting a delayed task moves the clock to it and no further") {
    bench t;
    const auto begin = t.now();
    t.run(t.app().handler<write_line>().perform_in(2h, "later"));
    CHECK(t.run(t.run(t.app().handler<write_line>().perform_in(1h, "a"))) == "a");
    CHECK(t.now() == begin + 1h);
    CHECK(t.pending<write_line>().size() == 1);
}

TEST_CASE("the clock moves forward only") {
    harness t;
    CHECK_THROWS_AS(t.advance(-1ms), errand::usage_error);
    CHECK_THROWS_AS(t.advance(std::chrono::days{40'000}), errand::usage_error);
}

TEST_CASE("a task that asks for it runs again later, with no attempt used") {
    bench t;
    const auto begin = t.now();
    const auto h = t.run(t.app().handler<nap>().perform_async(2));
    CHECK(t.run(h) == 1);
    CHECK(t.lines.lines == lines{"attempt 1", "attempt 1", "attempt 1"});
    CHECK(t.now() == begin + 2h);
}

TEST_CASE("a task that was not started in time expires") {
    bench t;
    const auto handler = t.app().handler<write_line>();
    const auto h =
        t.run(handler.with({.expires_after = 1h, .after = {handler.ref("never")}}).perform_async("a"));
    t.advance(1h - 1ms);
    CHECK(t.run(h.info()).state == state::waiting);
    t.advance(2ms);
    CHECK(t.run(h.info()).state == state::expired);
    CHECK(t.finished<write_line>().size() == 1);
}

TEST_CASE("a biz_id is held for as long as the policy says, by the clock of the harness") {
    bench t;
    const auto receipts = t.app().handler<send_receipt>();
    t.run(receipts.perform_async(order{"o-1", 1, {}}));
    t.drain();
    CHECK(t.run(receipts.perform_async(order{"o-1", 1, {}})).duplicate());
    t.advance(181 * 24h);
    CHECK(t.finished<send_receipt>().empty());
    CHECK_FALSE(t.run(receipts.perform_async(order{"o-1", 1, {}})).duplicate());
    CHECK(t.drain() == 1);
}

TEST_CASE("a timeout passes by the clock when a handler waits for a task that comes later") {
    bench t;
    const auto begin = t.now();
    const auto later = t.run(t.app().handler<write_line>().perform_in(1h, "a"));
    const auto h = t.run(t.app().handler<wait_for>().perform_async(later.id()));
    t.drain();
    t.advance(30min);
    const auto info = t.run(h.info());
    CHECK(info.state == state::dead);
    CHECK(info.finished_at == begin + 30min);
    CHECK_THAT(info.errors.back().message, ContainsSubstring("timed out"));
    CHECK(t.advance(30min) == 1);
}

TEST_CASE("what a handler awaits of its own is waited for in real time, while the clock stands still") {
    bench t;
    const auto begin = t.now();
    t.run(t.app().handler<dawdle>().perform_async(5ms));
    CHECK(t.drain() == 1);
    CHECK(t.lines.lines == lines{"begun", "over"});
    CHECK(t.now() == begin);
}

TEST_CASE("a handler sees its deadline by the clock of the harness") {
    bench t{harness_options{.begin = errand::time_point{1000s}}};
    errand::time_point seen{};
    t.app().around_perform([&](errand::task_context& task,
                               errand::next_step next) -> errand::awaitable<void> {
        seen = task.deadline();
        co_await next();
    });
    t.run(t.app().handler<dawdle>().perform_async(0ms));
    t.drain();
    CHECK(seen == errand::time_point{1000s + 10min});
}

TEST_CASE("a result is there for who waited, and gone when its retention is over") {
    bench t;
    const auto h =
        t.run(t.app().handler<write_line>().with({.delay = 1h, .retention = 1ms}).perform_async("brief"));
    CHECK_THROWS_AS(t.run(h.result(0s)), errand::timed_out);
    CHECK_NOTHROW(t.run(h));
    CHECK_NOTHROW(t.run(h.result(0s)));
    t.advance(1ms);
    CHECK_THROWS_AS(t.run(h), errand::result_gone);
    CHECK_THROWS_AS(t.run(h.result(0s)), errand::result_gone);
    CHECK_THROWS_AS(t.run(h.info()), errand::result_gone);
    CHECK_FALSE(t.run(t.app().find(h.id())));
}

TEST_CASE("a task of an unknown handler stands aside until its time to start is over") {
    bench t;
    const auto stays = t.run(t.app().perform("from.another.program", {}));
    const auto expires = t.run(t.app().perform("from.another.program", {}, {.expires_after = 2h}));
    t.drain();
    CHECK(t.run(stays.info()).state == state::delayed);
    CHECK(t.run(expires.info()).state == state::delayed);
    CHECK(t.advance(3h) == 0);
    CHECK(t.run(stays.info()).state == state::delayed);
    CHECK(t.run(expires.info()).state == state::expired);
}
