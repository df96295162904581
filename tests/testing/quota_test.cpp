// The quota of a namespace, in the harness.
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
