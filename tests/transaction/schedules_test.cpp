// A schedule is declared if and only if the transaction commits.
#include "core/schedule_record.hpp"
#include "outbox/database_core.hpp"
#include "outbox/entry.hpp"
#include "shop.hpp"

#include <catch2/catch_test_macros.hpp>
#include <catch2/matchers/catch_matchers_string.hpp>

using namespace std::chrono_literals;
using namespace committed;
using Catch::Matchers::ContainsSubstring;
using errand::schedule_state;
using errand::test::eventually;
using errand::test::sql;
using errand::test::test_app;
using errand::test::test_database;

namespace {

struct timetable : shop {
    auto hourly(std::string key, std::int64_t order = 1) {
        return t.app.handler<receipt>().every(1h, {.key = std::move(key), .mode = errand::fixed_rate}, order);
    }
    bool knows(const std::string& id) { return t.run(t.app.find_schedule(id)).has_value(); }
    errand::schedule_info info(const std::string& id) {
        return t.run(t.run(t.app.find_schedule(id)).value().info());
    }

    // As a process leaves it that died after its commit.
    void leave_behind(errand::schedule_record declared, errand::time_point committed) {
        declared.declared_at = committed;
        errand::outbox_entry entry{.batch = errand::to_text(errand::new_task_id(1))};
        entry.schedule = errand::encode(declared);
        std::vector<errand::sql::value> row;
        const auto core = db->core();
        errand::append_row(row, core->name_space(), entry);
        t.run(core->run_alone(core->statements().insert(1), std::move(row)));
        t.run(db->execute("UPDATE errand_outbox SET written_at = written_at - 60000"));
    }
    std::size_t relay() { return t.run(db->core()->deliver_left_behind()); }
};

errand::schedule_record every_hour() {
    errand::schedule_record record;
    record.identity = record.run.handler = "of another program";
    record.key = "k";
    record.run.queue = "default";
    record.run.args = R"(["ä"])";
    record.timing = {.interval = 1h, .mode = errand::fixed_rate};
    return record;
}

errand::time_point now() {
    return std::chrono::time_point_cast<errand::duration>(std::chrono::system_clock::now());
}

}  // namespace

TEST_CASE("A schedule is declared when its transaction commits, by the id that it had before", "[outbox]") {
    timetable s;
    std::string id;
    s.t.run(errand::transaction(*s.db, [&](auto& tx) -> errand::awaitable<void> {
        co_await s.t.app.template handler<receipt>().perform_async(1);
        id = (co_await s.hourly("k")).id();
        co_await tx.execute(sql("INSERT INTO note(id, text) VALUES(?, ?)"), 1, "note");
        // Of one that is declared twice the last declaration counts.
        CHECK((co_await s.hourly("k", 7)).id() == id);
        co_await s.hourly("other");
    }));
    CHECK(s.count("note") == 1);
    eventually([&] { return s.knows(id); });
    // Each declaration is delivered by itself.
    eventually([&] { return s.info(id).args == boost::json::array{7}; });
    const auto found = s.info(id);
    CHECK(found.state == schedule_state::active);
    CHECK(found.key == "k");
    eventually([&] { return s.t.run(s.t.app.schedules()).schedules.size() == 2; });
    eventually([&] { return s.count("errand_outbox") == 0; });
}

TEST_CASE("No schedule is declared by a transaction that rolls back, or by an inner one", "[outbox]") {
    timetable s;
    CHECK_THROWS_AS(s.t.run(errand::transaction(*s.db,
                                                [&](auto&) -> errand::awaitable<void> {
                                                    co_await s.hourly("k");
                                                    throw rollback{"no"};
                                                })),
                    rollback);
    CHECK(s.count("errand_outbox") == 0);
    std::string kept;
    s.t.run(errand::transaction(*s.db, [&](auto&) -> errand::awaitable<void> {
        try {
            co_await errand::transaction(*s.db, [&](auto&) -> errand::awaitable<void> {
                co_await s.hourly("inner");
                throw rollback{"inner"};
            });
        } catch (const rollback&) {
        }
        co_await errand::transaction(*s.db, [&](auto&) -> errand::awaitable<void> {
            kept = (co_await s.hourly("kept")).id();
        });
    }));
    eventually([&] { return s.knows(kept); });
    CHECK(s.t.run(s.t.app.schedules()).schedules.size() == 1);
}

TEST_CASE("A bad declaration under a transaction is refused by the call, and rolls back", "[outbox]") {
    timetable s;
    CHECK_THROWS_WITH(s.t.run(errand::transaction(*s.db,
                                                  [&](auto& tx) -> errand::awaitable<void> {
                                                      co_await tx.execute("INSERT INTO note(id) VALUES(1)");
                                                      const auto receipts =
                                                          s.t.app.template handler<receipt>();
                                                      co_await receipts.cron("0 0 30 2 *", {}, 1);
                                                  })),
                      ContainsSubstring("never comes"));
    CHECK(s.count("note") == 0);
    CHECK(s.t.run(s.t.app.schedules()).schedules.empty());
}

TEST_CASE("The relay declares what was left behind, and nothing that was declared or cancelled since",
          "[outbox][through_outbox]") {
    timetable s;
    const auto declared = every_hour();
    const auto id = errand::to_text(errand::derive_schedule_id(declared.identity, declared.key));
    const auto committed = now();
    s.leave_behind(declared, committed);
    CHECK(s.relay() == 1);
    CHECK(s.count("errand_outbox") == 0);
    CHECK(s.info(id).args == boost::json::array{"ä"});
    // Delivered, and not struck off before its process died.
    CHECK(s.t.run(s.t.run(s.t.app.find_schedule(id))->cancel()));
    s.leave_behind(declared, committed);
    CHECK(s.relay() == 1);
    CHECK(s.info(id).state == schedule_state::cancelled);
    auto later = every_hour();
    later.run.args = "[2]";
    s.leave_behind(later, now() + 1h);
    CHECK(s.relay() == 1);
    CHECK(s.info(id).state == schedule_state::active);
    s.leave_behind(declared, now());
    CHECK(s.relay() == 1);
    CHECK(s.info(id).args == boost::json::array{2});
}

TEST_CASE("A declaration that this machine cannot make stays in the outbox for another one",
          "[outbox][through_outbox]") {
    timetable s;
    auto elsewhere = every_hour();
    elsewhere.key = "zoned";
    elsewhere.timing = {.cron = "0 8 * * *", .timezone = "Mars/Base"};
    s.leave_behind(elsewhere, now());
    s.leave_behind(every_hour(), now());
    CHECK(s.relay() == 1);
    CHECK(s.relay() == 0);
    CHECK(s.count("errand_outbox") == 1);
}
