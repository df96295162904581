// Tasks that are kept in the database of the transaction itself: one commit for both.
#include "app/open_store.hpp"
#include "shop.hpp"
#include "support/await.hpp"
#include "support/store_fixture.hpp"

#include <catch2/catch_test_macros.hpp>
#include <catch2/matchers/catch_matchers_string.hpp>
#include <sqlite3.h>

#include <filesystem>

using namespace std::chrono_literals;
using namespace committed;
using Catch::Matchers::ContainsSubstring;
using errand::test::eventually;
using errand::test::test_app;
using errand::test::test_database;

namespace {

using named_handle = errand::handle<std::string>;

// Takes orders.
struct counter : shop {
    using shop::shop;
    receipt_handle order(std::int64_t id) {
        return t.run(errand::transaction(*db, [&](auto& tx) -> errand::awaitable<receipt_handle> {
            co_await tx.execute("INSERT INTO note(id, text) VALUES(?, 'order')", id);
            co_return co_await t.app.handler<receipt>().perform_async(id);
        }));
    }
};

}  // namespace

TEST_CASE("A task is in the store when its transaction has committed, and needs no outbox", "[inside]") {
    counter s;
    s.t.run(s.db->execute("DROP TABLE errand_outbox"));
    const auto h = s.order(1);
    // By the same file, asked in SQL: no step lies between.
    CHECK(s.count("errand_task") == 1);
    CHECK(s.count("errand_arrived") == 0);
    CHECK(s.t.info(h).state == errand::state::ready);
    s.t.start();
    CHECK(s.t.wait(h) == 1);
    // A worker that waits hears of the next one.
    CHECK(s.t.wait(s.order(2)) == 2);
}

TEST_CASE("Neither rows nor tables of errand are left of a transaction that rolls back", "[inside]") {
    counter s;
    // Nobody has opened the store yet: the transaction makes its tables.
    std::optional<receipt_handle> held;
    CHECK_THROWS_AS(s.t.run(errand::transaction(*s.db,
                                                [&](auto& tx) -> errand::awaitable<void> {
                                                    held =
                                                        co_await s.t.app.handler<receipt>().perform_async(1);
                                                    co_await tx.execute("INSERT INTO note(id) VALUES(1)");
                                                    throw rollback{"no"};
                                                })),
                    rollback);
    const auto reject = errand::options{.on_duplicate = errand::reject};
    const auto twice = [&](auto&) -> errand::awaitable<void> {
        co_await s.t.app.handler<named>().perform_async("a");
        co_await s.t.app.handler<named>().with(reject).perform_async("a");
    };
    CHECK_THROWS_AS(s.t.run(errand::transaction(*s.db, twice)), errand::duplicate_task);
    CHECK(s.count("sqlite_schema WHERE name = 'errand_task'") == 0);
    CHECK_THROWS_AS(s.t.info(*held), errand::usage_error);
    CHECK_FALSE(s.t.run(s.t.app.find(held->id())));
    CHECK(s.t.info(s.order(2)).state == errand::state::ready);
    CHECK(s.count("note") == 1);
    CHECK(s.count("errand_task") == 1);
}

TEST_CASE("A duplicate is answered by the commit as by a direct submission", "[inside]") {
    counter s;
    s.t.run(s.db->execute("DROP TABLE errand_outbox"));
    const auto first = s.t.run(s.t.app.handler<named>().perform_async("same"));
    const auto [held, fresh] = s.t.run(
        errand::transaction(*s.db, [&](auto&) -> errand::awaitable<std::pair<named_handle, named_handle>> {
            auto one = co_await s.t.app.handler<named>().perform_async("same");
            auto other = co_await s.t.app.handler<named>().perform_async("other");
            CHECK_FALSE(one.duplicate());
            co_return std::pair{std::move(one), std::move(other)};
        }));
    CHECK(held.id() == first.id());
    CHECK(held.duplicate());
    CHECK_FALSE(fresh.duplicate());
    CHECK(s.t.run(s.t.app.handler<named>().perform_async("other")).duplicate());
    s.t.start();
    CHECK(s.t.wait(held) == "same");
    CHECK(s.t.wait(fresh) == "other");
    // Its arguments are replaced when it has not started, and refused when it has.
    const auto replace = errand::options{.on_duplicate = errand::replace};
    CHECK_THROWS_AS(s.t.run(errand::transaction(
                        *s.db,
                        [&](auto& tx) -> errand::awaitable<void> {
                            co_await tx.execute("INSERT INTO note(id) VALUES(9)");
                            co_await s.t.app.handler<named>().with(replace).perform_async("other");
                        })),
                    errand::duplicate_task);
    CHECK(s.count("note") == 0);
}

