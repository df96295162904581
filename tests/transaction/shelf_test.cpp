// Tasks that wait on the shelf: where they are, what is done with them, and that each runs once whoever is killed.
#include "core/random.hpp"
#include "core/record.hpp"
#include "core/shelf_rules.hpp"
#include "handlers.hpp"
#include "runtime/app_core.hpp"
#include "runtime/loop.hpp"
#include "runtime/on_loop.hpp"
#include "store/shards/routes.hpp"
#include "store/shelf_store.hpp"
#include "support/database_fixture.hpp"
#include "support/database_server.hpp"
#include "support/redis_server.hpp"
#include "support/replica.hpp"
#include "support/shards.hpp"
#include "support/test_app.hpp"

#include <catch2/catch_test_macros.hpp>
#include <catch2/matchers/catch_matchers_string.hpp>

#include <algorithm>
#include <array>
#include <atomic>
#include <functional>
#include <future>
#include <memory>
#include <numeric>
#include <set>

using namespace std::chrono_literals;
using namespace committed;
using Catch::Matchers::ContainsSubstring;
using errand::state;
using errand::test::eventually;
using errand::test::sql;
using errand::test::test_app;

namespace {

errand::config with_shelf(errand::config settings, const std::string& url) {
    settings.shelf = url;
    settings.shelf_ahead = 1s;
    return settings;
}

// A namespace with a shelf, and the same one as programs see it that bring all that is due within days, or know of no shelf.
struct shelf_desk {
    explicit shelf_desk(std::string shelf = errand::test::fresh_database_url(),
                        errand::config of = errand::test::fresh_settings())
        : url{std::move(shelf)}, plain{std::move(of)}, t{with_shelf(plain, url)} {
        t.app.provide<place>();
    }

    errand::config eager() const {
        auto settings = with_shelf(plain, url);
        settings.shelf_ahead = 20 * 24h;
        return settings;
    }

    template <class Handler, class Arg>
    auto far(const Arg& arg, errand::options how = {}) {
        how.delay = 5 * 24h;
        return t.run(t.app.handler<Handler>().with(how).perform_async(arg));
    }
    std::size_t on_shelf() { return t.run(t.app.inspect().shelf())->tasks; }
    bool in_store(const std::string& id) {
        test_app blind{plain};
        return blind.run(blind.app.find(id)).has_value();
    }

    std::string url;
    errand::config plain;
    test_app t;
};

// What will be due soon, as a worker fetches it.
std::size_t fetch_all(test_app& by) {
    auto& core = errand::detail::core_of(by.app);
    const auto of = std::make_shared<errand::shelf_pass>();
    std::size_t all = 0;
    while (!of->over) {
        all += by.run(errand::on_loop(core.background(),
                                      [of](errand::loop& there) { return there.tasks().fetch_shelved(of); }));
    }
    return all;
}

// As the client submits it under an id that others use as well.
errand::submission_item item_under(const errand::task_id& id, errand::on_conflict rule,
                                   errand::duration delay) {
    errand::task_body body;
    body.queue = "default";
    body.handler = "committed::soon_free";
    body.args = "[1]";
    body.life = errand::random_bits();
    errand::submission_item item;
    item.id = id;
    item.body = errand::encode(body);
    item.queue = body.queue;
    item.delay = delay;
    item.conflict = rule;
    item.shelve_after = 1h;
    return item;
}

errand::submit_verdict submit(test_app& by, errand::submission_item item) {
    auto& core = errand::detail::core_of(by.app);
    return by
        .run(errand::on_loop(core.background(),
                             [&](errand::loop& there) {
                                 return there.submissions().submit(std::move(item));
                             }))
        .verdict;
}

std::string words_of(const std::function<void()>& what) {
    try {
        what();
    } catch (const errand::error& e) {
        return e.what();
    }
    return "accepted";
}

}  // namespace

