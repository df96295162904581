// What is set of handlers at run time, as workers and submitters follow it.
#include "worker/handlers.hpp"

#include <catch2/catch_test_macros.hpp>
#include <catch2/matchers/catch_matchers_string.hpp>

using namespace std::chrono_literals;
using namespace worker_test;
using Catch::Matchers::ContainsSubstring;
using errand::state;
using errand::test::eventually;

namespace {

const std::string echoes = "worker_test::echo";
const std::string free_forms = "worker_test::free_form";

// Another program of the namespace; of what is kept in memory alone there is none.
struct operator_desk {
    explicit operator_desk(bench& t)
        : other{t.app.settings().store == "sqlite::memory:"
                    ? nullptr
                    : std::make_unique<errand::app>(t.app.settings())},
          app{other ? *other : t.app} {}
    errand::settings_info set(const std::string& handler, errand::handler_settings values,
                              errand::configure_options how = {}) {
        return app.block_on(app.configure(handler, std::move(values), std::move(how)));
    }
    std::unique_ptr<errand::app> other;
    errand::app& app;
};

void fails_always(bench& t) {
    t.book.body = [](errand::task_context&) -> errand::awaitable<int> {
        throw std::runtime_error{"not yet"};
        co_return 0;
    };
}

}  // namespace

TEST_CASE("what is set is read back, with its version, who has set it and when") {
    bench t;
    CHECK(t.run(t.app.settings_of(echoes)).version == 0);
    const auto made = t.run(t.app.configure(echoes, {.max_retry = 3,
                                                     .timeout = 5min,
                                                     .backoff = errand::backoff::exponential(10s, 1h),
                                                     .priority = 7,
                                                     .retention = 48h,
                                                     .expires_after = 0s,
                                                     .paused = true}));
    CHECK(made.version == 1);
    const auto read = t.run(t.app.settings_of(echoes));
    CHECK(read.version == 1);
    CHECK_THAT(read.by, ContainsSubstring(":" + std::to_string(::getpid())));
    CHECK(read.at == made.at);
    CHECK(read.settings.max_retry == 3);
    CHECK(read.settings.timeout == 5min);
    REQUIRE(read.settings.backoff);
    CHECK(read.settings.backoff->text() == "exponential:10s:1h");
    CHECK(read.settings.priority == 7);
    CHECK(read.settings.retention == 48h);
    CHECK(read.settings.expires_after == 0s);
    CHECK(read.settings.paused);
    CHECK(t.run(t.app.configure(echoes, {}, {.by = "ann"})).version == 2);
    const auto cleared = t.run(t.app.settings_of(echoes));
    CHECK(cleared.by == "ann");
    CHECK_FALSE(cleared.settings.max_retry);
    CHECK_FALSE(cleared.settings.paused);
}

TEST_CASE("of two who change the settings that they saw, one is refused and told about the other") {
    bench t;
    t.run(t.app.configure(echoes, {.max_retry = 1}, {.version = 0, .by = "ann"}));
    t.run(t.app.configure(echoes, {.max_retry = 2}, {.version = 1, .by = "bob"}));
    CHECK_THROWS_WITH(t.run(t.app.configure(echoes, {.max_retry = 3}, {.version = 1})),
                      ContainsSubstring("bob has made version 2"));
    CHECK_THROWS_AS(t.run(t.app.configure(echoes, {}, {.version = 0})), errand::settings_conflict);
    CHECK(t.run(t.app.settings_of(echoes)).settings.max_retry == 2);
    CHECK(t.run(t.app.configure(echoes, {.max_retry = 4})).version == 3);
}

TEST_CASE("settings that no handler could have are refused") {
    bench t;
    const auto refused = [&](errand::handler_settings values) {
        CHECK_THROWS_AS(t.run(t.app.configure(echoes, std::move(values))), errand::usage_error);
    };
    refused({.max_retry = -1});
    refused({.timeout = -1ms});
    refused({.backoff = errand::backoff{[](int, const std::exception_ptr&) { return errand::duration{1}; }}});
    refused({.priority = 10});
    refused({.retention = -1ms});
    refused({.expires_after = -1ms});
    CHECK_THROWS_AS(t.run(t.app.configure("", {})), errand::usage_error);
    CHECK(t.run(t.app.settings_of(echoes)).version == 0);
}

TEST_CASE(
    "retries set at run time count for tasks that are queued, unless their submission has said otherwise") {
    bench t;
    operator_desk desk{t};
    fails_always(t);
    auto queued = submit(t);
    auto firm = submit(t, {.max_retry = 3});
    desk.set(free_forms, {.max_retry = 1});
    t.start();
    CHECK(end_of(t, queued).errors.size() == 2);
    CHECK(end_of(t, firm).errors.size() == 4);
    desk.set(free_forms, {.max_retry = 0});
    std::size_t attempts = 0;
    // It may hear of that a moment later.
    eventually([&] { return (attempts = end_of(t, submit(t)).errors.size()) == 1; });
    desk.set(free_forms, {.max_retry = 2});
    eventually([&] { return (attempts = end_of(t, submit(t)).errors.size()) == 3; });
}

