// Looking at a Redis with much in it: no call is over all of it. What it is asked is counted.
#include <errand/config.hpp>
#include <errand/error.hpp>

#include "app/stored_formats.hpp"
#include "support/redis_fixture.hpp"
#include "support/tcp_gate.hpp"

#include <boost/json/object.hpp>
#include <boost/json/parse.hpp>

#include <catch2/catch_test_macros.hpp>
#include <catch2/matchers/catch_matchers_exception.hpp>
#include <catch2/matchers/catch_matchers_string.hpp>

#include <algorithm>
#include <chrono>
#include <set>
#include <string>
#include <vector>

using namespace errand;
using namespace errand::test;
using namespace std::chrono_literals;
using Catch::Matchers::ContainsSubstring;
using Catch::Matchers::MessageMatches;

namespace {

constexpr int numbers_there = 4500;

struct looked_at : redis_fixture {
    member worker = join("w");

    // How often Redis was asked so, by scripts too.
    long asked(const std::string& command) const {
        const auto all = redis({"INFO", "commandstats"});
        const auto field = "\ncmdstat_" + command + ":calls=";
        const auto at = all.find(field);
        return at == all.npos ? 0 : std::stol(all.substr(at + field.size()));
    }
    template <class Do>
    long asked_during(const std::string& command, Do what) {
        const auto before = asked(command);
        what();
        return asked(command) - before;
    }

    std::int64_t minute() const { return std::stol(redis({"TIME"})) / 60; }
    // What it does is done anew until a minute holds all of it, and no tally of this minute is there before.
    template <class Do>
    void within_a_minute(Do what) {
        for (std::int64_t began = -1; began != minute();) {
            began = minute();
            redis({"HDEL", key("control"), "tallied", "tally"});
            redis({"DEL", key("tallies")});
            what();
        }
    }
    void beat() { await(io, worker->beat("{}", 30s, {})); }
    boost::json::object tally() {
        return boost::json::parse(redis({"HGET", key("tallies"), 'd' + std::to_string(minute() / 1440)}))
            .as_object();
    }
    void count_successes() {
        std::vector<std::string> words{"HSET", key("counts")};
        for (int i = 0; i < numbers_there; ++i) {
            words.push_back("s:queue-" + std::to_string(i));
            words.push_back(std::to_string(i));
        }
        REQUIRE_FALSE(redis(words).starts_with('-'));
    }
};

}  // namespace

TEST_CASE("a server that takes another one's place meanwhile passes over none of what runs") {
    looked_at t;
    std::vector<submission_item> items;
    for (int i = 0; i < 400; ++i) items.push_back(item_of("[]"));
    t.submit_all(t.worker, items);
    std::set<task_id> runs;
    while (runs.size() < items.size()) {
        for (const auto& one : t.claim(t.worker, 100).claimed) runs.insert(one.id);
    }
    list_call call;
    call.of = {"", "working"};
    call.where = state::working;
    call.limit = 25;
    int pages = 0;
    for (bool more = true; more;) {
        const auto page = await(t.io, t.worker->list(call));
        for (const auto& one : page.items) runs.erase(one.task.id);
        more = page.more;
        call.after = page.last;
        if (++pages == 8) {
            REQUIRE_FALSE(runs.empty());
            t.redis({"SAVE"});
            t.server.stop();
            t.server.restart();
        }
        REQUIRE(pages < 100);
    }
    CHECK(runs.empty());
}

TEST_CASE("a tally of many counters is kept some of them a call, and is whole") {
    looked_at here;
    here.submit(here.worker, item_of("x"));
    here.count_successes();
    long pages = 0;
    long pages_again = 0;
    here.within_a_minute([&] {
        pages = here.asked_during("hscan", [&] { here.beat(); });
        pages_again = here.asked_during("hscan", [&] { here.beat(); });
    });
    CHECK(pages > numbers_there / 1000);
    CHECK(pages_again == 0);
    const auto all = here.tally();
    CHECK(all.size() == numbers_there);
    for (int i = 0; i < numbers_there; ++i)
        REQUIRE(all.at("s:queue-" + std::to_string(i)).as_string() == std::to_string(i));
    // Of the minute and of the day; no part is left.
    CHECK(here.size_of("tallies") == "2");
    CHECK(here.redis({"HEXISTS", here.key("control"), "tally"}) == "0");
}

