// What happens to claimed tasks.
#include "worker/handlers.hpp"

#include <catch2/catch_test_macros.hpp>
#include <catch2/matchers/catch_matchers_string.hpp>

using namespace std::chrono_literals;
using namespace worker_test;
using Catch::Matchers::ContainsSubstring;
using errand::state;
using errand::test::eventually;

TEST_CASE("thousands of tasks run once each on several threads", "[concurrent]") {
    auto settings = errand::test::fresh_settings();
    settings.threads = 2;
    bench t{settings};
    t.start();
    std::vector<int> values(3000);
    for (int i = 0; i < 3000; ++i) values[static_cast<std::size_t>(i)] = i;
    auto handles = t.run(t.app.handler<echo>().perform_bulk(values));
    for (std::size_t i = 0; i < handles.size(); ++i) CHECK(t.wait(handles[i]) == static_cast<int>(i));
    CHECK(t.book.kinds() == 3000);
    for (int value : values) CHECK(t.book.count(std::to_string(value)) == 1);
}

TEST_CASE("a handler is cancelled at its timeout, and that is a failure") {
    bench t;
    t.start();
    auto h = t.run(t.app.handler<lingers>().with({.timeout = 30ms}).perform_async(1h));
    const auto info = end_of(t, h);
    CHECK(info.state == state::dead);
    CHECK(text_of(info) == "errand::timed_out: timed out after 30ms");
    CHECK(t.book.stopped == 1);
}

TEST_CASE("a handler that ignores its timeout keeps its slot until it has ended") {
    auto settings = errand::test::fresh_settings();
    settings.concurrency = 1;
    bench t{settings};
    t.start();
    auto first = t.run(t.app.handler<stubborn>().with({.timeout = 10ms}).perform_async());
    eventually([&] { return t.book.started == 1; });
    auto second = t.run(t.app.handler<echo>().perform_async(7));
    CHECK(t.info(second).state == state::ready);
    t.book.release = true;
    CHECK(t.wait(second) == 7);
    CHECK(t.wait(first) == 1);
}

TEST_CASE("a task cancelled from outside stops its handler") {
    bench t;
    t.start();
    auto h = t.run(t.app.handler<lingers>().perform_async(1h));
    eventually([&] { return t.book.started == 1; });
    CHECK(t.run(h.cancel()));
    eventually([&] { return t.book.stopped == 1; });
    CHECK(t.info(h).state == state::cancelled);
}

TEST_CASE("arguments that do not decode kill a task at once, a handler's own bad_data does not") {
    bench t;
    t.start();
    auto bad = t.run(t.app.perform("worker_test::echo", {"seven"}));
    const auto info = end_of(t, bad);
    CHECK(info.state == state::dead);
    CHECK_THAT(text_of(info), ContainsSubstring("args[0]: expected an integer"));
    CHECK(t.wait(t.run(t.app.handler<own_bad_data>().perform_async())) == 2);
}

TEST_CASE("a result that cannot be kept kills a task at once") {
    auto settings = errand::test::fresh_settings();
    settings.max_payload = 4096;
    bench t{settings};
    t.start();
    const auto nan = end_of(t, t.run(t.app.handler<unkeepable>().perform_async()));
    CHECK(nan.state == state::dead);
    CHECK_THAT(text_of(nan), ContainsSubstring("result"));
    const auto large = end_of(t, t.run(t.app.handler<long_winded>().perform_async()));
    CHECK(large.state == state::dead);
    CHECK_THAT(text_of(large), ContainsSubstring("max_payload"));
}

TEST_CASE("what is thrown need not be a std::exception") {
    bench t;
    t.start();
    const auto info = end_of(t, t.run(t.app.handler<throws_a_number>().perform_async()));
    CHECK(text_of(info) == "int: 42");
}

TEST_CASE("a progress that is no number is refused") {
    bench t;
    t.start();
    const auto info = end_of(t, t.run(t.app.handler<refuses_nan>().perform_async()));
    CHECK_THAT(text_of(info), ContainsSubstring("not a number"));
}

TEST_CASE("a text of progress that is no UTF-8 is shown as what is") {
    bench t;
    t.start();
    const auto info = end_of(t, t.run(t.app.handler<tells_in_latin1>().perform_async()));
    CHECK(info.state == state::success);
    CHECK(info.progress_text == "caf\xEF\xBF\xBD");
}

