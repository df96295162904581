// The shelf when somebody dies, or something is away or wrong: that each task runs once, and what is said.
#include "core/settings_record.hpp"
#include "core/shelf_rules.hpp"
#include "shelf_desk.hpp"
#include "store/shards/routes.hpp"
#include "support/database_server.hpp"
#include "support/redis_server.hpp"
#include "support/replica.hpp"

#include <catch2/catch_test_macros.hpp>
#include <catch2/matchers/catch_matchers_string.hpp>

#include <array>
#include <atomic>
#include <future>
#include <vector>

using namespace std::chrono_literals;
using namespace committed;
using Catch::Matchers::ContainsSubstring;
using errand::state;
using errand::test::eventually;

TEST_CASE(
    "what was brought by somebody who died before he struck it off is struck off, and does not run again",
    "[shelf][shared_by_apps]") {
    shelf_desk d;
    const auto h = d.far<receipt>(std::int64_t{1});
    const auto key = d.far<named>(std::string{"k"});
    test_app dies{d.eager()};
    const auto db = errand::test::open_database(dies.app, d.url, {.install = false});
    auto& rows = *db;
    // A copy of the rows, which is what is left when the deletion does not come.
    const auto day = errand::shelf_day(d.t.info(h).due_at.value());
    const auto table = d.table_of(day);
    dies.run(rows.execute("CREATE TABLE left_rows AS SELECT * FROM " + table));
    dies.run(rows.execute("CREATE TABLE left_keys AS SELECT * FROM errand_shelf_key"));
    CHECK(fetch_all(dies) == 2);
    CHECK(dies.run(h.cancel()));
    CHECK(dies.run(key.cancel()));
    CHECK(dies.run(dies.app.inspect().remove(h.id())));
    CHECK(dies.run(dies.app.inspect().remove(key.id())));
    dies.run(rows.execute("INSERT INTO " + table + " SELECT * FROM left_rows"));
    dies.run(rows.execute("INSERT INTO errand_shelf_key SELECT * FROM left_keys"));
    CHECK(d.on_shelf() == 2);
    test_app next{d.eager()};
    fetch_all(next);
    CHECK(d.on_shelf() == 0);
    CHECK_FALSE(d.in_store(h.id()));
    CHECK_FALSE(d.in_store(key.id()));
}

// As above, of one that is not due for long: nobody would look at its row before.
TEST_CASE("what was brought out of turn by somebody who died over it is struck off a minute later",
          "[shelf]") {
    shelf_desk d;
    const auto h = d.far<receipt>(std::int64_t{1});
    const auto db = errand::test::open_database(d.t.app, d.url, {.install = false});
    const auto table = d.table_of(errand::shelf_day(d.t.info(h).due_at.value()));
    d.t.run(db->execute("CREATE TABLE left_rows AS SELECT * FROM " + table));
    const auto notes = [&] {
        return d.t.run(db->query<std::int64_t>("SELECT count(*) FROM errand_shelf_brought")).at(0);
    };
    const auto note = [&](const std::string& at) {
        const std::string id = errand::test::database_kind() == "postgres" ? "uuid_send(id)" : "id";
        d.t.run(db->execute("INSERT INTO errand_shelf_brought(noted_at, space, id) SELECT " + at + ", 1, " +
                            id + " FROM left_rows"));
    };
    CHECK(d.t.run(h.cancel()));
    CHECK(d.on_shelf() == 0);
    CHECK(notes() == 0);
    d.t.run(db->execute("INSERT INTO " + table + " SELECT * FROM left_rows"));
    // Somebody is about to bring it.
    note("9000000000000");
    CHECK(fetch_all(d.t) == 0);
    CHECK(d.on_shelf() == 1);
    CHECK(notes() == 1);
    // Who was is gone.
    d.t.run(db->execute("UPDATE errand_shelf_brought SET noted_at = 5"));
    CHECK(fetch_all(d.t) == 1);
    CHECK(d.on_shelf() == 0);
    CHECK(notes() == 0);
    CHECK(d.t.info(h).state == state::cancelled);
    // A note whose row is gone.
    note("5");
    CHECK(fetch_all(d.t) == 0);
    CHECK(notes() == 0);
}

