// The quota of a namespace, and its figures, in the harness.
#include "testing/handlers.hpp"

#include <catch2/catch_test_macros.hpp>

using namespace harness_test;

TEST_CASE("a quota holds in the harness, and what was run leaves room also where no time has passed") {
    bench t;
    t.run(t.app().set_quota({.max_queued = 2}));
    const auto write = [&] { t.run(t.app().handler<write_line>().perform_async("a")); };
    write();
    write();
    CHECK_THROWS_AS(write(), errand::quota_exceeded);
    CHECK(t.drain() == 2);
    write();
    CHECK(t.drain() == 1);
}

TEST_CASE("the bucket of a quota fills by the clock of the harness") {
    bench t;
    t.run(t.app().set_quota({.submit_rate = errand::per_minute(2)}));
    const auto write = [&] { t.run(t.app().handler<write_line>().perform_async("a")); };
    write();
    write();
    try {
        write();
        FAIL("it was let through");
    } catch (const errand::quota_exceeded& e) {
        CHECK(e.retry_after() == 30s);
    }
    t.advance(29s);
    CHECK_THROWS_AS(write(), errand::quota_exceeded);
    t.advance(1s);
    write();
    CHECK_THROWS_AS(write(), errand::quota_exceeded);
}

TEST_CASE("what was run in the harness is seen in its figures, and what was revived has not waited") {
    bench t;
    const auto h = t.run(t.app().handler<write_line>().with({.max_retry = 0}).perform_async("a"));
    t.run(t.app().handler<write_line>().perform_in(1h, "b"));
    t.fail_next<write_line>(std::runtime_error{"no"}, 1);
    CHECK(t.drain() == 1);
    t.advance(30min);
    t.run(h.revive());
    CHECK(t.drain() == 1);
    const auto seen = t.run(t.app().inspect().figures());
    REQUIRE(seen.handlers.size() == 1);
    CHECK(seen.all.runs == 2);
    CHECK(seen.all.dead == 1);
    CHECK(seen.all.wait.count == 1);
    CHECK(seen.all.wait.most < 1s);
    CHECK(seen.backlog == 1);
    t.advance(90min);
    CHECK(t.run(t.app().inspect().figures()).all.runs == 1);
}