TEST_CASE("a task that is due far from now waits on the shelf, and not in the store",
          "[shelf][shared_by_apps]") {
    shelf_desk d;
    const auto h = d.far<receipt>(std::int64_t{7});
    CHECK_FALSE(h.duplicate());
    CHECK_FALSE(d.in_store(h.id()));
    const auto info = d.t.info(h);
    CHECK(info.state == state::delayed);
    CHECK(info.queue == "receipts");
    REQUIRE(info.due_at);
    const auto seen = d.t.run(d.t.app.inspect().shelf());
    REQUIRE(seen);
    CHECK(seen->tasks == 1);
    CHECK(seen->next_due == info.due_at);
    CHECK(seen->days.size() == 1);
    const auto page =
        d.t.run(d.t.app.inspect().list({.state = state::delayed, .handler = "committed::receipt"}));
    REQUIRE(page.tasks.size() == 1);
    CHECK(page.tasks[0].id == h.id());
    // What is due soon does not, nor what the handler wants in the store.
    const auto soon = d.t.run(d.t.app.handler<receipt>().perform_in(30min, std::int64_t{8}));
    CHECK(d.in_store(soon.id()));
    const auto never = d.t.run(d.t.app.handler<unshelved>().perform_in(24h * 5, std::int64_t{9}));
    CHECK(d.in_store(never.id()));
    CHECK(d.on_shelf() == 1);
}

TEST_CASE("many at once go to the shelf, are listed in their order page by page, and are brought each once",
          "[shelf][shared_by_apps]") {
    shelf_desk d;
    std::vector<std::int64_t> numbers(700);
    std::iota(numbers.begin(), numbers.end(), 0);
    std::set<std::string> ids;
    auto all = d.t.run(d.t.app.handler<receipt>().with({.delay = 5 * 24h}).perform_bulk(numbers));
    for (const auto& h : all) ids.insert(h.id());
    CHECK(d.on_shelf() == 700);
    for (const auto order : {errand::list_order::oldest_first, errand::list_order::newest_first}) {
        std::set<std::string> listed;
        std::string after;
        do {
            auto page = d.t.run(d.t.app.inspect().list({.state = state::delayed}, after, 90, order));
            for (const auto& one : page.tasks) CHECK(listed.insert(one.id).second);
            after = page.next;
        } while (!after.empty());
        CHECK(listed == ids);
    }
    test_app first{d.eager()}, second{d.eager()};
    auto other = std::async(std::launch::async, [&] { return fetch_all(second); });
    const auto by_one = fetch_all(first);
    const auto by_other = other.get();
    // Who finds no row while the other one has them has nothing to do.
    const auto rest = fetch_all(first);
    CHECK(by_one + by_other + rest == 700);
    CHECK(d.on_shelf() == 0);
    for (const auto& one : {*ids.begin(), *ids.rbegin()}) CHECK(d.in_store(one));
}

TEST_CASE("a worker brings what falls due and runs it, not before its time", "[shelf]") {
    shelf_desk d;
    const auto h = d.t.run(d.t.app.handler<soon_shelved>().perform_in(3s, std::int64_t{5}));
    CHECK(d.on_shelf() == 1);
    const auto due = d.t.info(h).due_at.value();
    d.t.start();
    eventually([&] { return d.t.info(h).state == state::success; });
    CHECK(d.t.info(h).finished_at.value() >= due);
    // Struck off by who has brought it, who may be behind who runs it.
    eventually([&] { return d.on_shelf() == 0; });
}

TEST_CASE("who cancels, reschedules or awaits a task on the shelf has it brought", "[shelf]") {
    shelf_desk d;
    const auto cancelled = d.far<receipt>(std::int64_t{1});
    CHECK(d.t.run(cancelled.cancel()));
    CHECK(d.t.info(cancelled).state == state::cancelled);
    const auto moved = d.far<receipt>(std::int64_t{2});
    d.t.start();
    CHECK(d.t.run(moved.reschedule(std::chrono::system_clock::now())));
    CHECK(d.t.wait(moved) == 2);
    const auto awaited = d.far<receipt>(std::int64_t{3});
    CHECK_THROWS_AS(d.t.run(awaited.result(10ms)), errand::timed_out);
    CHECK(d.t.info(awaited).state == state::delayed);
    const auto removed = d.far<receipt>(std::int64_t{4});
    CHECK(d.t.run(d.t.app.inspect().remove(removed.id())));
    CHECK_FALSE(d.t.run(d.t.app.find(removed.id())));
    eventually([&] { return d.on_shelf() == 0; });
}