// Two servers with a shard each.
TEST_CASE("what a server keeps that is away stays on the shelf, and what others keep is brought and accepted",
          "[shelf][goes_away]") {
    using errand::on_conflict;
    errand::test::redis_server there{{.append_only = true}}, away{{.append_only = true}};
    auto settings = errand::test::fresh_settings();
    settings.store = there.url() + ',' + away.url();
    settings.shards = 2;
    settings.store_timeout = 10min;
    shelf_desk d{errand::test::fresh_database_url(), settings};
    test_app brings{d.eager()};
    const auto shard_of = [](const errand::task_id& id) { return errand::shards::shard_of(id, 2); };
    std::array<std::vector<errand::task_id>, 2> ids;
    for (int tried = 0; ids[0].size() < 10 || ids[1].size() < 2; ++tried) {
        const auto id = errand::derive_task_id("shelved", std::to_string(tried));
        ids[shard_of(id)].push_back(id);
    }
    // All that is used later has had an answer of both servers.
    CHECK(fetch_all(brings) == 0);
    CHECK(d.on_shelf() == 0);
    CHECK(submit(d.t, item_under(ids[1][1], on_conflict::keep, 5 * 24h)) == errand::submit_verdict::accepted);
    // Ids that are drawn by chance come in runs of one shard.
    constexpr std::size_t drawn = 20;
    std::array<std::size_t, 2> far{};
    while (far[0] < drawn || far[1] < drawn) {
        const auto id = errand::new_task_id(1'700'000'000'000);
        if (far.at(shard_of(id))++ < drawn)
            CHECK(submit(d.t, item_under(id, on_conflict::keep, 5 * 24h)) ==
                  errand::submit_verdict::accepted);
    }
    away.kill();
    CHECK(fetch_all(brings) == drawn);
    CHECK(d.on_shelf() == drawn + 1);
    // One that nobody answers yet keeps none of the others waiting.
    std::atomic<bool> answered = false;
    auto waits = std::async(std::launch::async, [&] {
        const auto got = submit(d.t, item_under(ids[1][0], on_conflict::keep, 5 * 24h));
        answered = true;
        return got;
    });
    for (const auto& id : ids[0]) {
        CHECK(submit(d.t, item_under(id, on_conflict::keep, 5 * 24h)) == errand::submit_verdict::accepted);
        CHECK(submit(d.t, item_under(id, on_conflict::keep, 0s)) == errand::submit_verdict::duplicate);
    }
    CHECK_FALSE(answered);
    away.restart();
    CHECK(waits.get() == errand::submit_verdict::accepted);
    eventually([&] { return words_of([&] { fetch_all(brings); }) == "accepted" && d.on_shelf() == 0; });
}

TEST_CASE(
    "a program that meets the shelf while the server is away that keeps its mark is told so, and goes on when that is back",
    "[shelf][goes_away]") {
    errand::test::redis_server there{{.append_only = true}}, away{{.append_only = true}};
    auto settings = errand::test::fresh_settings();
    const auto keeps = errand::shards::shard_of(errand::place_of_settings(errand::shelf_record_name), 2);
    settings.store = keeps == 0 ? away.url() + ',' + there.url() : there.url() + ',' + away.url();
    settings.shards = 2;
    // Not of what is done for the shelf.
    settings.store_timeout = 10min;
    shelf_desk d{errand::test::fresh_database_url(), settings};
    d.far<receipt>(std::int64_t{1});
    test_app brings{d.eager()};
    brings.run(brings.app.inspect().queues());
    away.kill();
    CHECK(words_of([&] { fetch_all(brings); }) != "accepted");
    CHECK(d.on_shelf() == 1);
    away.restart();
    eventually([&] { return words_of([&] { fetch_all(brings); }) == "accepted" && d.on_shelf() == 0; });
}

TEST_CASE("a task that leaves the shelf is given the time to reach a replica, also where the URL has no wait",
          "[shelf][goes_away]") {
    errand::test::redis_server server{{.tcp = true}}, replica;
    const auto waited = [&] {
        return server.command({"INFO", "commandstats"}).find("cmdstat_wait:") != std::string::npos;
    };
    const auto on_server = [&] {
        auto settings = errand::test::fresh_settings();
        settings.store = server.url();
        settings.shards = 1;
        return settings;
    };
    shelf_desk alone{errand::test::fresh_database_url(), on_server()};
    CHECK(alone.t.run(alone.far<receipt>(std::int64_t{1}).cancel()));
    CHECK_FALSE(waited());
    errand::test::replicate(server, replica, eventually);
    eventually([&] {
        return server.command({"INFO", "replication"}).find("state=online") != std::string::npos;
    });
    shelf_desk d{errand::test::fresh_database_url(), on_server()};
    const auto h = d.far<receipt>(std::int64_t{1});
    server.command({"CONFIG", "RESETSTAT"});
    CHECK_FALSE(waited());
    CHECK(d.t.run(h.cancel()));
    CHECK(waited());
    CHECK(d.on_shelf() == 0);
}

