// What a database's transaction submits is held against the quota of the namespace before it commits.
#include "outbox/database_core.hpp"
#include "runtime/outbox_port.hpp"
#include "shop.hpp"

#include <catch2/catch_test_macros.hpp>

using namespace std::chrono_literals;
using namespace committed;
using errand::quota_exceeded;
using errand::rate_limit;
using errand::test::eventually;
using errand::test::sql;
using errand::test::test_app;
using errand::test::test_database;

namespace {

struct till : shop {
    using shop::shop;
    // A note, and so many receipts.
    void commit(int receipts) {
        t.run(errand::transaction(*db, [&](auto& tx) -> errand::awaitable<void> {
            co_await tx.execute(sql("INSERT INTO note(id) VALUES(?)"), std::int64_t{count_of_notes++});
            for (int n = 0; n < receipts; ++n) co_await t.app.template handler<receipt>().perform_async(n);
        }));
    }
    std::int64_t queued() { return t.run(t.app.current_quota()).queued; }
    std::size_t relay() {
        t.run(db->execute("UPDATE errand_outbox SET written_at = written_at - 60000"));
        return t.run(db->core()->deliver_left_behind());
    }

    std::int64_t count_of_notes = 0;
};

}  // namespace

TEST_CASE("A transaction whose tasks the quota does not let through is rolled back", "[outbox]") {
    till s;
    s.t.run(s.t.app.set_quota({.max_queued = 2}));
    CHECK_THROWS_AS(s.commit(3), quota_exceeded);
    CHECK(s.count("note") == 0);
    CHECK(s.count("errand_outbox") == 0);
    s.commit(2);
    eventually([&] { return s.queued() == 2; });
    CHECK(s.count("note") == 1);
    CHECK_THROWS_AS(s.commit(1), quota_exceeded);
    s.commit(0);
    CHECK(s.count("note") == 2);
}

TEST_CASE("What a commit was let through for is not asked for again by its delivery", "[outbox]") {
    till s;
    s.t.run(s.t.app.set_quota({.submit_rate = rate_limit{3, 1h, 0}}));
    s.commit(3);
    eventually([&] { return s.queued() == 3; });
    eventually([&] { return s.count("errand_outbox") == 0; });
    CHECK_THROWS_AS(s.commit(1), quota_exceeded);
}

TEST_CASE(
    "A transaction that declares a schedule too many, or performs with too large arguments, is rolled back",
    "[outbox]") {
    till s;
    s.t.run(s.t.app.set_quota({.max_schedules = 0, .max_payload = 30}));
    CHECK_THROWS_AS(s.t.run(errand::transaction(*s.db,
                                                [&](auto&) -> errand::awaitable<void> {
                                                    co_await s.t.app.template handler<receipt>().every(1h, {},
                                                                                                       1);
                                                })),
                    quota_exceeded);
    CHECK_THROWS_AS(s.t.run(errand::transaction(*s.db,
                                                [&](auto&) -> errand::awaitable<void> {
                                                    co_await s.t.app.template handler<named>().perform_async(
                                                        std::string(40, 'x'));
                                                })),
                    quota_exceeded);
    CHECK(s.count("errand_outbox") == 0);
    s.commit(1);
}

TEST_CASE("What nobody has asked for waits in the outbox while the quota is used up",
          "[outbox][through_outbox]") {
    test_app tenant;
    tenant.run(tenant.app.set_quota({.max_queued = 2}));
    // It has not spoken with the store yet, so that its first commit does not know the quota.
    till s{tenant.app.settings()};
    s.commit(5);
    eventually([&] { return tenant.run(tenant.app.current_quota()).queued == 2; });
    eventually([&] { return s.count("errand_outbox") == 3; });
    CHECK(s.relay() == 0);
    CHECK(s.count("errand_outbox") == 3);
    tenant.run(tenant.app.set_quota({.max_queued = 4}));
    eventually([&] {
        s.relay();
        return s.count("errand_outbox") == 1;
    });
    tenant.run(tenant.app.clear_quota());
    eventually([&] {
        s.relay();
        return s.count("errand_outbox") == 0;
    });
    CHECK(s.queued() == 5);
}
