// What the console tells of workers that are gone, of other namespaces and of days, and how it gives many tasks another due time.
#include "service/console/day_book.hpp"
#include "service/console/tenants.hpp"
#include "service/console_calls.hpp"
#include "service/programs.hpp"
#include "support/places.hpp"
#include "support/redis_server.hpp"

#include <boost/asio/steady_timer.hpp>
#include <boost/asio/this_coro.hpp>
#include <boost/asio/use_awaitable.hpp>
#include <boost/json/array.hpp>
#include <boost/json/object.hpp>

#include <catch2/catch_test_macros.hpp>
#include <catch2/matchers/catch_matchers_string.hpp>

#include <algorithm>
#include <chrono>

using Catch::Matchers::ContainsSubstring;
using errand::test::eventually;
using service_test::another_service;
using service_test::counter;
using service_test::foreign_task;
using service_test::program;
using service_test::view;
using namespace std::chrono_literals;

namespace {

// Two namespaces of a Redis of their own, which an app serves.
struct two_namespaces {
    two_namespaces() : settings{errand::test::fresh_settings()} {
        settings.store = server.url();
        settings.shards = 1;
        other = settings.name_space + "-other";
        settings.name_spaces = {{settings.name_space, 1}, {other, 1}};
    }
    void stamp(const std::string& shards) const {
        server.command({"HSET", "errand:{" + other + ".0}:control", "shards", shards});
    }
    std::ptrdiff_t connections() const {
        const auto list = server.command({"CLIENT", "LIST"});
        return std::ranges::count(list, '\n');
    }

    errand::test::redis_server server;
    errand::config settings;
    std::string other;
};

boost::json::object row_named(const boost::json::object& document, const std::string& name) {
    for (const auto& one : document.at("tenants").as_array()) {
        if (one.at("name").as_string() == name) return one.as_object();
    }
    FAIL("no row of " << name);
    return {};
}

errand::awaitable<void> until_hung_up(const two_namespaces& at, errand::app& app, std::ptrdiff_t& watched,
                                      std::ptrdiff_t& after) {
    const auto loop = co_await boost::asio::this_coro::executor;
    errand::console::tenants all{app, loop, 20ms};
    const auto seen = co_await all.document();
    CHECK(seen.at("tenants").as_array().size() == 2);
    watched = at.connections();
    const auto end = std::chrono::steady_clock::now() + 60s;
    do {
        boost::asio::steady_timer timer{loop, 5ms};
        co_await timer.async_wait(boost::asio::use_awaitable);
        after = at.connections();
    } while (after >= watched && std::chrono::steady_clock::now() < end);
    co_await all.stop();
}

}  // namespace

TEST_CASE("the overview says how many tasks were taken over from workers that gave no sign of life",
          "[service][shared_by_apps]") {
    counter t;
    {
        another_service gone{t};
        gone.there.submit(foreign_task);
        program py{gone.there};
        const auto first = py.claim_one(R"("lease_ms": 1000)");
        const auto second = py.claim_one();
        CHECK(second.at("id") == first.at("id"));
        CHECK(second.at("attempt") == 2);
        REQUIRE(py.report(second, service_test::success).status == 200);
        // What it has counted is told at its end.
        gone.there.stop_service();
    }
    CHECK(t.run(t.app.inspect().figures()).all.lost == 1);
    auto at = t.connect();
    const auto needs = view(at, "overview").at("needs").as_array();
    const auto lost = std::ranges::find_if(needs, [](const auto& one) { return one.at("kind") == "lost"; });
    REQUIRE(lost != needs.end());
    CHECK(lost->at("subject") == "py_thing");
    CHECK_THAT(std::string{lost->at("text").as_string()}, ContainsSubstring("1 task"));
}

TEST_CASE("the console says of which versions workers are", "[service]") {
    counter t;
    t.start();
    auto at = t.connect();
    boost::json::array versions;
    eventually([&] {
        versions = view(at, "health").at("versions").as_array();
        return versions.size() == 1;
    });
    CHECK(versions[0].at("version") == view(at, "health").at("version"));
    CHECK(versions[0].at("workers") == 1);
}