TEST_CASE("More dependencies than one call takes, and their cycles, are settled within the transaction",
          "[inside]") {
    counter s;
    const auto parents = [&]() -> errand::awaitable<std::pair<named_handle, std::vector<receipt_handle>>> {
        std::vector<std::int64_t> numbers(250);
        for (std::size_t i = 0; i < numbers.size(); ++i) numbers[i] = static_cast<std::int64_t>(i);
        auto all = co_await s.t.app.handler<receipt>().perform_bulk(numbers);
        errand::options after;
        for (const auto& one : all) after.after.push_back(one);
        auto child = co_await s.t.app.handler<named>().with(after).perform_async("child");
        co_return std::pair{std::move(child), std::move(all)};
    };
    const auto [child, all] = s.t.run(errand::transaction(*s.db, [&](auto&) { return parents(); }));
    CHECK(s.t.info(child).state == errand::state::waiting);
    const auto cycle = [&](auto& tx) -> errand::awaitable<void> {
        co_await tx.execute("INSERT INTO note(id) VALUES(1)");
        auto of = s.t.app.handler<named>();
        errand::options many;
        for (const auto& one : all) many.after.push_back(one);
        many.after.push_back(of.ref("b"));
        const errand::options second{.after = {of.ref("a")}};
        co_await of.with(many).perform_async("a");
        co_await of.with(second).perform_async("b");
    };
    CHECK_THROWS_AS(s.t.run(errand::transaction(*s.db, cycle)), errand::dependency_cycle);
    CHECK(s.count("note") == 0);
    CHECK(s.count("errand_task") == 251);
    s.t.start();
    CHECK(s.t.wait(child) == "child");
}

TEST_CASE("A task that had waited for very many is submitted again by a transaction in its one step",
          "[inside]") {
    counter s;
    const auto of = s.t.app.handler<named>();
    errand::options many;
    for (int i = 0; i < 600; ++i) many.after.push_back(of.ref("never " + std::to_string(i)));
    const auto first = s.t.run(of.with(many).perform_async("again"));
    REQUIRE(s.t.info(first).waits_for_count == 600);
    REQUIRE(s.t.run(first.cancel()));
    const auto second = s.t.run(errand::transaction(*s.db, [&](auto&) -> errand::awaitable<named_handle> {
        co_return co_await s.t.app.handler<named>().perform_async("again");
    }));
    CHECK_FALSE(second.duplicate());
    CHECK(s.count("errand_link") == 0);
    s.t.start();
    CHECK(s.t.wait(second) == "again");
}

TEST_CASE("Workers go on while a transaction keeps the file for itself", "[inside][concurrent]") {
    counter s;
    s.t.start();
    std::vector<receipt_handle> before;
    for (std::int64_t i = 0; i < 20; ++i) before.push_back(s.order(i));
    const auto held = s.t.run(errand::transaction(*s.db, [&](auto& tx) -> errand::awaitable<receipt_handle> {
        co_await tx.execute("INSERT INTO note(id) VALUES(100)");
        // Longer than errand waits for a lock before it says so.
        for (const auto until = std::chrono::steady_clock::now() + 1500ms;
             std::chrono::steady_clock::now() < until;)
            co_await tx.template query<std::int64_t>("SELECT count(*) FROM note");
        co_return co_await s.t.app.handler<receipt>().perform_async(100);
    }));
    CHECK(s.t.wait(held) == 100);
    for (std::int64_t i = 0; i < 20; ++i) CHECK(s.t.wait(before[static_cast<std::size_t>(i)]) == i);
}

TEST_CASE("A busy worker does not keep transactions out", "[inside][concurrent]") {
    counter s;
    s.t.start();
    std::vector<std::int64_t> numbers(3000);
    for (std::size_t i = 0; i < numbers.size(); ++i) numbers[i] = static_cast<std::int64_t>(i) + 1000;
    const auto load = s.t.run(s.t.app.handler<receipt>().perform_bulk(numbers));
    std::vector<receipt_handle> orders;
    for (std::int64_t i = 0; i < 100; ++i) orders.push_back(s.order(i));
    for (const auto& one : orders) s.t.wait(one);
    for (const auto& one : load) s.t.wait(one);
    CHECK(s.count("note") == 100);
}

TEST_CASE(
    "A task can be awaited before the first statement, and not while the transaction keeps the store waiting",
    "[inside]") {
    counter s;
    s.t.start();
    const auto first = s.order(1);
    s.t.run(errand::transaction(*s.db, [&](auto& tx) -> errand::awaitable<void> {
        CHECK(co_await first == 1);
        co_await tx.execute("INSERT INTO note(id) VALUES(2)");
        CHECK_THROWS_AS(co_await first, errand::usage_error);
        CHECK_THROWS_AS(co_await errand::all(first, first), errand::usage_error);
        co_await errand::transaction(*s.db, [&](auto&) -> errand::awaitable<void> {
            CHECK_THROWS_AS(co_await first.result(1s), errand::usage_error);
        });
        // Looking needs no lock.
        CHECK((co_await first.info()).state == errand::state::success);
    }));
    CHECK(s.t.wait(first) == 1);
    CHECK(s.count("note") == 2);
}

