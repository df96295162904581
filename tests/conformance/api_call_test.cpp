// Sections 1 and 2 of the contract: declare a handler, call it, follow it.
#include "support/test_app.hpp"

#include <boost/asio/steady_timer.hpp>
#include <boost/asio/use_awaitable.hpp>

#include <catch2/catch_test_macros.hpp>
#include <catch2/matchers/catch_matchers_string.hpp>

#include <atomic>
#include <stdexcept>

using namespace std::chrono_literals;
using Catch::Matchers::ContainsSubstring;
using errand::test::test_app;

namespace api_call {

struct order {
    std::string id;
    std::int64_t cents = 0;
    std::optional<std::string> coupon;
};
struct receipt {
    std::string order_id;
    std::string url;
};

using mailer = errand::test::test_mailer;

class send_receipt {
public:
    explicit send_receipt(mailer& m) : mailer_{m} {}
    errand::awaitable<receipt> perform(order o) {
        ++mailer_.sent;
        co_return receipt{o.id, mailer_.address + "/" + o.id};
    }
    static std::string biz_id(const order& o) { return o.id; }

private:
    mailer& mailer_;
};

struct add {
    errand::awaitable<int> perform(int a, int b) { co_return a + b; }
};

struct no_result {
    errand::awaitable<void> perform() { co_return; }
};

struct fails {
    errand::awaitable<int> perform(int times) {
        auto& self = co_await errand::this_task();
        if (self.attempt() <= times)
            throw std::runtime_error{"attempt " + std::to_string(self.attempt()) + " broke"};
        co_return self.attempt();
    }
};

struct discards {
    errand::awaitable<void> perform() {
        throw errand::discard{"no such customer"};
        co_return;
    }
};

struct throws_text {
    errand::awaitable<void> perform(bool string) {
        if (string) throw std::string{"a string"};
        throw "a literal";
        co_return;
    }
};

struct retries_soon {
    errand::awaitable<int> perform() {
        auto& self = co_await errand::this_task();
        if (self.attempt() == 1) throw errand::retry_in{10ms, "not yet"};
        co_return self.attempt();
    }
};

struct snoozes {
    mailer& count;
    explicit snoozes(mailer& m) : count{m} {}
    errand::awaitable<int> perform() {
        auto& self = co_await errand::this_task();
        if (++count.sent < 3) throw errand::snooze{5ms};
        co_return self.attempt();
    }
};

struct waits {
    errand::awaitable<void> perform() {
        boost::asio::steady_timer timer{co_await boost::asio::this_coro::executor, 1h};
        co_await timer.async_wait(boost::asio::use_awaitable);
    }
};

struct nests {
    errand::proxy<nests> self;
    errand::app& owner;
    nests(errand::proxy<nests> p, errand::app& a) : self{p}, owner{a} {}
    errand::awaitable<int> perform(int depth) {
        if (depth == 0) co_return 0;
        auto child = co_await self.perform_async(depth - 1);
        co_return 1 + co_await child;
    }
};

struct looks_inside {
    errand::awaitable<std::string> perform() {
        auto& self = co_await errand::this_task();
        co_await self.progress(0.4, "4 of 10");
        self.log().info("half way {}", 1);
        co_return self.headers().at("trace") + " " + self.id() + " " + std::to_string(self.attempt()) + " " +
            (self.fence() > 0 ? "fenced" : "free") +
            (self.deadline() > errand::time_point{} ? " limited" : "");
    }
};

struct times_out {
    errand::awaitable<void> perform() {
        boost::asio::steady_timer timer{co_await boost::asio::this_coro::executor, 1h};
        co_await timer.async_wait(boost::asio::use_awaitable);
    }
};

struct computes {
    errand::awaitable<std::string> perform(std::string text) {
        auto& self = co_await errand::this_task();
        co_await self.progress(0.5);
        co_return text + text;
    }
};

struct wire_named {
    errand::awaitable<std::vector<int>> perform(std::vector<int> v) { co_return v; }
};

}  // namespace api_call

ERRAND_HANDLER(api_call::send_receipt, .queue = "mail", .timeout = 600s, .max_retry = 3)
ERRAND_HANDLER(api_call::add)
ERRAND_HANDLER(api_call::no_result)
ERRAND_HANDLER(api_call::fails, .max_retry = 2, .backoff = errand::backoff::uniform(5ms))
ERRAND_HANDLER(api_call::discards)
ERRAND_HANDLER(api_call::throws_text, .max_retry = 0)
ERRAND_HANDLER(api_call::retries_soon)
ERRAND_HANDLER(api_call::snoozes, .max_retry = 0)
ERRAND_HANDLER(api_call::waits)
ERRAND_HANDLER(api_call::nests)
ERRAND_HANDLER(api_call::looks_inside)
ERRAND_HANDLER(api_call::times_out, .timeout = 30ms, .max_retry = 0)
ERRAND_HANDLER(api_call::computes, .blocking = true)
ERRAND_HANDLER(api_call::wire_named, .name = "vectors.echo", .aliases = {"vectors.old"}, .queue = "vectors")

namespace {

using namespace api_call;

}  // namespace

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

