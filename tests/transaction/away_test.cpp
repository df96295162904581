// Transactions whose tasks have a biz_id, while the store gives no answer.
#include "core/task_id.hpp"
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

std::size_t shard_of_key(const std::string& key) {
    return errand::shards::shard_of(errand::derive_task_id("committed::named", key), 2);
}

// Keys whose tasks the shard keeps.
std::vector<std::string> keys_on(std::size_t shard, std::size_t count, const std::string& front) {
    std::vector<std::string> all;
    for (int tried = 0; all.size() < count; ++tried) {
        auto key = front + std::to_string(tried);
        if (shard_of_key(key) == shard) all.push_back(std::move(key));
    }
    return all;
}

std::vector<named_handle> commit_all(test_app& t, errand::database& db,
                                     const std::vector<std::string>& keys) {
    return t.run(errand::transaction(db, [&](auto&) -> errand::awaitable<std::vector<named_handle>> {
        std::vector<named_handle> some;
        for (const auto& key : keys) some.push_back(co_await t.app.handler<named>().perform_async(key));
        co_return some;
    }));
}

// Two servers with a shard each, one of which goes away.
struct two_servers {
    explicit two_servers(std::size_t away_one, std::chrono::milliseconds store_timeout = 10min)
        : away{away_one == 0 ? first : second},
          there{away_one == 0 ? second : first},
          t{settings(store_timeout)} {
        t.app.provide<place>();
    }

    // All connections have had an answer.
    void begin() {
        commit_all(t, *db, {keys_on(0, 1, "first ")[0], keys_on(1, 1, "first ")[0]});
        wait_until_left(0);
    }
    int left() { return t.run(db->query<int>("SELECT count(*) FROM errand_outbox")).at(0); }
    void wait_until_left(int rows) {
        errand::test::eventually([&] { return left() == rows; });
    }

    errand::test::redis_server first{{.append_only = true}}, second{{.append_only = true}};
    errand::test::redis_server &away, &there;
    test_app t;
    test_database db{t.app};

private:
    errand::config settings(std::chrono::milliseconds store_timeout) {
        auto both = patient_settings(first);
        both.store += ',' + second.url();
        both.shards = 2;
        both.store_timeout = store_timeout;
        return both;
    }
};

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
    two_servers s{1, 1s};
    std::vector<named_handle> all{order(s.t, *s.db, 0, "first")};
    s.wait_until_left(0);
    int of_away = 0;
    const auto commit = [&](int count) {
        const auto made =
            s.t.run(errand::transaction(*s.db, [&](auto&) -> errand::awaitable<std::vector<named_handle>> {
                std::vector<named_handle> some;
                for (int i = 0; i < count; ++i) {
                    const auto key = "key " + std::to_string(all.size() + some.size());
                    some.push_back(co_await s.t.app.handler<named>().perform_async(key));
                }
                co_return some;
            }));
        for (const auto& one : made) {
            const auto id = *errand::parse_task_id(one.id());
            of_away += errand::shards::shard_of(id, 2) == 1 ? 1 : 0;
            all.push_back(one);
        }
    };
    s.away.kill();
    commit(40);
    REQUIRE(of_away > 0);
    REQUIRE(of_away < 40);
    // By who has committed them.
    s.wait_until_left(of_away);

    s.there.kill();
    commit(600);
    CHECK(s.left() > 600);
    s.there.restart();
    s.t.run(s.db->execute("UPDATE errand_outbox SET written_at = written_at - 60000"));
    errand::test::eventually([&] {
        try {
            s.t.run(s.db->core()->deliver_left_behind());
        } catch (const errand::store_error&) {  // not back yet
        }
        return s.left() == of_away;
    });
    s.away.restart();
    errand::test::eventually([&] {
        try {
            s.t.run(s.db->core()->deliver_left_behind());
        } catch (const errand::store_error&) {
        }
        return s.left() == 0;
    });
    for (const auto& one : all) CHECK(s.t.info(one).biz_id.has_value());
}

// The call to the one that is away ends long after the test has given up.
TEST_CASE("Commits for servers that are there are delivered beside a delivery that waits for another one",
          "[outbox][goes_away]") {
    two_servers s{1};
    s.begin();
    s.away.freeze();
    auto keys = keys_on(0, 4, "there ");
    const auto late = keys_on(1, 2, "late ");
    auto all = commit_all(s.t, *s.db, {keys[0], late[0], keys[1]});
    s.wait_until_left(1);
    for (std::size_t i = 2; i < 4; ++i) {
        all.push_back(commit_all(s.t, *s.db, {keys[i]})[0]);
        CHECK(s.t.info(all.back()).biz_id == keys[i]);
    }
    all.push_back(commit_all(s.t, *s.db, {late[1]})[0]);
    s.wait_until_left(2);
    s.away.thaw();
    s.wait_until_left(0);
    for (const auto& one : all) CHECK(s.t.info(one).biz_id.has_value());
}