TEST_CASE("Another submission of the same task that is not complete is a reason to run the transaction again",
          "[inside]") {
    counter s;
    // As another process would leave it between two calls.
    boost::asio::io_context io;
    errand::store_settings with;
    with.url = s.t.app.settings().store;
    with.name_space = s.t.app.settings().name_space;
    with.name = "other";
    const auto other = errand::open_store(io, with);
    errand::test::await(io, other->open());
    const auto id = *errand::parse_task_id(s.t.app.handler<named>().ref("x").id());
    auto item = errand::test::item_with(id, "[\"x\"]");
    item.after = {{errand::test::item_of("[]").id}};
    item.incomplete = true;
    const std::vector items{item};
    REQUIRE(errand::test::await(io, other->submit(0, items, errand::submit_mode::each)).at(0).verdict ==
            errand::submit_verdict::registering);
    int runs = 0;
    const auto h =
        s.t.run(errand::transaction(*s.db, errand::retry_serialization{3},
                                    [&](auto& tx) -> errand::awaitable<named_handle> {
                                        if (++runs == 2) errand::test::await(io, other->withdraw(id, 0));
                                        co_await tx.execute("INSERT INTO note(id) VALUES(1)");
                                        co_return co_await s.t.app.handler<named>().perform_async("x");
                                    }));
    CHECK(runs == 2);
    CHECK_FALSE(h.duplicate());
    CHECK(s.count("note") == 1);
}

TEST_CASE("The file is known by whatever name it is opened", "[inside]") {
    auto settings = errand::test::fresh_settings();
    const std::string path = settings.store.substr(9, settings.store.find('?') - 9);
    const auto link = path + ".link";
    sqlite3* made = nullptr;
    REQUIRE(sqlite3_open(path.c_str(), &made) == SQLITE_OK);
    REQUIRE(sqlite3_exec(made, "CREATE TABLE note(id BIGINT PRIMARY KEY)", nullptr, nullptr, nullptr) ==
            SQLITE_OK);
    sqlite3_close(made);
    std::filesystem::create_symlink(path, link);
    test_app t{settings};
    t.app.provide<place>();
    errand::sqlite::database db{t.app, "sqlite://" + link};
    const auto h = t.run(errand::transaction(db, [&](auto& tx) -> errand::awaitable<receipt_handle> {
        co_await tx.execute("INSERT INTO note(id) VALUES(1)");
        co_return co_await t.app.handler<receipt>().perform_async(1);
    }));
    CHECK(t.run(db.query<std::int64_t>("SELECT count(*) FROM errand_task")).at(0) == 1);
    CHECK(t.run(t.app.inspect().outboxes()).at(0).delivered == 0);
    CHECK(t.info(h).state == errand::state::ready);
}

TEST_CASE("What a joined transaction cannot submit leaves nothing in it", "[inside]") {
    counter s;
    s.t.run(s.t.app.handler<named>().perform_async("taken"));
    const std::string path = s.db.url().substr(9, s.db.url().find('?') - 9);
    sqlite3* mine = nullptr;
    REQUIRE(sqlite3_open(path.c_str(), &mine) == SQLITE_OK);
    sqlite3_busy_timeout(mine, 5000);
    const auto exec = [&](const char* sql) {
        REQUIRE(sqlite3_exec(mine, sql, nullptr, nullptr, nullptr) == SQLITE_OK);
    };
    exec("BEGIN IMMEDIATE; INSERT INTO note(id) VALUES(1)");
    {
        auto joined = errand::sqlite::adopt(static_cast<errand::sqlite::database&>(*s.db), mine);
        const auto reject = errand::options{.on_duplicate = errand::reject};
        s.t.run(s.t.app.handler<receipt>().in(joined).perform_async(1));
        s.t.run(s.t.app.handler<named>().in(joined).with(reject).perform_async("taken"));
        CHECK_THROWS_AS(s.t.run(joined.write()), errand::duplicate_task);
    }
    exec("COMMIT");
    sqlite3_close(mine);
    CHECK(s.count("note") == 1);
    CHECK(s.count("errand_task") == 1);
}

TEST_CASE("A transaction that SQLite has ended by itself takes its tasks along", "[inside]") {
    counter s;
    s.order(1);
    const auto before = s.count("errand_task");
    const auto body = [&](auto& tx) -> errand::awaitable<void> {
        // As when the disk is full: SQLite ends the transaction and frees what it had written.
        co_await tx.execute("INSERT INTO note(id, text) VALUES(2, 'order')");
        co_await s.t.app.handler<receipt>().perform_async(2);
        co_await tx.execute("ROLLBACK");
    };
    CHECK_THROWS_AS(s.t.run(errand::transaction(*s.db, body)), errand::error);
    CHECK(s.count("errand_task") == before);
    CHECK(s.count("note") == 1);
    s.order(3);
    CHECK(s.count("errand_task") == before + 1);
}
