// Stopping, leases and outages.
#include "support/await.hpp"
#include "support/shards.hpp"
#include "support/store_kind.hpp"
#include "worker/handlers.hpp"

#include <catch2/catch_test_macros.hpp>

#include <algorithm>
#include <future>
#include <optional>

using namespace std::chrono_literals;
using namespace worker_test;
using errand::state;
using errand::test::eventually;

TEST_CASE("a stopping worker lets tasks end within the grace") {
    bench t;
    t.start();
    auto h = t.run(t.app.handler<lingers>().perform_async(50ms));
    eventually([&] { return t.book.started == 1; });
    t.stop();
    CHECK(t.book.ended == 1);
    CHECK(t.info(h).state == state::success);
}

TEST_CASE("a task that outlives the grace is given back and loses no attempt") {
    auto settings = errand::test::fresh_settings();
    settings.shutdown_grace = 10ms;
    bench t{settings};
    t.start();
    auto h = t.run(t.app.handler<lingers>().with({.max_retry = 0}).perform_async(1h));
    eventually([&] { return t.book.started == 1; });
    t.stop();
    CHECK(t.book.stopped == 1);
    auto info = t.info(h);
    CHECK(info.state == state::ready);
    CHECK(info.errors.empty());
    auto more = settings;
    more.shutdown_grace = 25s;
    // Another app takes it up; where none can, this one does.
    std::optional<bench> other;
    if (errand::test::can(errand::test::capability::shared_by_apps)) other.emplace(more);
    auto& next = other ? *other : t;
    const int begun = next.book.started;
    next.start();
    eventually([&] { return next.book.started == begun + 1; });
    CHECK(t.info(h).attempt == 1);
    CHECK(t.run(h.cancel()));
}

TEST_CASE("tasks that were not started when the worker stops stay in their queue") {
    bench t;
    auto h = t.run(t.app.handler<echo>().perform_in(1h, 1));
    t.start();
    t.stop();
    CHECK(t.info(h).state == state::delayed);
}

TEST_CASE("a worker that stops is shown as stopping until what it runs has ended", "[shared_by_apps]") {
    bench t;
    bench other{t.app.settings()};
    const auto seen = [&] { return other.run(other.app.inspect().workers()); };
    t.start();
    t.run(t.app.handler<stubborn>().perform_async());
    eventually([&] { return t.book.started == 1 && seen().size() == 1; });
    CHECK_FALSE(seen().at(0).stopping);
    auto stops = std::async(std::launch::async, [&] { t.stop(); });
    eventually([&] { return std::ranges::any_of(seen(), &errand::worker_info::stopping); });
    t.book.release = true;
    stops.get();
}

TEST_CASE("a handler that runs longer than the lease runs once") {
    auto settings = errand::test::fresh_settings();
    settings.lease = 2s;  // one that a busy machine does not lose
    bench t{settings};
    t.start();
    auto h = t.run(t.app.handler<lingers>().perform_async(5s));
    CHECK(t.wait(h) == 1);
    CHECK(t.book.started == 1);
}

TEST_CASE("a task that is given up ends by itself, although what was claimed with it goes on") {
    auto settings = errand::test::fresh_settings();
    settings.shutdown_grace = 20ms;
    bench t{settings};
    const auto stuck = t.run(t.app.handler<stubborn>().with({.timeout = 20ms}).perform_async());
    const auto beside = t.run(t.app.handler<lingers>().perform_async(1h));
    t.start();
    const auto info = end_of(t, stuck);
    CHECK(info.state == state::dead);
    CHECK(text_of(info) == "errand::lease_lost: the handler went on although it was told to stop");
    CHECK(t.info(beside).state == state::working);
    t.book.release = true;
    eventually([&] { return t.book.stopped == 1; });
    CHECK(t.info(stuck).state == state::dead);
    CHECK(t.run(beside.cancel()));
}

TEST_CASE("the tasks of a worker that died are run again") {
    bench t;
    auto h = t.run(t.app.handler<echo>().perform_async(5));
    boost::asio::io_context io{1};
    auto dying = errand::test::opened_store(io, t.app, "worker-that-dies");
    errand::work_call claim;
    claim.claim = {{"default"}, 1, 100ms};
    CHECK(errand::test::await(io, dying->work(claim)).claimed.size() == 1);
    CHECK(t.info(h).state == state::working);
    t.start();
    CHECK(t.wait(h) == 5);
    const auto info = t.info(h);
    CHECK(info.attempt == 2);
    REQUIRE(info.errors.size() == 1);
    CHECK(info.errors[0].type == "errand::lease_lost");
    dying->close();
    io.restart();
    io.run();
}

TEST_CASE("dead tasks whose handlers are slow to hear of it are told once, and end", "[shared_by_apps]") {
    mourned_slowly::heard = 0;
    auto settings = errand::test::fresh_settings();
    settings.lease = 3s;
    settings.blocking_threads = 1;
    bench t{settings};
    bench other{settings};
    std::vector<errand::handle<void>> handles;
    for (int i = 0; i < 10; ++i) handles.push_back(t.run(t.app.handler<mourned_slowly>().perform_async()));
    boost::asio::io_context io{1};
    auto dying = errand::test::opened_store(io, t.app, "worker-that-dies");
    errand::work_call claim;
    claim.claim = {{"default"}, 10, 100ms};
    errand::test::eventually([&] {
        io.restart();
        return errand::test::await(io, dying->work(claim)).claimed.empty();
    });
    t.start();
    other.start();
    for (const auto& h : handles) CHECK(end_of(t, h).state == state::dead);
    // Once each, but for those of a machine that did nothing for as long as a lease.
    CHECK(mourned_slowly::heard < 20);
    other.stop();
    dying->close();
    io.restart();
    io.run();
}

TEST_CASE("a worker goes on after its Redis was restarted", "[concurrent][goes_away]") {
    errand::test::redis_server server{{.append_only = true}};
    auto settings = errand::test::fresh_settings();
    settings.store = server.url();
    settings.threads = 2;
    bench t{settings};
    t.start();
    std::vector<errand::handle<int>> handles;
    for (int round = 0; round < 3; ++round) {
        std::vector<errand::duration> some(200, 20ms);
        auto more = t.run(t.app.handler<lingers>().perform_bulk(some));
        handles.insert(handles.end(), more.begin(), more.end());
        server.kill();
        server.restart();
    }
    for (const auto& h : handles) CHECK(t.wait(h) == 1);
}

TEST_CASE("a due time is slept to") {
    bench t;
    t.start();
    // Longer than two servers may differ by.
    const auto delay = 150ms + errand::test::clocks_apart();
    auto late = t.run(t.app.handler<echo>().perform_in(delay, 1));
    CHECK(t.wait(late) == 1);
    const auto info = t.info(late);
    CHECK(*info.started_at - *info.submitted_at + errand::test::clocks_apart() >= delay);
}
