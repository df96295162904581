// Every abort is ambiguous: connections cut before and after a call ran, Redis restarted, scripts forgotten.
#include <errand/error.hpp>

#include "runtime/submissions.hpp"
#include "support/redis_fixture.hpp"
#include "support/tcp_gate.hpp"

#include <catch2/generators/catch_generators.hpp>
#include <catch2/matchers/catch_matchers_exception.hpp>
#include <catch2/matchers/catch_matchers_string.hpp>

#include <fstream>

using namespace errand;
using namespace errand::test;
using namespace std::chrono_literals;
using Catch::Matchers::ContainsSubstring;
using Catch::Matchers::MessageMatches;

namespace {

struct gated_fixture : redis_fixture {
    explicit gated_fixture(redis_server::options how = {.tcp = true}) : redis_fixture{std::move(how)} {}
    tcp_gate gate{server.port()};

    member join_gated(const std::string& name, std::optional<duration> patience = 10s) {
        auto with = settings(name);
        with.url = gate.url();
        with.patience = patience;
        return join(with);
    }
};

}  // namespace

TEST_CASE("a submission whose answer was lost is made once, and its repeat gets the first answer") {
    const std::size_t passed = GENERATE(as<std::size_t>{}, 0, 7);
    gated_fixture redis;
    auto producer = redis.join_gated("p");
    auto held = item_of("held");
    redis.submit(producer, held);
    redis.gate.cut_reply(passed);
    const auto fresh = item_of("fresh");
    const auto answers = redis.submit_all(producer, {fresh, item_with(held.id, "x")});
    CHECK(redis.gate.reply_was_cut());
    // Without the lane's memory the fresh one would now be a duplicate of itself.
    CHECK(answers[0].verdict == submit_verdict::accepted);
    CHECK(answers[0].life == incarnation_of(fresh.body));
    CHECK(answers[1].verdict == submit_verdict::duplicate);
    CHECK(redis.size_of("ready:default") == "2");
}

TEST_CASE("a submission in place of another task whose answer was lost is made once, and ends that one") {
    const std::size_t passed = GENERATE(as<std::size_t>{}, 0, 7);
    gated_fixture redis;
    auto producer = redis.join_gated("p"), worker = redis.join("w");
    auto old = item_of("old");
    old.delay = 1h;
    redis.submit(producer, old);
    auto item = item_of("new");
    item.instead_of = task_to_end{
        .id = old.id, .life = incarnation_of(old.body), .outcome = outcome_of(state::cancelled, duration{0})};
    redis.gate.cut_reply(passed);
    CHECK(redis.submit(producer, item).verdict == submit_verdict::accepted);
    CHECK(redis.gate.reply_was_cut());
    CHECK(redis.size_of("ready:default") == "1");
    CHECK_FALSE(await(redis.io, worker->find(old.id)));
}

TEST_CASE("a claim whose answer was lost is answered again with the same tasks") {
    gated_fixture redis;
    auto worker = redis.join_gated("w");
    redis.submit_all(worker, {item_of("a"), item_of("b"), item_of("c")});
    redis.gate.cut_reply();
    const auto got = redis.claim(worker, 2);
    CHECK(redis.gate.reply_was_cut());
    REQUIRE(got.claimed.size() == 2);
    CHECK(args_of(got.claimed[0]) == "a");
    CHECK(args_of(got.claimed[1]) == "b");
    CHECK(redis.size_of("ready:default") == "1");
    CHECK(redis.size_of("claims") == "2");

    redis.gate.cut_reply();
    CHECK(redis.finish(worker, {success_of(got.claimed[0]), success_of(got.claimed[1])}) ==
          std::vector(2, report_verdict::accepted));
    CHECK(redis.gate.reply_was_cut());
    for (const auto& task : {got.claimed[0], got.claimed[1]})
        CHECK(redis.state_of(worker, task.id) == state::success);
}