TEST_CASE("A delayed task is not run before its time", "[api]") {
    test_app t;
    t.start();
    auto late = t.run(t.app.handler<no_result>().perform_in(1h));
    auto soon = t.run(t.app.handler<no_result>().perform_in(30ms));
    auto at = t.run(t.app.handler<no_result>().perform_at(std::chrono::system_clock::now() + 30ms));
    auto option = t.run(t.app.handler<no_result>().with({.delay = 20ms}).perform_async());
    for (const auto& h : {soon, at, option}) {
        t.wait(h);
        const auto info = t.info(h);
        CHECK(*info.started_at >= *info.due_at);
    }
    CHECK(t.info(late).state == errand::state::delayed);
    CHECK(t.run(late.cancel()));
}

TEST_CASE("Bulk submission gives handles in the order of the items", "[api]") {
    test_app t;
    t.start();
    std::vector<std::tuple<int, int>> sums;
    for (int i = 0; i < 1200; ++i) sums.emplace_back(i, 1);
    auto handles = t.run(t.app.handler<add>().perform_bulk(sums));
    REQUIRE(handles.size() == 1200);
    CHECK(t.wait(handles[0]) == 1);
    CHECK(t.wait(handles[1199]) == 1200);
    auto orders =
        t.run(t.app.handler<send_receipt>().perform_bulk(std::vector{order{"a", 1, {}}, order{"b", 2, {}}}));
    CHECK(t.wait(orders[1]).order_id == "b");
}

TEST_CASE("Bulk submission names the item that does not encode and submits none", "[api]") {
    test_app t;
    std::vector<order> items(20);
    items[17].id = "\xff\xfe";
    CHECK_THROWS_WITH(t.run(t.app.handler<send_receipt>().perform_bulk(items)),
                      ContainsSubstring("item 17: args[0].id"));
}

TEST_CASE("Bulk submission reports what the store refused after all have answered", "[api]") {
    test_app t;
    t.start();
    auto proxy = t.app.handler<send_receipt>().with({.on_duplicate = errand::reject});
    auto first = t.run(proxy.perform_async(order{"b", 1, {}}));
    try {
        t.run(proxy.perform_bulk(std::vector{order{"a", 1, {}}, order{"b", 1, {}}, order{"c", 1, {}}}));
        FAIL("no exception");
    } catch (const errand::bulk_error& e) {
        REQUIRE(e.handles<receipt>().size() == 3);
        CHECK(t.wait(*e.handles<receipt>()[0]).order_id == "a");
        CHECK_FALSE(e.handles()[1].has_value());
        CHECK_THROWS_AS(std::rethrow_exception(e.errors()[1]), errand::duplicate_task);
        CHECK(t.wait(*e.handles<receipt>()[2]).order_id == "c");
    }
}

TEST_CASE("A task is submitted and found by name and id without its type", "[api]") {
    test_app t;
    t.start();
    boost::json::array args;
    args.emplace_back(boost::json::array{1, 2});
    auto h = t.run(t.app.perform("vectors.echo", args));
    CHECK(t.run(h.result(20s)) == boost::json::value{1, 2});
    auto old = t.run(t.app.perform("vectors.old", args));
    CHECK(t.run(old.result(20s)) == boost::json::value{1, 2});
    auto found = t.run(t.app.find<std::vector<int>>(h.id()));
    REQUIRE(found);
    CHECK(t.wait(*found) == std::vector{1, 2});
    CHECK(t.run(t.app.find(h.id()))->handler == "vectors.echo");
    CHECK_FALSE(t.run(t.app.find("0198c5d2-0000-7000-8000-000000000000")));
}

TEST_CASE("A text that is no id finds nothing", "[api]") {
    test_app t;
    const auto id = t.run(t.app.handler<add>().perform_in(1h, 1, 2)).id();
    for (const std::string& text : {std::string{"no id"}, std::string{}, id + "\n", "\n" + id, id + id}) {
        CAPTURE(text);
        CHECK_FALSE(t.run(t.app.find(text)));
        CHECK_FALSE(t.run(t.app.find<int>(text)));
        CHECK_FALSE(t.run(t.app.graph(text)));
        CHECK_FALSE(t.run(t.app.inspect().find(text)));
    }
    CHECK(t.run(t.app.find(id)));
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

TEST_CASE("A negative delay is none, however it is given", "[api]") {
    test_app t;
    const auto add_up = t.app.handler<add>();
    auto in = t.run(add_up.perform_in(-5s, 1, 2));
    auto with = t.run(add_up.with({.delay = -5s}).perform_async(1, 2));
    CHECK(t.info(in).state == errand::state::ready);
    CHECK(t.info(with).state == errand::state::ready);
    CHECK(t.info(with).due_at == t.info(with).submitted_at);
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

TEST_CASE("A biz_id that is no UTF-8 or too long is refused wherever it is given", "[api]") {
    test_app t;
    const auto receipts = t.app.handler<send_receipt>();
    for (const std::string& bad : {std::string{"caf\xe9"}, std::string(513, 'b')}) {
        CHECK_THROWS_AS(t.run(receipts.perform_async(order{bad, 1, {}})), errand::error);
        CHECK_THROWS_AS(t.run(receipts.with({.biz_id = bad}).perform_async(order{"o", 1, {}})),
                        errand::usage_error);
        CHECK_THROWS_AS(t.run(t.app.perform("vectors.echo", {}, {.biz_id = bad})), errand::usage_error);
        CHECK_THROWS_AS(receipts.ref(bad), errand::usage_error);
    }
    const std::string longest(512, 'b');
    CHECK_FALSE(t.run(receipts.perform_async(order{longest, 1, {}})).duplicate());
    CHECK(t.run(receipts.with({.biz_id = longest}).perform_async(order{"o", 1, {}})).duplicate());
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