TEST_CASE("a handler hears of its task's death, and what it throws then changes nothing") {
    bench t;
    t.start();
    mourned::heard = 0;
    const auto info = end_of(t, t.run(t.app.handler<mourned>().perform_async()));
    CHECK(info.state == state::dead);
    CHECK(mourned::heard == 1);
}

TEST_CASE("a task whose handler nobody knows waits and is never dead for it") {
    bench t;
    t.start();
    auto h = t.run(t.app.perform("from.another.program", {}));
    eventually([&] { return t.info(h).state == state::delayed; });
    CHECK(t.info(h).attempt == 0);
}

TEST_CASE("a blocking handler has its context on the pool as well") {
    bench t;
    t.start();
    auto h = t.run(t.app.handler<digs>().perform_async());
    CHECK_THAT(t.wait(h), ContainsSubstring(h.id()));
    const auto info = t.info(h);
    CHECK(info.progress == 0.5);
    CHECK(info.progress_text == "half");
    CHECK(info.started_at.has_value());
}

TEST_CASE("a handler that waits for another task gives its slot away") {
    auto settings = errand::test::fresh_settings();
    settings.concurrency = 1;
    bench t{settings};
    t.start();
    CHECK(t.wait(t.run(t.app.handler<parent>().perform_async(3))) == 3);
}

TEST_CASE("a task that did not start in time is expired") {
    bench t;
    auto h = t.run(t.app.handler<echo>().with({.expires_after = 1ms}).perform_async(1));
    t.run(sleep(5ms));  // no worker runs: by Redis's clock, which no test can move, its time passes
    t.start();
    CHECK(end_of(t, h).state == state::expired);
    CHECK(t.book.count("1") == 0);
}

TEST_CASE("a task that did not start in time is expired also where nobody knows its handler") {
    std::atomic<int> unknown = 0;
    bench t;
    t.app.on_event([&](const errand::event& what) {
        if (what.kind == errand::event_kind::handler_unknown) ++unknown;
    });
    t.start();
    t.run(t.app.inspect().pause("default"));
    std::vector<errand::handle<boost::json::value>> handles;
    for (int i = 0; i < 20; ++i)
        handles.push_back(t.run(t.app.perform("from.another.program", {}, {.expires_after = 1ms})));
    t.run(sleep(5ms));  // as above
    t.run(t.app.inspect().resume("default"));
    for (const auto& one : handles) CHECK(end_of(t, one).state == state::expired);
    // Whoever claims it sees first that it is late.
    CHECK(unknown == 0);
}

TEST_CASE("wrappers go around every attempt, the first added outermost") {
    bench t;
    t.app.around_perform([](errand::task_context&, errand::next_step next) -> errand::awaitable<void> {
        co_await next();
        throw std::runtime_error{"outer"};
    });
    t.app.around_perform([](errand::task_context& task, errand::next_step next) -> errand::awaitable<void> {
        task.log().info("inner");
        co_await next();
    });
    t.start();
    auto h = t.run(t.app.handler<echo>().with({.max_retry = 0}).perform_async(1));
    const auto info = end_of(t, h);
    CHECK(text_of(info) == "std::runtime_error: outer");
    CHECK(t.book.count("1") == 1);
}

TEST_CASE("beans and wrappers are refused while the worker runs, and taken again after it") {
    struct late {};
    bench t;
    t.start();
    const auto is_named = [](const std::string& what) {
        return ContainsSubstring(what + " was called while the worker of this app runs");
    };
    const auto goes_on = [](errand::task_context&, errand::next_step next) { return next(); };
    const auto submits = [](errand::submission&, errand::next_step next) { return next(); };
    late object;
    CHECK_THROWS_WITH(t.app.provide<late>(), is_named("provide"));
    CHECK_THROWS_WITH(t.app.provide_ref(object), is_named("provide"));
    CHECK_THROWS_WITH(t.app.around_perform(goes_on), is_named("around_perform"));
    CHECK_THROWS_WITH(t.app.around_submit(submits), is_named("around_submit"));
    t.stop();
    CHECK_NOTHROW(t.app.provide<late>());
    CHECK_NOTHROW(t.app.around_perform(goes_on));
    t.start();
    CHECK(t.wait(t.run(t.app.handler<echo>().perform_async(3))) == 3);
}

TEST_CASE("a worker does not start without the beans of its handlers") {
    errand::test::test_app t;
    CHECK_THROWS_WITH(t.start(), ContainsSubstring("worker_test::echo") &&
                                     ContainsSubstring("worker_test::lingers") && ContainsSubstring("diary"));
}