TEST_CASE("a timeout and a backoff that are set at run time are kept to") {
    bench t;
    t.start();
    t.run(t.app.configure("worker_test::lingers", {.timeout = 20ms}));
    t.run(t.app.configure(free_forms, {.backoff = errand::backoff::uniform(1h)}));
    auto late = t.run(t.app.handler<lingers>().perform_async(1h));
    const auto end = end_of(t, late);
    CHECK(end.state == state::dead);
    CHECK_THAT(text_of(end), ContainsSubstring("timed out after 20ms"));
    fails_always(t);
    auto waits = submit(t);
    errand::task_info info;
    eventually([&] { return (info = t.info(waits)).state == state::retry; });
    REQUIRE(info.due_at);
    CHECK(*info.due_at - *info.submitted_at > 30min);
}

TEST_CASE("priority and expiry that are set at run time are those of later submissions") {
    bench t;
    t.run(t.app.configure(echoes, {.priority = 9, .expires_after = 1ms}));
    auto first = t.run(t.app.handler<echo>().perform_async(1));
    auto own = t.run(t.app.handler<echo>().with({.expires_after = 1h}).perform_async(2));
    t.run(sleep(20ms));
    t.start();
    CHECK(end_of(t, first).state == state::expired);
    CHECK(t.wait(own) == 2);
}

TEST_CASE("an expiry that is set at run time ends tasks that would start too late, and 0 lets them live") {
    bench t;
    auto old = t.run(t.app.handler<echo>().perform_async(1));
    t.run(sleep(20ms));
    t.run(t.app.configure(echoes, {.expires_after = 1ms}));
    t.start();
    CHECK(end_of(t, old).state == state::expired);
    t.run(t.app.configure(echoes, {.expires_after = 0ms}));
    CHECK(t.wait(t.run(t.app.handler<echo>().perform_async(2))) == 2);
}

TEST_CASE(
    "tasks of a paused handler are not started, use no attempt, and go on when it is no longer paused") {
    bench t;
    operator_desk desk{t};
    std::vector<errand::handle<int>> queued;
    for (int i = 0; i < 20; ++i) queued.push_back(t.run(t.app.handler<echo>().perform_async(i)));
    desk.set(echoes, {.paused = true});
    t.start();
    for (int i = 20; i < 25; ++i) queued.push_back(t.run(t.app.handler<echo>().perform_async(i)));
    // Others are run as ever.
    t.book.body = [](errand::task_context&) -> errand::awaitable<int> { co_return 7; };
    CHECK(t.wait(submit(t)) == 7);
    eventually([&] {
        return std::ranges::all_of(queued,
                                   [&](const auto& one) { return t.info(one).state == state::delayed; });
    });
    CHECK(t.book.kinds() == 0);
    desk.set(echoes, {});
    for (int i = 0; i < 25; ++i) CHECK(t.wait(queued[static_cast<std::size_t>(i)]) == i);
    for (int i = 0; i < 25; ++i) CHECK(t.book.count(std::to_string(i)) == 1);
    CHECK(t.info(queued[0]).attempt == 1);
    CHECK(t.info(queued[0]).errors.empty());
}

TEST_CASE("a handler is paused and resumed while its worker is busy with it, and nothing is lost") {
    auto settings = errand::test::fresh_settings();
    settings.threads = 2;
    bench t{settings};
    operator_desk desk{t};
    t.start();
    std::vector<errand::handle<int>> all;
    for (int round = 0; round < 4; ++round) {
        for (int i = 0; i < 50; ++i)
            all.push_back(t.run(t.app.handler<echo>().perform_async(50 * round + i)));
        desk.set(echoes, {.paused = round % 2 == 0});
    }
    for (std::size_t i = 0; i < all.size(); ++i) CHECK(t.wait(all[i]) == static_cast<int>(i));
    for (std::size_t i = 0; i < all.size(); ++i) CHECK(t.book.count(std::to_string(i)) == 1);
}

TEST_CASE("a paused handler costs nothing while nothing is submitted") {
    std::atomic<int> claims{0};
    bench t;
    operator_desk desk{t};
    t.app.on_event([&](const errand::event& what) {
        if (what.kind == errand::event_kind::task_claimed) ++claims;
    });
    desk.set(echoes, {.paused = true});
    t.start();
    auto one = t.run(t.app.handler<echo>().perform_async(1));
    eventually([&] { return t.info(one).state == state::delayed; });
    t.run(sleep(2500ms));
    CHECK(claims <= 2);
    desk.set(echoes, {.paused = false});
    CHECK(t.wait(one) == 1);
}

TEST_CASE("tasks of a paused handler expire and can be cancelled") {
    bench t;
    t.run(t.app.configure(echoes, {.paused = true}));
    t.start();
    auto late = t.run(t.app.handler<echo>().with({.expires_after = 1s}).perform_async(1));
    auto unwanted = t.run(t.app.handler<echo>().perform_async(2));
    eventually([&] { return t.info(unwanted).state == state::delayed; });
    CHECK(t.run(unwanted.cancel()));
    CHECK(end_of(t, unwanted).state == state::cancelled);
    CHECK(end_of(t, late).state == state::expired);
    t.run(t.app.configure(echoes, {}));
    CHECK(t.wait(t.run(t.app.handler<echo>().perform_async(3))) == 3);
    CHECK(t.book.kinds() == 1);
}

TEST_CASE("what is set of an earlier name counts, unless something is set of the present one") {
    bench t;
    t.start();
    fails_always(t);
    const std::string before = "worker_test.free_form.before";
    t.run(t.app.configure(before, {.max_retry = 1}));
    CHECK(t.run(t.app.settings_of(before)).handler == free_forms);
    CHECK(end_of(t, submit(t)).errors.size() == 2);
}