// Who declares a schedule looks at the first shard too, wherever its own is.
TEST_CASE("Schedules that wait for the first server hold up no tasks of the others", "[outbox][goes_away]") {
    two_servers s{0};
    s.begin();
    s.away.freeze();
    const auto keys = keys_on(1, 4, "there ");
    std::vector<named_handle> all;
    int in_second = 0;
    const auto declare = [&](const std::string& key) -> errand::awaitable<void> {
        auto by = s.t.app.handler<receipt>();
        const auto made = co_await by.every(1h, {.key = key, .mode = errand::fixed_rate}, 1);
        in_second += errand::shards::shard_of(*errand::parse_task_id(made.id()), 2) == 1 ? 1 : 0;
    };
    s.t.run(errand::transaction(*s.db, [&](auto&) -> errand::awaitable<void> {
        auto by = s.t.app.handler<named>();
        for (int i = 0; i < 4; ++i) co_await declare("of all " + std::to_string(i));
        all.push_back(co_await by.perform_async(keys[0]));
    }));
    REQUIRE(in_second > 0);
    all.push_back(commit_all(s.t, *s.db, {keys[1]})[0]);
    // What concerns the second server, though it was committed behind schedules that it keeps.
    s.wait_until_left(4);
    for (const auto& one : all) CHECK(s.t.run(s.t.app.find(one.id())).has_value());
    s.away.thaw();
    s.wait_until_left(0);
    CHECK(s.t.run(s.t.app.schedules()).schedules.size() == 4);
}

// What waits for a server that is away, and what waits for that, is in nobody's way.
TEST_CASE(
    "Rows that depend on a task of a server that is away hold up no others of the servers that are there",
    "[outbox][goes_away]") {
    std::atomic<bool> once{false};
    two_servers s{1};
    const auto first = commit_all(s.t, *s.db, {keys_on(1, 1, "first ")[0]})[0];
    s.wait_until_left(0);
    // The store was asked whether it would take them, and is away when it is to.
    s.t.app.on_event([&](const errand::event& what) {
        if (what.kind == errand::event_kind::commit_step && what.text == "committed" && !once.exchange(true))
            s.away.freeze();
    });
    const auto keys = keys_on(0, 6, "there ");
    auto all = s.t.run(errand::transaction(*s.db, [&](auto&) -> errand::awaitable<std::vector<named_handle>> {
        auto by = s.t.app.handler<named>();
        std::vector<named_handle> some{co_await by.with({.after = {first}}).perform_async(keys[0])};
        some.push_back(co_await by.with({.after = {some[0]}}).perform_async(keys[1]));
        some.push_back(co_await by.perform_async(keys[2]));
        co_return some;
    }));
    for (std::size_t i = 3; i < 6; ++i) all.push_back(commit_all(s.t, *s.db, {keys[i]})[0]);
    s.wait_until_left(2);
    CHECK_FALSE(s.t.run(s.t.app.find(all[1].id())).has_value());
    s.away.thaw();
    s.wait_until_left(0);
    for (const auto& one : all) CHECK(s.t.run(s.t.app.find(one.id())).has_value());
    CHECK(s.t.run(s.t.app.inspect().outboxes()).at(0).refused == 0);
}

// They are more than five pages. A wait for the call to the server that is away ends long after the test has given up.
TEST_CASE(
    "The relay goes past rows of a server that is away, and sends it no second call while it waits for the first",
    "[outbox][goes_away]") {
    errand::test::redis_server lost, there{{.append_only = true}}, away{{.append_only = true}};
    const auto settings = patient_settings(lost);
    auto of_relay = settings;
    of_relay.store = there.url() + ',' + away.url();
    of_relay.shards = 2;
    std::atomic<bool> once{false};
    test_app writer{settings}, t{of_relay};
    for (auto* one : {&writer, &t}) one->app.provide<place>();
    test_database written{writer.app};
    const auto db = errand::test::open_database(t.app, written.url());
    const auto left = [&] { return t.run(db->query<int>("SELECT count(*) FROM errand_outbox")).at(0); };
    const auto relay = [&] { return t.run(db->core()->deliver_left_behind()); };
    commit_all(t, *db, {keys_on(0, 1, "open ")[0], keys_on(1, 1, "open ")[0]});
    errand::test::eventually([&] { return left() == 0; });

    // The process that commits delivers nothing.
    writer.app.on_event([&](const errand::event& what) {
        if (what.kind == errand::event_kind::commit_step && what.text == "committed" && !once.exchange(true))
            lost.freeze();
    });
    const auto parent = keys_on(1, 1, "parent ")[0], child = keys_on(0, 1, "child ")[0],
               grandchild = keys_on(0, 1, "grandchild ")[0];
    const auto family =
        writer.run(errand::transaction(*written, [&](auto&) -> errand::awaitable<std::vector<named_handle>> {
            auto by = writer.app.handler<named>();
            std::vector<named_handle> some{co_await by.perform_async(parent)};
            some.push_back(co_await by.with({.after = {some[0]}}).perform_async(child));
            some.push_back(co_await by.with({.after = {some[1]}}).perform_async(grandchild));
            co_return some;
        }));
    const auto of_away = commit_all(writer, *written, keys_on(1, 1000, "away "));
    const auto of_there = commit_all(writer, *written, keys_on(0, 40, "there "));
    REQUIRE(left() == 1043);
    t.run(db->execute("UPDATE errand_outbox SET written_at = written_at - 60000"));

    away.kill();
    std::size_t brought = 0;
    errand::test::eventually([&] { return (brought += relay()) >= 40; });
    CHECK(brought == 40);
    CHECK(left() == 1003);
    CHECK(relay() == 0);
    for (const auto& one : of_there) CHECK(t.run(t.app.find(one.id())));
    CHECK_FALSE(t.run(t.app.find(family[1].id())));

    // What was waited for strikes off what it brought: the first page but the two that depend on it.
    away.restart();
    errand::test::eventually([&] { return left() == 1003 - 198; });
    CHECK(t.run(t.app.find(of_away[0].id())));
    CHECK_FALSE(t.run(t.app.find(of_away[500].id())));
    errand::test::eventually([&] {
        relay();
        return left() == 0;
    });
    for (const auto& one : family) CHECK(t.run(t.app.find(one.id())).has_value());
    CHECK(t.run(t.app.inspect().outboxes()).at(0).refused == 0);
}
