// A lone task goes to a worker that waits for one together with its submission.
#include "support/desk.hpp"
#include "support/limit_fixture.hpp"
#include "support/redis_fixture.hpp"
#include "support/shards.hpp"

namespace given_test {

std::atomic<bool> started{false};
std::atomic<bool> told_to_compute{false};
std::atomic<bool> computing{false};
std::atomic<bool> released{false};

// From its release on it keeps its loop for itself.
struct computes {
    errand::awaitable<void> perform() {
        started = true;
        boost::asio::steady_timer timer{co_await boost::asio::this_coro::executor};
        while (!told_to_compute) {
            timer.expires_after(std::chrono::milliseconds{1});
            co_await timer.async_wait(boost::asio::use_awaitable);
        }
        computing = true;
        while (!released) std::this_thread::sleep_for(std::chrono::milliseconds{1});
    }
};

}  // namespace given_test

ERRAND_DEFINE_HANDLER(desk_test::chore)
ERRAND_HANDLER(given_test::computes, .queue = "chores")

using namespace errand;
using namespace errand::test;
using namespace std::chrono_literals;

namespace {

// A producer that has submitted before, and a worker that takes what it is given.
struct giving : redis_fixture {
    giving() {
        submit(producer, item_of("first"));
        finish(worker, {success_of(claim(worker, 1).claimed.at(0))});
    }

    member producer = join("p");
    member worker = join("w");

    work_answer wait(member& by, std::size_t limit = 5, duration lease = 30s) {
        work_call call;
        call.claim = {.queues = {"default"}, .limit = limit, .lease = lease, .takes_given = true};
        return await(io, by->work(call));
    }
    // Tasks of which one at a time may run.
    void submit_limited(std::size_t count) {
        await(io, producer->set_limit("crm", limit_fixture::at_most(1)));
        for (std::size_t sent = 0; sent < count; ++sent)
            submit(producer, limit_fixture::gated(limit_fixture::running("crm")));
    }
    // Messages to it that were on their way have arrived.
    void settle(member& by) { await(io, by->find(new_task_id(1))); }
};

}  // namespace

