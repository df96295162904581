// What is set of handlers at run time, in the harness.
#include "testing/handlers.hpp"

#include <catch2/catch_test_macros.hpp>

using namespace harness_test;

TEST_CASE("tasks of a handler that is paused in the harness run once it is no longer") {
    bench t;
    t.run(t.app().configure("write_line", {.paused = true}));
    const auto first = t.run(t.app().handler<write_line>().perform_async("a"));
    const auto later = t.run(t.app().handler<write_line>().perform_in(1h, "b"));
    CHECK(t.drain() == 0);
    CHECK(t.advance(2h) == 0);
    CHECK(t.run(first.info()).state == state::delayed);
    CHECK(t.lines.lines.empty());
    t.run(t.app().configure("write_line", {}));
    CHECK(t.drain() == 2);
    CHECK(t.run(first.info()).state == state::success);
    CHECK(t.run(later.info()).attempt == 1);
}

TEST_CASE("retries and delays that are set are kept to by the clock of the harness") {
    bench t;
    t.run(t.app().configure("refuse", {.max_retry = 2, .backoff = errand::backoff::uniform(10min)}));
    const auto h = t.run(t.app().handler<refuse>().perform_async());
    CHECK(t.drain() == 1);
    CHECK(t.advance(9min) == 0);
    CHECK(t.advance(1min) == 1);
    CHECK(t.run(h.info()).state == state::retry);
    t.run(t.app().configure("refuse", {.max_retry = 1}));
    CHECK(t.advance(10min) == 1);
    CHECK(t.run(h.info()).state == state::dead);
}
