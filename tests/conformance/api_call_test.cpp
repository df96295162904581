// Sections 1 and 2 of the contract: declare a handler, call it, follow it.
#include "conformance/api_handlers.hpp"

#include <catch2/catch_test_macros.hpp>
#include <catch2/matchers/catch_matchers_string.hpp>

using Catch::Matchers::ContainsSubstring;
using errand::test::test_app;
using namespace api_call;

TEST_CASE("A handler is called like a function and its result awaited", "[api]") {
    test_app t;
    t.start();
    auto h = t.run(t.app.handler<send_receipt>().perform_async(order{"o-1", 990, {}}));
    const auto r = t.wait(h);
    CHECK(r.order_id == "o-1");
    CHECK(r.url == "smtp://localhost/o-1");
    CHECK_FALSE(h.duplicate());
    CHECK(t.wait(h).url == r.url);
    CHECK(t.wait(t.run(t.app.handler<add>().perform_async(2, 3))) == 5);
    t.wait(t.run(t.app.handler<no_result>().perform_async()));
}

TEST_CASE("A second submission with the same biz_id runs nothing and gets the first task", "[api]") {
    test_app t;
    t.start();
    auto proxy = t.app.handler<send_receipt>();
    auto first = t.run(proxy.perform_async(order{"o-1", 990, {}}));
    t.wait(first);
    auto second = t.run(proxy.perform_async(order{"o-1", 1, {}}));
    CHECK(second.duplicate());
    CHECK(second.id() == first.id());
    CHECK(t.wait(second).order_id == "o-1");
    const auto info = t.info(second);
    CHECK(info.state == errand::state::success);
    CHECK(info.biz_id == "o-1");
    CHECK(info.queue == "mail");
}

TEST_CASE("A failing handler is retried after its backoff and succeeds", "[api]") {
    test_app t;
    t.start();
    auto h = t.run(t.app.handler<fails>().perform_async(2));
    CHECK(t.wait(h) == 3);
    const auto info = t.info(h);
    CHECK(info.attempt == 3);
    REQUIRE(info.errors.size() == 2);
    CHECK(info.errors[0].message == "attempt 1 broke");
    CHECK(info.errors[0].type == "std::runtime_error");
}

TEST_CASE("A handler that uses up its retries is dead and the awaiter is told why", "[api]") {
    test_app t;
    t.start();
    auto h = t.run(t.app.handler<fails>().perform_async(100));
    try {
        t.wait(h);
        FAIL("no exception");
    } catch (const errand::task_failed& e) {
        CHECK(e.state() == errand::state::dead);
        CHECK(e.attempts() == 3);
        CHECK(e.text() == "attempt 3 broke");
        CHECK(e.id() == h.id());
        CHECK(e.handler() == t.info(h).handler);
        CHECK(std::string{e.what()} ==
              "dead after 3 attempts: attempt 3 broke (" + e.handler() + " " + h.id() + ")");
    }
    auto once = t.run(t.app.handler<fails>().with({.max_retry = 0}).perform_async(100));
    CHECK_THROWS_AS(t.wait(once), errand::task_failed);
    CHECK(t.info(once).attempt == 1);
}

TEST_CASE("discard ends a task at once, retry_in and snooze bring it back", "[api]") {
    test_app t;
    t.start();
    CHECK_THROWS_AS(t.wait(t.run(t.app.handler<discards>().perform_async())), errand::task_failed);
    CHECK(t.wait(t.run(t.app.handler<retries_soon>().perform_async())) == 2);
    CHECK(t.wait(t.run(t.app.handler<snoozes>().perform_async())) == 1);
}

TEST_CASE("A task that takes longer than its timeout is cancelled and has failed", "[api]") {
    test_app t;
    t.start();
    auto h = t.run(t.app.handler<times_out>().perform_async());
    CHECK_THROWS_AS(t.wait(h), errand::task_failed);
    CHECK_THAT(t.info(h).errors.at(0).message, ContainsSubstring("timed out"));
}

TEST_CASE("A running task can be cancelled and is cancelled for good", "[api]") {
    test_app t;
    t.start();
    auto h = t.run(t.app.handler<waits>().perform_async());
    errand::test::eventually([&] { return t.info(h).state == errand::state::working; });
    CHECK(t.run(h.cancel()));
    CHECK(t.run(h.cancel()));
    CHECK(t.info(h).state == errand::state::cancelled);
    CHECK_THROWS_AS(t.wait(h), errand::task_failed);
}

