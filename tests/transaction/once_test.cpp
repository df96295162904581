// What a task does once, however often it runs.
#include "outbox/database_core.hpp"
#include "shop.hpp"

#include <catch2/catch_test_macros.hpp>

using namespace committed;

TEST_CASE("once() lets an effect happen once although the task runs again", "[outbox]") {
    shop s;
    s.where.fail_after_commit = 2;
    s.t.start();
    const auto h = s.t.run(s.t.app.handler<write_once>().perform_async(1));
    CHECK_FALSE(s.t.wait(h));
    CHECK(s.t.info(h).attempt == 3);
    CHECK(s.count("note") == 1);
    CHECK(s.count("errand_inbox") == 1);
    // What has ended and is over goes.
    s.t.run(s.db->execute("UPDATE errand_inbox SET expires_at = 0"));
    CHECK(s.t.run(s.db->core()->clean_effects()) == 1);
    CHECK(s.count("errand_inbox") == 0);
}

TEST_CASE("once() still knows the effect of a task that is revived late in its retention", "[outbox]") {
    shop s;
    s.where.fail_after_commit = 1;
    s.t.start();
    const auto h = s.t.run(s.t.app.handler<write_once>().with({.max_retry = 0}).perform_async(1));
    CHECK_THROWS_AS(s.t.wait(h), errand::task_failed);
    CHECK(s.count("note") == 1);
    s.t.run(s.db->execute("UPDATE errand_inbox SET expires_at = 0"));
    CHECK(s.t.run(s.db->core()->clean_effects()) == 1);
    CHECK(s.count("errand_inbox") == 1);
    CHECK(s.t.run(s.db->core()->clean_effects()) == 0);
    CHECK(s.t.run(h.revive()));
    CHECK_FALSE(s.t.wait(h));
    CHECK(s.count("note") == 1);
}