TEST_CASE("the table of a day that is past goes when it is empty, and not before", "[shelf]") {
    shelf_desk d;
    const auto h = d.far<receipt>(std::int64_t{1});
    auto db = errand::test::open_database(d.t.app, d.url, {.install = false});
    const auto day = errand::shelf_day(d.t.info(h).due_at.value());
    const auto past =
        errand::shelf_day(std::chrono::floor<errand::duration>(std::chrono::system_clock::now())) - 3;
    const auto name = [](std::int64_t of) { return shelf_desk::table_of(of); };
    // As if it had been put there days ago.
    if (errand::test::database_kind() == "mysql") {
        d.t.run(db->execute("CREATE TABLE " + name(past) + " LIKE " + name(day)));
        d.t.run(db->execute("INSERT INTO " + name(past) + " SELECT * FROM " + name(day)));
    } else {
        d.t.run(db->execute("CREATE TABLE " + name(past) + " AS SELECT * FROM " + name(day)));
    }
    const auto time = errand::test::database_kind() == "postgres"
                          ? std::string{"due_in = 5"}
                          : "due_at = " + std::to_string(past * 86'400'000 + 5);
    d.t.run(db->execute("UPDATE " + name(past) + " SET " + time));
    d.t.run(db->execute("DELETE FROM " + name(day)));
    CHECK(fetch_all(d.t) == 1);
    // The day in which a row may still be put stays.
    CHECK(words_of([&] { d.t.run(db->execute("DELETE FROM " + name(day))); }) == "accepted");
    CHECK(words_of([&] { d.t.run(db->execute("DELETE FROM " + name(past))); }) != "accepted");
    // It was due before now.
    CHECK(d.in_store(h.id()));
}

TEST_CASE("a shelf of another store, or of another format, is refused in words that say what to do",
          "[shelf][shared_by_apps]") {
    shelf_desk d;
    d.far<receipt>(std::int64_t{1});
    SECTION("of another store") {
        auto settings = errand::test::fresh_settings();
        settings.name_space = d.plain.name_space;
        // The same name elsewhere: a store that keeps another namespace under it.
        settings.store = "sqlite::memory:";
        settings.shards = 1;
        shelf_desk other{d.url, settings};
        CHECK_THAT(words_of([&] { other.far<receipt>(std::int64_t{1}); }),
                   ContainsSubstring("is that of another namespace"));
        CHECK(d.on_shelf() == 1);
        // Until somebody says that it is this one's from now on: then the other one is refused.
        auto db = errand::test::open_database(d.t.app, d.url, {.install = false});
        d.t.run(db->execute("UPDATE errand_shelf SET mark = 0"));
        CHECK(words_of([&] { other.far<receipt>(std::int64_t{1}); }) == "accepted");
        shelf_desk late{d.url, d.plain};
        CHECK_THAT(words_of([&] { late.far<receipt>(std::int64_t{2}); }),
                   ContainsSubstring("is that of another namespace"));
    }
    SECTION("of another format") {
        auto db = errand::test::open_database(d.t.app, d.url, {.install = false});
        d.t.run(db->execute("UPDATE errand_shelf SET format = 99"));
        shelf_desk other{d.url, d.plain};
        CHECK_THAT(words_of([&] { other.far<receipt>(std::int64_t{1}); }), ContainsSubstring("format 99"));
    }
    SECTION("of an older format") {
        auto db = errand::test::open_database(d.t.app, d.url, {.install = false});
        d.t.run(db->execute("UPDATE errand_shelf SET format = 1"));
        shelf_desk other{d.url, d.plain};
        const auto words = words_of([&] { other.far<receipt>(std::int64_t{1}); });
        CHECK_THAT(words, ContainsSubstring("format 1,") && ContainsSubstring("until nothing is left there"));
        // What is said helps.
        const auto change = words.substr(words.find("UPDATE"));
        d.t.run(db->execute(change));
        CHECK(words_of([&] { other.far<receipt>(std::int64_t{1}); }) == "accepted");
    }
}