TEST_CASE("A waiting result can be given a limit and the task goes on", "[api]") {
    test_app t;
    t.start();
    auto h = t.run(t.app.handler<waits>().perform_async());
    CHECK_THROWS_AS(t.run(h.result(20ms)), errand::timed_out);
    CHECK(t.run(h.cancel()));
}

TEST_CASE("Handlers that wait for their children give their slots away", "[api]") {
    auto settings = errand::test::fresh_settings();
    settings.concurrency = 1;
    test_app t{settings};
    t.start();
    CHECK(t.wait(t.run(t.app.handler<nests>().perform_async(50))) == 50);
}

TEST_CASE("The context tells id, headers, attempt, fence and deadline, and keeps progress and log", "[api]") {
    test_app t;
    t.start();
    auto h = t.run(
        t.app.handler<looks_inside>().with({.headers = {{"trace", "t-1"}}, .tags = {"a"}}).perform_async());
    CHECK(t.wait(h) == "t-1 " + h.id() + " 1 fenced limited");
    const auto info = t.info(h);
    CHECK(info.progress_text == "4 of 10");
    CHECK(info.progress == 0.4);
    CHECK(info.tags == std::vector<std::string>{"a"});
    REQUIRE(info.log.size() == 1);
    CHECK_THAT(info.log[0], ContainsSubstring("half way 1"));
}

TEST_CASE("A blocking handler runs on its pool and has its context", "[api]") {
    test_app t;
    t.start();
    CHECK(t.wait(t.run(t.app.handler<computes>().perform_async("ab"))) == "abab");
}

TEST_CASE("A result that is there is given to whoever will not wait for it", "[api]") {
    test_app t;
    auto h = t.run(t.app.handler<add>().perform_async(1, 2));
    CHECK_THROWS_AS(t.run(h.result(0s)), errand::timed_out);
    CHECK_THROWS_AS(t.run(h.result(-1s)), errand::timed_out);
    CHECK_THROWS_AS(t.run(errand::all({.within = 0s}, h)), errand::timed_out);
    t.start();
    CHECK(t.wait(h) == 3);
    CHECK(t.run(h.result(0s)) == 3);
    CHECK(t.run(h.result(-1s)) == 3);
    CHECK(std::get<0>(t.run(errand::all({.within = 0s}, h))) == 3);
    CHECK(t.run(errand::any({.within = 0s}, h)).first == 0);
    auto dead = t.run(t.app.handler<discards>().perform_async());
    CHECK_THROWS_AS(t.wait(dead), errand::task_failed);
    CHECK_THROWS_AS(t.run(dead.result(0s)), errand::task_failed);
    auto long_one = t.run(t.app.handler<waits>().perform_async());
    CHECK_THROWS_AS(t.run(errand::all({.within = 0s}, h, long_one)), errand::timed_out);
    CHECK(t.run(errand::any({.within = 0s}, long_one, h)).first == 1);
    CHECK(t.run(long_one.cancel()));
}

TEST_CASE("What a handler throws is kept as text, whatever its type", "[api]") {
    test_app t;
    t.start();
    auto literal = t.run(t.app.handler<throws_text>().perform_async(false));
    auto string = t.run(t.app.handler<throws_text>().perform_async(true));
    CHECK_THROWS_WITH(t.wait(literal), ContainsSubstring("a literal"));
    CHECK_THROWS_WITH(t.wait(string), ContainsSubstring("a string"));
    CHECK(t.info(string).errors.at(0).message == "a string");
}

TEST_CASE("Arguments that do not fit kill the task at once and name the path", "[api]") {
    test_app t;
    t.start();
    boost::json::array args{boost::json::object{{"id", "o-9"}, {"cents", "9x"}}};
    auto h = t.run(t.app.perform("api_call::send_receipt", args));
    CHECK_THROWS_WITH(t.run(h.result(20s)),
                      ContainsSubstring("args[0].cents: expected an integer, got string \"9x\""));
    const auto info = t.info(h);
    CHECK(info.state == errand::state::dead);
    CHECK(info.attempt == 1);
}

TEST_CASE("Awaited with the wrong type a result is bad data", "[api]") {
    test_app t;
    t.start();
    auto h = t.run(t.app.handler<send_receipt>().perform_async(order{"o", 1, {}}));
    t.wait(h);
    auto wrong = t.run(t.app.find<int>(h.id()));
    CHECK_THROWS_AS(t.wait(*wrong), errand::bad_data);
}