TEST_CASE("a namespace that cannot be looked at is shown so, and the others stand", "[service][goes_away]") {
    const two_namespaces both;
    {
        auto settings = both.settings;
        settings.name_space = both.other;
        settings.name_spaces.clear();
        errand::test::test_app other{settings};
        other.run(other.app.perform("parcel", {1}));
    }
    both.stamp("2");
    counter t{{}, both.settings};
    t.run(t.app.perform("parcel", {1}));
    auto at = t.connect();
    const auto seen = view(at, "tenants");
    CHECK(seen.at("tenants").as_array().size() == 2);
    const auto own = row_named(seen, both.settings.name_space);
    CHECK(own.at("ready") == 1);
    CHECK(own.at("trouble").is_null());
    const auto theirs = row_named(seen, both.other);
    CHECK_FALSE(theirs.contains("ready"));
    const std::string why{theirs.at("trouble").as_string()};
    CHECK_THAT(why, ContainsSubstring("cannot be looked at"));
    CHECK_THAT(why, !ContainsSubstring(both.server.socket_path()));
}

TEST_CASE("connections to other namespaces end when nobody looks at them any more", "[service][goes_away]") {
    const two_namespaces both;
    errand::test::test_app t{both.settings};
    std::ptrdiff_t watched = 0;
    std::ptrdiff_t after = 0;
    t.run(until_hung_up(both, t.app, watched, after));
    CHECK(after < watched);
}

TEST_CASE("all tasks that match get another due time by a run, each once", "[service]") {
    counter t;
    std::vector<std::string> ids;
    for (int i = 0; i < 5; ++i)
        ids.push_back(t.run(t.app.perform("parcel", {i}, {.delay = std::chrono::hours{i + 1}})).id());
    const auto apart = t.run(t.app.perform("parcel", {9}, {.delay = 1h, .tags = {"apart"}})).id();
    auto at = t.connect();
    const auto ask = [&](const std::string& more) {
        return at.ask("POST", "/ui/api/run", R"({"action": "reschedule", "queue": "parcels", )" + more + '}',
                      {"Sec-Fetch-Site: same-origin"});
    };
    CHECK(ask(R"("state": "delayed")").status == 400);
    CHECK(ask(R"("state": "dead", "at": "2100-01-01T00:00:00Z")").status == 400);
    const auto ended = [&](const std::string& more) {
        const auto begun = ask(more);
        INFO(begun.body);
        REQUIRE(begun.status == 202);
        boost::json::object run;
        eventually([&] {
            const auto seen = view(at, "runs");
            for (const auto& one : seen.at("runs").as_array()) {
                if (one.at("id") == begun.json().at("id")) run = one.as_object();
            }
            return run.at("state") != "running";
        });
        return run;
    };
    CHECK(ended(R"("state": "delayed", "dry_run": true)").at("matched") == 6);
    CHECK(ended(R"("state": "delayed", "tag": "apart", "at": "2099-01-01T00:00:00Z")").at("changed") == 1);
    const auto all = ended(R"("state": "delayed", "at": "2100-01-01T00:00:00Z")");
    CHECK(all.at("matched") == 6);
    CHECK(all.at("changed") == 6);
    ids.push_back(apart);
    const auto due = *t.task(ids.front()).due_at;
    CHECK(due > std::chrono::system_clock::now() + std::chrono::hours{24});
    for (const auto& id : ids) CHECK(t.task(id).due_at == due);
    CHECK(ended(R"("state": "delayed", "at": "2020-01-01T00:00:00Z")").at("changed") == 6);
    CHECK(t.tasks_in(errand::state::ready) == 6);
}