TEST_CASE("tasks that were claimed apart are answered again under the claims that they have") {
    gated_fixture redis;
    auto worker = redis.join_gated("w"), other = redis.join("other");
    const auto gone = item_of("d");
    redis.submit_all(worker, {item_of("a"), item_of("b"), item_of("c"), gone, item_of("e")});
    redis.gate.cut_reply();
    const auto got = redis.claim_apart(worker, 2).claimed;
    CHECK(redis.gate.reply_was_cut());
    REQUIRE(got.size() == 2);
    CHECK(got[0].claim != got[1].claim);
    for (const auto& one : got) CHECK(await(redis.io, other->find(one.id))->claim == one.claim);

    // One of them is cancelled before the answer is asked for again.
    redis.gate.stall(true);
    work_call call;
    call.claim = {.queues = {"default"}, .limit = 3, .apart = true};
    std::vector<claimed_task> rest;
    bool over = false;
    boost::asio::co_spawn(redis.io, worker->work(call),
                          [&](const std::exception_ptr& why, work_answer answer) {
                              CHECK_FALSE(why);
                              rest = std::move(answer.claimed);
                              over = true;
                          });
    REQUIRE(redis.until([&] { return redis.size_of("own") == "6"; }));
    CHECK(await(redis.io, other->cancel(gone.id, 0, outcome_of(state::cancelled))).cancelled);
    redis.gate.cut();
    redis.gate.stall(false);
    REQUIRE(redis.until([&] { return over; }));
    REQUIRE(rest.size() == 2);
    CHECK(args_of(rest[0]) == "c");
    CHECK(args_of(rest[1]) == "e");
    CHECK(redis.finish(worker, {success_of(got[0]), success_of(got[1]), success_of(rest[0]),
                                success_of(rest[1])}) == std::vector(4, report_verdict::accepted));
}

TEST_CASE("a recovery whose answer was lost is answered again with the same tasks") {
    gated_fixture redis;
    auto worker = redis.join_gated("w");
    redis.submit(worker, item_of("a"));
    const auto lost = redis.claim(worker, 1, {"default"}, 10ms);
    const auto end = lost.now + 20ms;
    REQUIRE(redis.until([&] { return worker->now() > end; }));
    redis.gate.cut_reply();
    const auto saved = await(redis.io, worker->recover(10, 30s)).tasks;
    CHECK(redis.gate.reply_was_cut());
    REQUIRE(saved.size() == 1);
    CHECK(redis.finish(worker, {success_of(saved[0])}) == std::vector{report_verdict::accepted});
}

TEST_CASE("a recovery whose answer was lost says again what never came to the worker that it was handed to") {
    gated_fixture redis;
    auto worker = redis.join_gated("w"), waiting = redis.join("waiting"), producer = redis.join("p");
    redis.submit(producer, item_of("first"));
    redis.finish(waiting, {success_of(redis.claim(waiting, 1).claimed.at(0))});
    work_call call;
    call.claim = {.queues = {"default"}, .limit = 5, .lease = 30s, .takes_given = true};
    await(redis.io, waiting->work(call));
    const auto lone = item_of("lone");
    redis.submit(producer, lone);
    REQUIRE(redis.until([&] { return waiting.ear->given.size() == 1; }));
    const auto claim = redis::claim_text(waiting.ear->given.front().claim);
    redis.redis({"ZADD", redis.key("leases"), "1", claim});
    redis.gate.cut_reply();
    const auto saved = await(redis.io, worker->recover(10, 30s)).tasks;
    CHECK(redis.gate.reply_was_cut());
    REQUIRE(saved.size() == 1);
    CHECK(saved[0].id == lone.id);
    CHECK(saved[0].handed);
}

TEST_CASE("a connection cut again and again loses no call") {
    gated_fixture redis;
    auto worker = redis.join_gated("w");
    for (int i = 0; i < 10; ++i) {
        if (i % 2) redis.gate.cut();
        redis.submit(worker, item_of(std::to_string(i)));
        redis.gate.cut_reply();
        const auto got = redis.claim(worker, 1);
        REQUIRE(got.claimed.size() == 1);
        CHECK(args_of(got.claimed[0]) == std::to_string(i));
        CHECK(redis.finish(worker, {success_of(got.claimed[0])}) == std::vector{report_verdict::accepted});
        CHECK(redis.state_of(worker, got.claimed[0].id) == state::success);
    }
    CHECK(redis.size_of("ready:default") == "0");
}

TEST_CASE("a call on a silent connection ends with an error that says that it may have been done") {
    gated_fixture redis;
    auto producer = redis.join_gated("p", 2s);
    redis.submit(producer, item_of("first"));  // from now on Redis holds the script
    redis.submit(producer, item_of("second"));
    redis.gate.stall(true);
    CHECK_THROWS_MATCHES(redis.submit(producer, item_of("a")), store_error,
                         MessageMatches(ContainsSubstring("submit") && ContainsSubstring("127.0.0.1") &&
                                        ContainsSubstring("may have been done")));
    redis.gate.stall(false);
    CHECK(redis.submit(producer, item_of("b")).verdict == submit_verdict::accepted);
    CHECK(redis.size_of("ready:default") == "4");
}