TEST_CASE("a tally goes on where another worker has stopped, and not by the place of another server") {
    looked_at here;
    here.count_successes();
    const auto info = here.redis({"INFO", "server"});
    const auto run = info.substr(info.find("run_id:") + 7, 40);
    for (const bool same_server : {true, false}) {
        INFO(same_server);
        here.within_a_minute([&] {
            // The first part of two has one counter that is gone by now.
            here.redis({"HSET", here.key("tallies"), "p1", R"("s:gone":"1")"});
            here.redis({"HSET", here.key("control"), "tally",
                        std::to_string(here.minute()) + " 1 0 " + (same_server ? run : "0badc0de")});
            here.beat();
        });
        const auto all = here.tally();
        CHECK(all.contains("s:gone") == same_server);
        CHECK(all.size() == numbers_there + (same_server ? 1 : 0));
        CHECK(here.size_of("tallies") == "2");
    }
    // What is left to do of another one is to copy it for the day.
    const auto pages = here.asked_during("hscan", [&] {
        here.within_a_minute([&] {
            here.redis({"HSET", here.key("tallies"), 'm' + std::to_string(here.minute() % 60),
                        std::to_string(here.minute()) + R"( {"s:seen":"7"})"});
            here.redis({"HSET", here.key("control"), "tally",
                        std::to_string(here.minute()) + " 3 day " + run});
            here.beat();
        });
    });
    CHECK(pages == 0);
    CHECK(here.tally() == boost::json::object{{"s:seen", "7"}});
}

TEST_CASE("a tally of many counters is kept for a user who may not ask for INFO") {
    looked_at here;
    here.count_successes();
    here.within_a_minute([&] {
        here.redis({"ACL", "SETUSER", "default", "-info"});
        here.beat();
        here.redis({"ACL", "SETUSER", "default", "+info"});
    });
    CHECK(here.tally().size() == numbers_there);
}

TEST_CASE("an overview asks for few queues a call, and for fewer where large tasks are next") {
    looked_at here;
    const std::string large(300'000, 'x');
    for (int i = 0; i < 12; ++i) here.submit(here.worker, item_of(large, "large-" + std::to_string(i)));
    for (int i = 0; i < 60; ++i) here.submit(here.worker, item_of("x", "small-" + std::to_string(i)));
    overview_answer seen;
    // Each call counts what runs, once. Two large tasks are half a megabyte.
    const auto calls = here.asked_during("hlen", [&] { seen = await(here.io, here.worker->overview()); });
    CHECK(calls == 12 / 2 + 3);
    REQUIRE(seen.queues.size() == 72);
    for (const auto& one : seen.queues) {
        INFO(one.queue);
        CHECK(one.ready == 1);
        CHECK(one.next_submitted_at);
    }
}

TEST_CASE("figures of many handlers are read some of them a call") {
    looked_at here;
    std::vector<handler_count> counts;
    for (int i = 0; i < numbers_there; ++i) counts.push_back({"handler-" + std::to_string(i), 0, i});
    await(here.io, here.worker->add_figures(counts));
    figures_answer got;
    const auto pages = here.asked_during("hscan", [&] { got = await(here.io, here.worker->figures()); });
    CHECK(pages > numbers_there / 1000);
    CHECK(got.counts.size() == numbers_there);
    std::int64_t sum = 0;
    for (const auto& one : got.counts) sum += one.times;
    CHECK(sum == std::int64_t{numbers_there} * (numbers_there - 1) / 2);
}

TEST_CASE(
    "servers whose formats are looked at are asked side by side: one that hangs keeps none from being asked") {
    redis_fixture first{redis_server::options{.tcp = true}}, second{redis_server::options{.tcp = true}};
    tcp_gate hanging{first.server.port()}, answering{second.server.port()};
    hanging.stall(true);
    config settings;
    settings.store = hanging.url() + "," + answering.url();
    settings.store_timeout = 1s;
    CHECK_THROWS_MATCHES(stored_formats(settings), store_error,
                         MessageMatches(ContainsSubstring(std::to_string(hanging.port()))));
    CHECK(second.until([&] { return answering.connections() == 1; }));
    hanging.stall(false);
    const auto seen = stored_formats(settings);
    REQUIRE(seen.size() == 2);
    CHECK(seen[0].store == hanging.url());
    CHECK(seen[1].store == answering.url());
}