TEST_CASE("what is much to look at is asked for once, for all pages that show some of it",
          "[service][goes_away]") {
    errand::test::redis_server server;
    auto settings = errand::test::fresh_settings();
    settings.store = server.url();
    settings.shards = 1;
    counter t{{}, settings};
    t.run(t.app.perform("parcel", {1}));
    // So many that the store has rest for long after a look.
    std::vector<std::string> queues{"HSET", "errand:{" + settings.name_space + ".0}:counts"};
    for (int i = 0; i < 4000; ++i) {
        queues.push_back("q:queue-" + std::to_string(i));
        queues.push_back("queue-" + std::to_string(i));
    }
    REQUIRE_FALSE(server.command(queues).starts_with('-'));
    // Each question for some queues counts what runs.
    const auto questions = [&] {
        const auto all = server.command({"INFO", "commandstats"});
        const std::string field = "cmdstat_hlen:calls=";
        const auto at = all.find(field);
        return at == all.npos ? 0 : std::stol(all.substr(at + field.size()));
    };
    auto at = t.connect();
    const auto before = questions();
    CHECK(view(at, "overview").at("queues") == 4001);
    const auto of_one_look = questions() - before;
    CHECK(of_one_look >= 4001 / 25);
    for (const auto* page :
         {"queues", "queue?of=parcels", "workers", "handlers", "limits", "health", "tenants"}) {
        INFO(page);
        view(at, page);
        CHECK(questions() == before + of_one_look);
    }
    CHECK(view(at, "limits").at("queued") == 1);
    CHECK(view(at, "tenants").at("tenants").at(0).at("queued") == 1);
}

TEST_CASE("of tallies those are read that are asked for, and what they began from", "[service][goes_away]") {
    errand::test::redis_server server;
    auto settings = errand::test::fresh_settings();
    settings.store = server.url();
    settings.shards = 1;
    errand::test::test_app t{settings};
    CHECK(t.run(t.app.inspect().history(1)).empty());
    const auto now = std::chrono::system_clock::now().time_since_epoch();
    const auto day = std::chrono::floor<std::chrono::days>(now).count();
    const auto minute = std::chrono::floor<std::chrono::minutes>(now).count();
    const auto put = [&](const std::string& key, const std::string& field, const std::string& value) {
        server.command({"HSET", "errand:{" + settings.name_space + ".0}:" + key, field, value});
    };
    const auto totals = [](int done) { return R"({"s:parcels":")" + std::to_string(done) + "\"}"; };
    const auto put_minute = [&](std::int64_t at, std::int64_t of, int done) {
        put("tallies", "m" + std::to_string(at % 60), std::to_string(of) + ' ' + totals(done));
    };
    put("counts", "q:parcels", "parcels");
    put("counts", "s:parcels", "20");
    put("tallies", "d" + std::to_string(day - 3), totals(5));
    put("tallies", "d" + std::to_string(day - 1), totals(9));
    // Of an hour before, of the same place.
    put_minute(minute - 5, minute - 65, 0);
    put_minute(minute - 4, minute - 4, 14);
    const auto done = [&](int days) {
        std::vector<std::int64_t> all;
        for (const auto& one : t.run(t.app.inspect().history(days))) all.push_back(one.success);
        return all;
    };
    CHECK(done(1) == std::vector<std::int64_t>{11});
    CHECK(done(2) == std::vector<std::int64_t>{11, 4});
    CHECK(done(3) == std::vector<std::int64_t>{11, 4});
    CHECK(done(400) == std::vector<std::int64_t>{11, 4, 5});
    const auto queues = t.run(t.app.inspect().queues());
    REQUIRE(queues.size() == 1);
    CHECK(queues[0].finished == 20);
    // Six in four to six minutes.
    CHECK(queues[0].finished_per_second > 6.0 / 400);
    CHECK(queues[0].finished_per_second < 6.0 / 200);
    // What is over is read once: it stays, whatever becomes of it in the store.
    errand::console::day_book book{t.app};
    const auto first = t.run(book.of(""));
    CHECK(first.size() == 3);
    put("tallies", "d" + std::to_string(day - 3), totals(1));
    put("counts", "s:parcels", "30");
    const auto second = t.run(book.of(""));
    REQUIRE(second.size() == 3);
    CHECK(second.begin()->second.success == 5);
    CHECK(second.rbegin()->second.success == 21);
    CHECK(t.run(book.of("nowhere")).empty());
}