TEST_CASE("a call whose connection is lost for good after it was sent may have been done") {
    gated_fixture redis;
    auto producer = redis.join_gated("p", 300ms);
    redis.submit(producer, item_of("first"));  // from now on Redis holds the script
    redis.submit(producer, item_of("second"));
    redis.gate.cut_reply();
    const std::vector items{item_of("a")};
    std::exception_ptr thrown;
    boost::asio::co_spawn(redis.io, producer->submit(0, items, submit_mode::each),
                          [&](std::exception_ptr error, auto) { thrown = error; });
    REQUIRE(redis.until([&] { return redis.gate.reply_was_cut(); }));
    redis.gate.refuse(true);
    REQUIRE(redis.until([&] { return thrown != nullptr; }));
    CHECK_THROWS_MATCHES(std::rethrow_exception(thrown), store_error,
                         MessageMatches(ContainsSubstring("may have been done")));
    CHECK(redis.size_of("ready:default") == "3");
}

TEST_CASE("a call without a connection ends with an error that says that nothing was done") {
    gated_fixture redis;
    auto producer = redis.join_gated("p", 300ms);
    redis.gate.refuse(true);
    REQUIRE(redis.until([&] { return !redis.troubles.empty(); }));
    CHECK_THROWS_MATCHES(redis.submit(producer, item_of("a")), store_error,
                         MessageMatches(ContainsSubstring("it was not done")));
    CHECK(redis.troubles.size() == 1);
    redis.gate.refuse(false);
    REQUIRE(redis.until([&] { return redis.troubles.size() == 2; }));
    CHECK_THAT(redis.troubles[0], ContainsSubstring("lost the connection"));
    CHECK_THAT(redis.troubles[1], ContainsSubstring("again"));
    CHECK(redis.size_of("ready:default") == "0");
}

TEST_CASE("what was acknowledged survives a killed and restarted Redis, and the store goes on by itself") {
    redis_fixture redis{{.append_only = true}};
    auto with = redis.settings("w");
    with.patience = std::nullopt;
    auto worker = redis.join(with);
    redis.submit_all(worker, {item_of("a"), item_of("b")});
    const auto got = redis.claim(worker, 1);
    redis.server.kill();
    redis.server.restart();
    CHECK(redis.finish(worker, {success_of(got.claimed.at(0))}) == std::vector{report_verdict::accepted});
    CHECK(worker.ear->reconnects == 1);
    CHECK(worker.ear->wakes == 1);
    CHECK(args_of(redis.claim(worker, 5).claimed.at(0)) == "b");
}

TEST_CASE("half a claim that a kill has torn takes nothing out of its queue, at no later restart either") {
    redis_fixture redis{{.append_only = true}};
    auto with = redis.settings("w");
    with.patience = std::nullopt;
    auto worker = redis.join(with);
    redis.submit_all(worker, {item_of("a"), item_of("b")});
    redis.server.kill();
    const auto ready = redis.key("ready:default");
    for (const auto& one : std::filesystem::directory_iterator{redis.server.folder() / "appendonlydir"}) {
        if (!one.path().string().ends_with(".incr.aof")) continue;
        std::ofstream{one.path(), std::ios::app}
            << "*1\r\n$5\r\nMULTI\r\n*3\r\n$4\r\nRPOP\r\n$" << ready.size() << "\r\n"
            << ready << "\r\n$1\r\n2\r\n*4\r\n$4\r\nHSET\r\n$7\r\nhalf of";
    }
    redis.server.restart();
    // A transaction behind it, whose end would be taken for that of both.
    redis.submit(worker, item_of("c"));
    redis.server.kill();
    redis.server.restart();
    CHECK(redis.claim(worker, 5).claimed.size() == 3);
}

TEST_CASE("scripts that Redis has forgotten are sent again") {
    redis_fixture redis;
    auto worker = redis.join("w");
    redis.redis({"SCRIPT", "FLUSH"});
    CHECK(redis.submit(worker, item_of("a")).verdict == submit_verdict::accepted);
    CHECK(redis.claim(worker, 5).claimed.size() == 1);
    CHECK(redis.submit(worker, item_of("b")).verdict == submit_verdict::accepted);
}