TEST_CASE("a lone task is handed to the worker that waits, under a claim with its lease") {
    giving here;
    here.wait(here.worker, 5, 20s);
    const auto item = item_of("x");
    CHECK(here.submit(here.producer, item).verdict == submit_verdict::accepted);
    REQUIRE(here.until([&] { return here.worker.ear->given.size() == 1; }));
    const auto task = here.worker.ear->given.front();
    CHECK(task.id == item.id);
    CHECK(args_of(task) == "x");
    CHECK(task.queue == "default");
    CHECK(here.worker.ear->wakes == 0);
    CHECK(here.state_of(here.producer, item.id) == state::working);
    CHECK(here.size_of("ready:default") == "0");
    const auto ends = std::stoll(here.redis({"ZSCORE", here.key("leases"), redis::claim_text(task.claim)}));
    CHECK(ends - here.worker->now().time_since_epoch().count() > 5'000);
    CHECK(ends - here.worker->now().time_since_epoch().count() <= 25'000);
    CHECK(here.finish(here.worker, {success_of(task)}) == std::vector{report_verdict::accepted});
    CHECK(here.state_of(here.producer, item.id) == state::success);
}

TEST_CASE("a worker that was handed a task waits no more until it claims again") {
    giving here;
    here.wait(here.worker);
    here.submit(here.producer, item_of("a"));
    REQUIRE(here.until([&] { return here.worker.ear->given.size() == 1; }));
    here.submit(here.producer, item_of("b"));
    here.settle(here.worker);
    CHECK(here.worker.ear->given.size() == 1);
    CHECK(here.worker.ear->wakes == 0);
    CHECK(here.wait(here.worker).claimed.size() == 1);
    here.submit(here.producer, item_of("c"));
    REQUIRE(here.until([&] { return here.worker.ear->given.size() == 2; }));
}

TEST_CASE("what is handed over and never taken up is recovered like what a dead worker holds") {
    giving here;
    here.wait(here.worker);
    here.submit(here.producer, item_of("x"));
    REQUIRE(here.until([&] { return here.worker.ear->given.size() == 1; }));
    const auto task = here.worker.ear->given.front();
    here.redis({"ZADD", here.key("leases"), "1", redis::claim_text(task.claim)});
    const auto got = await(here.io, here.producer->recover(10, 30s)).tasks;
    REQUIRE(got.size() == 1);
    CHECK(got[0].id == task.id);
    CHECK(got[0].handed);
    here.redis({"ZADD", here.key("leases"), "1", redis::claim_text(got[0].claim)});
    CHECK_FALSE(await(here.io, here.producer->recover(10, 30s)).tasks.at(0).handed);
    CHECK(here.finish(here.worker, {success_of(task)}) == std::vector{report_verdict::lease_lost});
}

TEST_CASE(
    "a worker that hears too late what it was handed leaves it to who recovers it, and claims at once") {
    giving here;
    here.wait(here.worker);
    const auto item = item_of("x");
    const auto message = [&](const std::string& claim) {
        return "t" + claim + " " + std::string{item.id.view()} + item.body;
    };
    const auto now = here.worker->now().time_since_epoch().count() * 1000;
    here.redis({"PUBLISH", here.key("wake:w"), message(std::to_string(now - 31'000'000))});
    here.redis({"PUBLISH", here.key("wake:w"), message(std::to_string(now))});
    REQUIRE(here.until([&] { return here.worker.ear->given.size() == 1; }));
    CHECK(here.worker.ear->given.front().claim == static_cast<claim_number>(now));
    // It stands in no idle set any more.
    CHECK(here.worker.ear->wakes == 1);
    here.redis({"PUBLISH", here.key("wake:w"), "tno claim"});
    REQUIRE(here.until([&] { return here.worker.ear->wakes == 2; }));
}

TEST_CASE("a task is handed to nobody who is gone") {
    giving here;
    for (int i = 0; i < 3; ++i) {
        auto gone = here.join("gone" + std::to_string(i));
        here.wait(gone);
    }
    REQUIRE(here.until([&] { return here.redis({"PUBSUB", "CHANNELS", here.key("wake:gone*")}).empty(); }));
    const auto item = item_of("x");
    here.submit(here.producer, item);
    CHECK(here.state_of(here.producer, item.id) == state::ready);
    CHECK(here.wait(here.worker, 1).claimed.at(0).id == item.id);
}

TEST_CASE(
    "a task is not handed over past others that wait, nor out of a paused queue, nor when it is large") {
    giving here;
    std::string args = "x";
    SECTION("past others") {
        here.submit_all(here.producer, {item_of("a"), item_of("b")});
        here.redis({"SADD", here.key("idle:default"), "w\n30000"});
    }
    SECTION("an urgent one among them") {
        here.submit(here.producer, item_of("urgent", "default", 5));
        here.redis({"SADD", here.key("idle:default"), "w\n30000"});
    }
    SECTION("a limited one that may run") {
        here.submit_limited(1);
        here.redis({"SADD", here.key("idle:default"), "w\n30000"});
    }
    SECTION("paused") {
        here.wait(here.worker);
        await(here.io, here.producer->pause("default"));
    }
    SECTION("large") {
        here.wait(here.worker);
        args.assign(40'000, 'x');
    }
    const auto item = item_of(args);
    here.submit(here.producer, item);
    REQUIRE(here.until([&] { return here.worker.ear->wakes == 1; }));
    CHECK(here.worker.ear->given.empty());
    CHECK(here.state_of(here.producer, item.id) == state::ready);
}

TEST_CASE("a lone task is handed over beside those that wait for their limit") {
    giving here;
    here.submit_limited(2);
    REQUIRE(here.wait(here.worker, 1).claimed.size() == 1);
    REQUIRE(here.wait(here.worker).claimed.empty());
    const auto item = item_of("x");
    here.submit(here.producer, item);
    REQUIRE(here.until([&] { return here.worker.ear->given.size() == 1; }));
    CHECK(here.worker.ear->given.front().id == item.id);
}

TEST_CASE("a worker that leaves or has no room stands in no queue for tasks to be handed to") {
    giving here;
    here.wait(here.worker);
    const std::vector<std::string> queues{"default"};
    SECTION("it leaves") { await(here.io, here.worker->leave(queues)); }
    SECTION("it has no room") { await(here.io, here.worker->busy(queues)); }
    here.submit(here.producer, item_of("x"));
    here.settle(here.worker);
    CHECK(here.worker.ear->given.empty());
    CHECK(here.size_of("ready:default") == "1");
}

TEST_CASE("a task handed to a worker without a free slot is given back, and runs when there is one") {
    auto settings = desk_test::one_shard();
    settings.concurrency = 1;
    desk_test::desk t{settings};
    const auto redis = [&](std::vector<std::string> words) { return shared_redis().command(words); };
    const auto key = [&](const std::string& part) { return shard_key(settings, part); };
    t.start();
    desk_test::blocked = true;
    t.submit(1);
    eventually([&] { return t.count(state::working) == 1; });
    const auto claim = redis({"HGET", key("control"), "claim"});
    const std::string mark{redis::process_mark()};
    const auto line = redis({"HGET", key("claims"), claim + mark});
    const auto name = line.substr(0, line.find('\n'));
    // As if the submission had been quicker than the claim by which the worker took itself off.
    redis({"SADD", key("idle:chores"), name + "\n30000" + mark});
    const auto second = t.submit(2);
    CHECK(redis({"HGET", key("control"), "claim"}) != claim);
    eventually([&] { return t.info(second).state == state::ready; });
    CHECK(t.count(state::working) == 1);
    desk_test::blocked = false;
    t.all_end(state::success, 2);
}

TEST_CASE("a task whose handing over was lost is run all the same, even one that may not be retried") {
    const auto settings = desk_test::one_shard();
    desk_test::desk t{settings};
    const auto redis = [&](std::vector<std::string> words) { return shared_redis().command(words); };
    const auto key = [&](const std::string& part) { return shard_key(settings, part); };
    {
        desk_test::desk other{settings};
        other.start();
        t.submit(1);
        t.all_end(state::success, 1);
    }
    // Somebody who hears the channel and takes nothing, like a connection that is about to break: the submitter itself.
    const auto channel = redis({"PUBSUB", "CHANNELS", key("wake:") + "*"});
    redis({"SADD", key("idle:chores"),
           channel.substr(key("wake:").size(), channel.find('\n') - key("wake:").size()) + "\n1"});
    const auto second = t.submit(2);
    CHECK(t.info(second).state == state::working);
    t.start();
    t.all_end(state::success, 2);
    CHECK(t.info(second).errors.empty());
}

TEST_CASE("a worker that computed while the lease of what it was handed ran out goes on to work") {
    using namespace given_test;
    started = told_to_compute = computing = released = false;
    auto settings = desk_test::one_shard();
    settings.concurrency = 2;
    settings.threads = 1;
    settings.lease = 1s;
    desk_test::desk t{settings};
    t.start();
    t.run(t.app.handler<computes>().perform_async());
    eventually([&] { return started.load(); });
    eventually([&] { return shared_redis().command({"SCARD", shard_key(settings, "idle:chores")}) == "1"; });
    told_to_compute = true;
    eventually([&] { return computing.load(); });
    const auto second = t.submit(2);
    CHECK(t.info(second).state == state::working);
    eventually([&] { return t.info(second).state == state::ready; });
    released = true;
    CHECK(t.wait(second) == 2);
}

TEST_CASE("a worker that stands in no idle set although it has room claims within seconds") {
    auto settings = desk_test::one_shard();
    desk_test::desk t{settings};
    t.start();
    const auto idle = [&](const std::string& how) {
        return shared_redis().command({how, shard_key(settings, "idle:chores")});
    };
    eventually([&] { return idle("SCARD") == "1"; });
    CHECK(idle("DEL") == "1");
    CHECK(t.wait(t.submit(1)) == 1);
    eventually([&] { return idle("SCARD") == "1"; });
}
