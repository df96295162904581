// Transactions whose tasks have a biz_id, while the store gives no answer.
#include "handlers.hpp"
#include "outbox/database_core.hpp"
#include "store/shards/routes.hpp"
#include "support/database_fixture.hpp"
#include "support/test_app.hpp"

#include <catch2/catch_test_macros.hpp>

#include <vector>

using namespace std::chrono_literals;
using namespace committed;
using errand::test::sql;
using errand::test::test_app;
using errand::test::test_database;

namespace {

using named_handle = errand::handle<std::string>;

errand::config patient_settings(const errand::test::redis_server& server) {
    auto settings = errand::test::fresh_settings();
    settings.store = server.url();
    settings.store_timeout = 10min;
    return settings;
}

named_handle order(test_app& t, errand::database& db, std::int64_t id, const std::string& key) {
    return t.run(errand::transaction(db, [&](auto& tx) -> errand::awaitable<named_handle> {
        co_await tx.execute(sql("INSERT INTO note(id) VALUES(?)"), id);
        co_return co_await t.app.handler<named>().perform_async(key);
    }));
}

}  // namespace

// As many as would outlast the test if each of them waited for a second.
TEST_CASE("Commits do not wait for a store that is silent, and handles learn of duplicates when it is back",
          "[outbox][goes_away]") {
    errand::test::redis_server server;
    test_app t{patient_settings(server)};
    t.app.provide<place>();
    test_database db{t.app};
    const auto first = order(t, *db, 0, "key 0");
    REQUIRE_FALSE(t.info(first).biz_id.value_or("").empty());
    server.freeze();
    std::vector<named_handle> all;
    for (int i = 0; i < 200; ++i) all.push_back(order(t, *db, 1 + i, "key " + std::to_string(i)));
    CHECK(t.run(db->query<int>("SELECT count(*) FROM note")).at(0) == 201);
    for (const auto& one : all) CHECK_FALSE(one.duplicate());
    server.thaw();
    for (const auto& one : all) t.info(one);
    CHECK(all[0].duplicate());
    CHECK(all[0].id() == first.id());
    for (std::size_t i = 1; i < all.size(); ++i) CHECK_FALSE(all[i].duplicate());
}

TEST_CASE("After a store was away a commit learns of duplicates at once again", "[outbox][goes_away]") {
    errand::test::redis_server server{{.append_only = true}};
    auto settings = patient_settings(server);
    settings.store_timeout = 1s;
    test_app t{settings};
    t.app.provide<place>();
    test_database db{t.app};
    server.kill();
    const auto lost = order(t, *db, 1, "key");
    CHECK_FALSE(lost.duplicate());
    server.restart();
    // The relay delivers what the commit could not; or the next commit does.
    t.run(db->execute("UPDATE errand_outbox SET written_at = written_at - 60000"));
    errand::test::eventually([&] {
        try {
            return t.run(db->core()->deliver_left_behind()) == 1;
        } catch (const errand::store_error&) {
            return false;  // not back in time
        }
    });
    CHECK(t.info(lost).biz_id == "key");
    const auto again = order(t, *db, 2, "key");
    errand::test::eventually([&] { return again.duplicate(); });
    CHECK(again.id() == lost.id());
}

TEST_CASE(
    "While one of several servers is away the tasks of the others leave the outbox, also those behind its own",
    "[outbox][goes_away]") {
    errand::test::redis_server there{{.append_only = true}}, away{{.append_only = true}};
    auto settings = patient_settings(there);
    settings.store += ',' + away.url();
    settings.shards = 2;
    settings.store_timeout = 1s;
    test_app t{settings};
    t.app.provide<place>();
    test_database db{t.app};
    std::vector<named_handle> all{order(t, *db, 0, "first")};
    const auto left = [&] { return t.run(db->query<int>("SELECT count(*) FROM errand_outbox")).at(0); };
    errand::test::eventually([&] { return left() == 0; });
    int of_away = 0;
    const auto commit = [&](int count) {
        const auto made =
            t.run(errand::transaction(*db, [&](auto&) -> errand::awaitable<std::vector<named_handle>> {
                std::vector<named_handle> some;
                for (int i = 0; i < count; ++i) {
                    const auto key = "key " + std::to_string(all.size() + some.size());
                    some.push_back(co_await t.app.handler<named>().perform_async(key));
                }
                co_return some;
            }));
        for (const auto& one : made) {
            const auto id = *errand::parse_task_id(one.id());
            of_away += errand::shards::shard_of(id, 2) == 1 ? 1 : 0;
            all.push_back(one);
        }
    };
    away.kill();
    commit(40);
    REQUIRE(of_away > 0);
    REQUIRE(of_away < 40);
    // By who has committed them.
    errand::test::eventually([&] { return left() == of_away; });

    there.kill();
    commit(600);
    CHECK(left() > 600);
    there.restart();
    t.run(db->execute("UPDATE errand_outbox SET written_at = written_at - 60000"));
    errand::test::eventually([&] {
        try {
            t.run(db->core()->deliver_left_behind());
        } catch (const errand::store_error&) {  // not back yet
        }
        return left() == of_away;
    });
    away.restart();
    errand::test::eventually([&] {
        try {
            t.run(db->core()->deliver_left_behind());
        } catch (const errand::store_error&) {
        }
        return left() == 0;
    });
    for (const auto& one : all) CHECK(t.info(one).biz_id.has_value());
}