TEST_CASE("what waits for a task on the shelf runs after it", "[shelf]") {
    shelf_desk d;
    const auto parent = d.far<receipt>(std::int64_t{1});
    const auto child =
        d.t.run(d.t.app.handler<receipt>().with({.after = {parent}}).perform_async(std::int64_t{2}));
    CHECK(d.t.info(child).state == state::waiting);
    d.t.start();
    d.t.run(parent.reschedule(std::chrono::system_clock::now()));
    CHECK(d.t.wait(child) == 2);
}

TEST_CASE("a biz_id is held from the shelf, against what is due far from now and what is not", "[shelf]") {
    shelf_desk d;
    const std::string key = "order 1";
    const auto first = d.far<named>(key);
    CHECK_FALSE(first.duplicate());
    SECTION("another one that is due later is a duplicate, and stays one row") {
        const auto again = d.far<named>(key);
        CHECK(again.duplicate());
        CHECK(again.id() == first.id());
        CHECK(d.on_shelf() == 1);
    }
    SECTION("one for now is a duplicate, and the first one runs") {
        CHECK(d.t.run(d.t.app.handler<named>().perform_async(key)).duplicate());
        CHECK(d.t.info(first).state == state::delayed);
    }
    SECTION("of many at once one is taken") {
        const auto all = d.t.run(d.t.app.handler<named>()
                                     .with({.delay = 5 * 24h})
                                     .perform_bulk(std::vector<std::string>{"a", "b", "a", key}));
        CHECK(all[0].duplicate() != all[2].duplicate());
        CHECK_FALSE(all[1].duplicate());
        CHECK(all[3].duplicate());
        CHECK(d.on_shelf() == 3);
    }
    SECTION("so is that of each of many") {
        std::vector<std::string> keys;
        for (int i = 0; i < 250; ++i) keys.push_back("many " + std::to_string(i));
        d.t.run(d.t.app.handler<named>().with({.delay = 5 * 24h}).perform_bulk(keys));
        CHECK(d.on_shelf() == 251);
        const auto all = d.t.run(d.t.app.handler<named>().perform_bulk(keys));
        CHECK(std::ranges::all_of(all, [](const auto& h) { return h.duplicate(); }));
        CHECK(d.on_shelf() == 1);
    }
    SECTION("where duplicates are refused it is") {
        CHECK_THROWS_AS(d.far<named>(key, {.on_duplicate = errand::reject}), errand::duplicate_task);
    }
    SECTION("where they replace the first one its due time is another one") {
        const auto other = d.t.run(
            d.t.app.handler<named>().with({.on_duplicate = errand::replace}).perform_in(24h * 9, key));
        CHECK_FALSE(other.duplicate());
        CHECK(d.t.info(other).due_at.value() > std::chrono::system_clock::now() + 24h * 8);
    }
    SECTION("one that stands in the store holds it too") {
        const auto near = d.t.run(d.t.app.handler<named>().perform_async("order 2"));
        CHECK(d.far<named>(std::string{"order 2"}).duplicate());
        CHECK(d.on_shelf() == 1);
    }
}

TEST_CASE("what has ended and is kept holds its id against the shelf as far as the submission says",
          "[shelf]") {
    using enum errand::submit_verdict;
    using errand::on_conflict;
    shelf_desk d;
    d.t.start();
    // The child of a stage that runs again, and an id that a client has chosen.
    for (const auto rule : {on_conflict::adopt, on_conflict::where_free}) {
        const auto id = errand::derive_task_id("ended", std::to_string(static_cast<int>(rule)));
        CHECK(submit(d.t, item_under(id, rule, 0s)) == accepted);
        eventually([&] {
            const auto there = d.t.run(d.t.app.find(errand::to_text(id)));
            return there && there->state == state::success;
        });
        CHECK(submit(d.t, item_under(id, rule, 5 * 24h)) == duplicate);
        CHECK(d.on_shelf() == 0);
    }
    const auto free = errand::derive_task_id("ended", std::to_string(static_cast<int>(on_conflict::adopt)));
    CHECK(submit(d.t, item_under(free, on_conflict::keep, 5 * 24h)) == accepted);
    CHECK(d.on_shelf() == 1);
}