TEST_CASE("a shelf that is away fails what would wait there, and nothing that is due soon",
          "[shelf][served]") {
    auto server = errand::test::make_database_server(errand::test::database_kind());
    shelf_desk d{server->url(server->make_database())};
    const auto before = d.far<receipt>(std::int64_t{1});
    server->kill();
    // A process of PostgreSQL's for a connection may outlive the server for a moment.
    eventually([&] {
        return words_of([&] { d.far<receipt>(std::int64_t{2}); }).find("is away") != std::string::npos;
    });
    const auto near = d.t.run(d.t.app.handler<receipt>().perform_async(std::int64_t{3}));
    CHECK(d.t.info(near).state == state::ready);
    server->restart();
    eventually([&] { return words_of([&] { d.far<receipt>(std::int64_t{4}); }) == "accepted"; });
    CHECK(d.t.info(before).state == state::delayed);
}

TEST_CASE("a worker that stops while the shelf does not answer is there until what it has asked has ended",
          "[shelf][served]") {
    auto server = errand::test::make_database_server(errand::test::database_kind());
    shelf_desk d{server->url(server->make_database())};
    const auto h = d.far<receipt>(std::int64_t{1});
    server->freeze();
    errand::test::test_app other{d.eager()};
    other.app.provide<place>();
    other.start();
    other.stop();
    server->thaw();
    CHECK(d.t.info(h).state == state::delayed);
}

TEST_CASE("while the shelf is away who awaits several tasks hears of those that the store knows",
          "[shelf][served]") {
    auto server = errand::test::make_database_server(errand::test::database_kind());
    shelf_desk d{server->url(server->make_database())};
    d.t.start();
    const auto near = d.t.run(d.t.app.handler<receipt>().perform_async(std::int64_t{1}));
    CHECK(d.t.wait(near) == 1);
    const errand::watched_task ended{.id = *errand::parse_task_id(near.id())};
    const errand::watched_task unknown{.id = errand::derive_task_id("nobody", "1")};
    auto& core = errand::detail::core_of(d.t.app);
    const auto look = [&](const std::vector<errand::watched_task>& tasks) {
        return d.t.run(errand::on_loop(core.background(),
                                       [&](errand::loop& there) { return there.tasks().watch(tasks); }));
    };
    CHECK(look({unknown}).unknown.size() == 1);
    server->kill();
    const auto got = look({ended, unknown});
    CHECK(got.ended.size() == 1);
    CHECK(got.unknown.empty());
    CHECK_THAT(words_of([&] { look({unknown}); }), ContainsSubstring("is away"));
}

TEST_CASE("while the shelf is away a child that need not hear of its parents any more is forgotten",
          "[shelf][served]") {
    auto server = errand::test::make_database_server(errand::test::database_kind());
    shelf_desk d{server->url(server->make_database())};
    const auto parent = *errand::parse_task_id(d.far<receipt>(std::int64_t{1}).id());
    const auto child = errand::derive_task_id("child", "1");
    auto& core = errand::detail::core_of(d.t.app);
    const auto depend = [&](errand::depend_mode mode) {
        return words_of([&] {
            d.t.run(errand::on_loop(core.background(), [&](errand::loop& there) {
                return there.tasks().depend(child, mode, std::span{&parent, 1});
            }));
        });
    };
    server->kill();
    CHECK(depend(errand::depend_mode::forget) == "accepted");
    CHECK_THAT(depend(errand::depend_mode::look), ContainsSubstring("is away"));
}

TEST_CASE("what cannot be a shelf is refused before anything is opened", "[shelf]") {
    auto settings = errand::test::fresh_settings();
    settings.shelf = "oracle://nobody";
    CHECK_THAT(words_of([&] { errand::app{settings}; }),
               ContainsSubstring("is no database that this program knows"));
    settings.store = settings.shelf = "sqlite:///tmp/errand-shelf-and-store.db";
    settings.shards = 1;
    CHECK_THAT(words_of([&] { errand::app{settings}; }), ContainsSubstring("name another file"));
}