TEST_CASE("an older call of a lane is refused") {
    redis_fixture redis;
    auto worker = redis.join("w");
    redis.submit(worker, item_of("a"));
    const auto lane = redis.redis({"HKEYS", redis.key("lanes")});
    const auto name = lane.substr(lane.find("w/"), lane.find('\n', lane.find("w/")) - lane.find("w/"));
    const auto last = redis.redis({"HGET", redis.key("lanes"), name});
    redis.redis({"HSET", redis.key("lanes"), name, "000000000000099" + last.substr(15)});
    CHECK_THROWS_MATCHES(redis.submit(worker, item_of("b")), store_error,
                         MessageMatches(ContainsSubstring("later call")));
    CHECK(redis.size_of("ready:default") == "1");
}

TEST_CASE("a closed store ends its calls at once") {
    gated_fixture redis;
    auto worker = redis.join_gated("w");
    redis.gate.stall(true);
    const auto id = new_task_id(1);
    bool failed = false;
    boost::asio::co_spawn(redis.io, worker->find(id),
                          [&](std::exception_ptr thrown, auto) { failed = thrown != nullptr; });
    redis.io.restart();
    redis.io.poll();
    worker->close();
    worker->close();
    REQUIRE(redis.until([&] { return failed; }));
    CHECK_THROWS_AS(redis.submit(worker, item_of("a")), store_error);
}

TEST_CASE(
    "who submits while too much waits is told so at once, and there is room when the others have gone") {
    redis_fixture redis;
    auto producer = redis.join("p");
    submissions lines{redis.io.get_executor(), *producer.of, 5s};
    std::vector<std::string> told;
    const auto submit = [&](submission_item item) {
        boost::asio::co_spawn(redis.io, lines.submit(std::move(item)),
                              [&](const std::exception_ptr& why, const submit_answer&) {
                                  try {
                                      if (why) std::rethrow_exception(why);
                                      told.emplace_back("accepted");
                                  } catch (const store_error& e) {
                                      told.emplace_back(e.what());
                                  }
                              });
        redis.io.restart();
        redis.io.poll();
    };
    auto large = item_of("large");
    large.body.assign(std::size_t{256} * 1024 * 1024, 'x');
    const auto under_way = item_of("under way"), waits = item_of("waits"), late = item_of("late");
    const auto large_id = large.id;
    redis.server.freeze();
    submit(under_way);
    submit(waits);
    submit(std::move(large));

    const std::string full = "2 submissions of 262144 KiB wait for the store already",
                      undone = "it was not done";
    CHECK_THROWS_MATCHES(await(redis.io, lines.submit(submission_item{late})), store_error,
                         MessageMatches(ContainsSubstring(full) && ContainsSubstring(undone)));
    const auto group =
        await(redis.io, lines.submit_group({item_of("late as well"), late}, submit_mode::each));
    REQUIRE(group.items.size() == 2);
    REQUIRE(group.failures.size() == 2);
    for (const auto& failure : group.failures) {
        CHECK_THROWS_MATCHES(std::rethrow_exception(failure), store_error,
                             MessageMatches(ContainsSubstring(full) && ContainsSubstring(undone)));
    }

    // Those before him have waited for as long as they would.
    REQUIRE(redis.until([&] { return told.size() == 3; }));
    CHECK(std::ranges::count_if(told, [&](const std::string& text) { return text.ends_with(undone); }) == 2);
    CHECK(std::ranges::count_if(told, [](const std::string& text) {
              return text.ends_with("it may have been done");
          }) == 1);
    redis.server.thaw();
    auto again = item_of("again");
    const auto accepted = [&] {
        try {
            return await(redis.io, lines.submit(submission_item{again})).verdict == submit_verdict::accepted;
        } catch (const store_error&) {
            again = item_of("again");
            return false;
        }
    };
    REQUIRE(redis.until(accepted));
    const auto is_there = [&](const task_id& id) {
        return redis.redis({"HEXISTS", redis.key("tasks"), std::string{id.view()}}) == "1";
    };
    CHECK(is_there(again.id));
    CHECK(is_there(under_way.id));
    for (const auto& id : {waits.id, large_id, late.id}) CHECK_FALSE(is_there(id));
}
