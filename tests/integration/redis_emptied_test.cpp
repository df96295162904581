// A Redis that loses all its data while everybody stays connected: what was there is lost, and all goes on at once.
#include <errand/errand.hpp>

#include "store/redis/server_check.hpp"
#include "support/desk.hpp"
#include "support/redis_fixture.hpp"
#include "support/shards.hpp"

using namespace errand;
using namespace errand::test;
using namespace std::chrono_literals;

namespace {

// A producer and a worker that were at it before everything was emptied.
struct emptied : redis_fixture {
    emptied() {
        submit(producer, item_of("first"));
        finish(worker, {success_of(claim(worker, 1).claimed.at(0))});
        CHECK(claim(worker, 5).claimed.empty());
        redis({"FLUSHALL"});
    }
    member producer = join("p");
    member worker = join("w");
};

}  // namespace

TEST_CASE("who waits for tasks of an emptied Redis is told, and gets the next one") {
    emptied here;
    const auto item = item_of("next");
    here.submit(here.producer, item);
    REQUIRE(here.until([&] { return here.worker.ear->wakes > 0; }));
    CHECK(here.worker.ear->reconnects == 1);
    const auto got = here.claim(here.worker, 1).claimed;
    REQUIRE(got.size() == 1);
    CHECK(got[0].id == item.id);
    CHECK(here.redis({"HGET", here.key("control"), "format"}) == std::to_string(redis::store_format));
}

TEST_CASE("a shard of an older format that is emptied is made again in that format") {
    redis_fixture here;
    here.redis({"HSET", here.key("control"), "format", "3", "shards", "1"});
    auto worker = here.join("w");
    here.redis({"FLUSHALL"});
    here.submit(worker, item_of("next"));
    CHECK(here.claim(worker, 5).claimed.size() == 1);
    CHECK(here.redis({"HGET", here.key("control"), "format"}) == "3");
}

TEST_CASE("a look at what is due notices an emptied Redis as well") {
    emptied here;
    const std::vector<std::string> queues{"default"};
    await(here.io, here.producer->promote(queues, 10, outcome_of(state::expired)));
    REQUIRE(here.until([&] { return here.worker.ear->wakes > 0; }));
    // Once.
    await(here.io, here.producer->promote(queues, 10, outcome_of(state::expired)));
    CHECK(here.worker.ear->reconnects == 1);
}

TEST_CASE("a queue is named again by the first task that is submitted to it after Redis was emptied") {
    emptied here;
    auto item = item_of("next");
    const auto submit = [&] { here.submit_all(here.producer, {item}); };
    SECTION("by whom it is that finds it emptied") { submit(); }
    SECTION("as one that is urgent") {
        item.priority = 5;
        submit();
    }
    SECTION("when another one has found it so, which the producer has not heard of yet") {
        boost::asio::io_context io{1};
        const auto other = make_redis_store(io, here.settings("other"));
        await(io, other->open());
        submit();
        other->close();
        io.restart();
        io.run();
    }
    CHECK(here.redis({"HGET", here.key("counts"), "q:default"}) == "default");
}

TEST_CASE("the first task that is cancelled after Redis was emptied is not claimed") {
    emptied here;
    const auto item = item_of("x");
    here.submit_all(here.producer, {item});
    await(here.io, here.producer->cancel(item.id, 0, outcome_of(state::cancelled)));
    CHECK(here.claim(here.worker, 5).claimed.empty());
}

TEST_CASE("the first queue that is paused after Redis was emptied is not served") {
    emptied here;
    await(here.io, here.producer->pause("default"));
    here.submit_all(here.producer, {item_of("a"), item_of("b")});
    CHECK(here.claim(here.worker, 5).claimed.empty());
    await(here.io, here.producer->resume("default"));
    CHECK(here.claim(here.worker, 5).claimed.size() == 2);
}

TEST_CASE("the first task that is watched after Redis was emptied is heard of") {
    emptied here;
    const auto item = item_of("x");
    here.submit_all(here.producer, {item});
    const watched_task one{.id = item.id};
    await(here.io, here.producer->watch({&one, 1}));
    here.finish(here.worker, {success_of(here.claim(here.worker, 1).claimed.at(0))});
    CHECK(here.until([&] { return here.producer.ear->ended.size() == 1; }));
}

TEST_CASE("an idle worker runs what is submitted after its Redis was emptied, without waiting for a beat") {
    redis_server server;
    auto settings = desk_test::one_shard();
    settings.store = server.url();
    desk_test::desk t{settings};
    t.start();
    t.submit(1);
    t.all_end(state::success, 1);
    for (int i = 2; i < 6; ++i) {
        server.command({"FLUSHALL"});
        const auto next = t.submit(i);
        const auto begun = std::chrono::steady_clock::now();
        CHECK(t.wait(next) == i);
        // The look at a queue whose wake-up was missed comes every 5 s.
        CHECK(std::chrono::steady_clock::now() - begun < 4s);
    }
}