TEST_CASE("a biz_id is held from the shelf against a transaction's task", "[shelf][through_outbox]") {
    shelf_desk d;
    const std::string key = "order 1";
    const auto first = d.far<named>(key);
    errand::test::test_database db{d.t.app};
    const auto late =
        d.t.run(errand::transaction(*db, [&](auto&) -> errand::awaitable<errand::handle<std::string>> {
            co_return co_await d.t.app.handler<named>().perform_async(key);
        }));
    eventually([&] { return d.t.info(first).state == state::delayed && d.in_store(first.id()); });
}

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
    const auto table = "errand_shelf_d" + std::to_string(day);
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
    const auto table = "errand_shelf_d" + std::to_string(errand::shelf_day(d.t.info(h).due_at.value()));
    d.t.run(db->execute("CREATE TABLE left_rows AS SELECT * FROM " + table));
    const auto notes = [&] {
        return d.t.run(db->query<std::int64_t>("SELECT count(*) FROM errand_shelf_brought")).at(0);
    };
    const auto note = [&](const std::string& at) {
        d.t.run(db->execute("INSERT INTO errand_shelf_brought(noted_at, space, id) SELECT " + at +
                            ", space, id FROM left_rows"));
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

TEST_CASE("what takes the place of a task on the shelf ends it", "[shelf]") {
    shelf_desk d{errand::test::fresh_database_url(), errand::test::settings_in_shards(1)};
    const auto h = d.far<receipt>(std::int64_t{1});
    const auto id = *errand::parse_task_id(h.id());
    auto& core = errand::detail::core_of(d.t.app);
    const auto there =
        d.t.run(errand::on_loop(core.background(), [id](errand::loop& on) { return on.tasks().find(id); }));
    REQUIRE(there);
    auto item = item_under(errand::derive_task_id("instead", "1"), errand::on_conflict::keep, 0s);
    errand::task_outcome outcome;
    outcome.ended_as = state::cancelled;
    outcome.retention = 24h;
    item.instead_of = errand::task_to_end{
        .id = id, .life = errand::incarnation_of(there->body), .outcome = errand::encode(outcome)};
    CHECK(submit(d.t, std::move(item)) == errand::submit_verdict::accepted);
    CHECK(d.t.info(h).state == state::cancelled);
    CHECK(d.on_shelf() == 0);
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
    CHECK(submit(d.t, item_under(ids[1][1], on_conflict::keep, 5 * 24h)) == errand::submit_verdict::accepted);
    std::size_t of_away = 1;
    for (std::int64_t i = 0; i < 40; ++i) of_away += shard_of(*errand::parse_task_id(d.far<receipt>(i).id()));
    REQUIRE(of_away > 1);
    REQUIRE(of_away < 41);
    away.kill();
    CHECK(fetch_all(brings) == 41 - of_away);
    CHECK(d.on_shelf() == of_away);
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
    eventually([&] {
        fetch_all(brings);
        return d.on_shelf() == 0;
    });
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
    const auto name = [](std::int64_t of) { return "errand_shelf_d" + std::to_string(of); };
    // As if it had been put there days ago.
    d.t.run(db->execute("CREATE TABLE " + name(past) + " AS SELECT * FROM " + name(day)));
    d.t.run(db->execute("UPDATE " + name(past) + " SET due_at = " + std::to_string(past * 86'400'000 + 5)));
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
}

TEST_CASE("namespaces have one database for their shelves, and each sees its own", "[shelf]") {
    shelf_desk d;
    shelf_desk other{d.url};
    d.far<receipt>(std::int64_t{1});
    other.far<named>(std::string{"k"});
    CHECK_FALSE(d.far<named>(std::string{"k"}).duplicate());
    CHECK(d.on_shelf() == 2);
    CHECK(other.on_shelf() == 1);
}

TEST_CASE("a shelf that is away fails what would wait there, and nothing that is due soon",
          "[shelf][served]") {
    auto server = errand::test::make_database_server(errand::test::database_kind());
    shelf_desk d{server->url(server->make_database())};
    const auto before = d.far<receipt>(std::int64_t{1});
    server->kill();
    CHECK_THAT(words_of([&] { d.far<receipt>(std::int64_t{2}); }), ContainsSubstring("is away"));
    const auto near = d.t.run(d.t.app.handler<receipt>().perform_async(std::int64_t{3}));
    CHECK(d.t.info(near).state == state::ready);
    server->restart();
    eventually([&] { return words_of([&] { d.far<receipt>(std::int64_t{4}); }) == "accepted"; });
    CHECK(d.t.info(before).state == state::delayed);
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
