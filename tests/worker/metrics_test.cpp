// What a worker measures is what its tasks did.
#include "runtime/app_core.hpp"
#include "support/redis_server.hpp"
#include "worker/measured.hpp"

#include <catch2/catch_test_macros.hpp>
#include <catch2/matchers/catch_matchers_string.hpp>

using namespace std::chrono_literals;
using namespace worker_test;
using Catch::Matchers::ContainsSubstring;
using errand::state;
using errand::test::eventually;

TEST_CASE("counters equal what a run did, exactly") {
    measured t;
    std::atomic<int> runs{0};
    // 30 tasks: 10 succeed, 10 fail twice before, 6 die at their second attempt, 4 snooze once.
    t.book.body = [&](errand::task_context& self) -> errand::awaitable<int> {
        ++runs;
        const auto& kind = self.headers().at("kind");
        if (kind == "retries" && self.attempt() <= 2) throw std::runtime_error{"not yet"};
        if (kind == "dies" && self.attempt() == 1) throw std::logic_error{"no"};
        if (kind == "dies") throw errand::discard{"never"};
        if (kind == "snoozes" && t.book.count(self.id()) == 0) {
            t.book.note(self.id());
            throw errand::snooze{1ms};
        }
        co_return 1;
    };
    t.start();
    std::vector<errand::handle<int>> all;
    const auto submit_some = [&](int n, const std::string& kind) {
        for (int i = 0; i < n; ++i) all.push_back(submit(t, {.headers = {{"kind", kind}}}));
    };
    submit_some(10, "succeeds");
    submit_some(10, "retries");
    submit_some(6, "dies");
    submit_some(4, "snoozes");
    submit(t, {.biz_id = "b", .delay = 1h});
    submit(t, {.biz_id = "b"});
    CHECK_THROWS_AS(submit(t, {.biz_id = "b", .on_duplicate = errand::reject}), errand::duplicate_task);
    for (const auto& h : all) end_of(t, h);
    eventually([&] { return t.page().at("errand_reports_pending") == 0; });

    for (const bool open_metrics : {false, true}) {
        const auto page = t.page(open_metrics);
        CHECK(page.at(submitted("accepted")) == 31);
        CHECK(page.at(submitted("duplicate")) == 1);
        CHECK(page.at(submitted("refused")) == 1);
        CHECK(page.at(finished("success")) == 24);
        CHECK(page.at(finished("retry")) == 20 + 6);
        CHECK(page.at(finished("dead")) == 6);
        CHECK(page.at(finished("snoozed")) == 4);
        CHECK(page.at(finished("cancelled")) + page.at(finished("lost")) + page.at(finished("given_back")) ==
              0);
        CHECK(page.at(of_free_form("errand_attempts_started_total")) == runs);
        CHECK(runs == 24 + 26 + 6 + 4);
        CHECK(page.at(of_free_form("errand_attempt_duration_seconds_count", ",outcome=\"success\"")) == 24);
        CHECK(page.at(of_free_form("errand_attempt_duration_seconds_count", ",outcome=\"failure\"")) == 32);
        CHECK(page.at(of_free_form("errand_task_duration_seconds_count")) == 30);
        CHECK(page.at(R"(errand_task_wait_seconds_count{queue="default"})") == 30);
        double failures = 0;
        for (const auto& [sample, value] : page.samples)
            failures += sample.starts_with("errand_attempt_failures_total{") ? value : 0;
        CHECK(failures == 32);
        CHECK(page.at("errand_worker_slots") == static_cast<double>(t.app.settings().concurrency));
        CHECK(page.at("errand_worker_slots_busy") == 0);
        CHECK(page.at("errand_worker_stopping") == 0);
        CHECK(page.at("errand_store_up") == 1);
        CHECK(page.at("errand_reports_stale_total") == 0);
        CHECK(page.at("process_resident_memory_bytes") > 1e6);
    }
}

TEST_CASE("counters equal the journal of a run whose store is killed again and again, exactly",
          "[concurrent][goes_away]") {
    errand::test::redis_server server{{.append_only = true}};
    const auto port = static_cast<std::uint16_t>(errand::test::free_port());
    auto settings = measured::settings_at(port);
    settings.store = server.url();
    settings.threads = 2;
    measured t{std::move(settings), port};
    t.book.body = [&](errand::task_context& self) -> errand::awaitable<int> {
        t.book.note("started");
        co_await worker_test::sleep(10ms);
        const auto& kind = self.headers().at("kind");
        if (kind == "retries" && self.attempt() == 1) {
            t.book.note("failed");
            throw std::runtime_error{"not yet"};
        }
        if (kind == "dies") {
            t.book.note("died");
            throw errand::discard{"never"};
        }
        t.book.note("succeeded");
        co_return 1;
    };
    t.start();
    constexpr int rounds = 3, tasks = 30;
    std::vector<errand::handle<int>> all;
    for (int round = 0; round < rounds; ++round) {
        const auto before = t.book.count("started");
        for (int i = 0; i < tasks; ++i) {
            for (const auto* kind : {"succeeds", "retries", "dies"})
                all.push_back(submit(t, {.headers = {{"kind", kind}}}));
        }
        eventually([&] { return t.book.count("started") > before; });
        server.kill();
        server.restart();
    }
    for (const auto& h : all) end_of(t, h);
    eventually([&] { return t.page().at("errand_reports_pending") == 0; });

    const auto page = t.page();
    const auto journal = [&](const std::string& what) { return static_cast<double>(t.book.count(what)); };
    CHECK(page.at(submitted("accepted")) == static_cast<double>(all.size()));
    CHECK(page.at(of_free_form("errand_attempts_started_total")) == journal("started"));
    CHECK(page.at(finished("success")) == journal("succeeded"));
    CHECK(page.at(finished("retry")) == journal("failed"));
    CHECK(page.at(finished("dead")) == journal("died"));
    CHECK(page.at(finished("snoozed")) + page.at(finished("cancelled")) + page.at(finished("lost")) +
              page.at(finished("given_back")) ==
          0);
    CHECK(page.at("errand_store_reconnects_total") >= rounds);
    // What the store has counted, for all processes: of a task each end once.
    const auto queues = t.run(t.app.inspect().queues());
    REQUIRE(queues.size() == 1);
    CHECK(queues.front().ended.at(state::success) == 2 * rounds * tasks);
    CHECK(queues.front().ended.at(state::dead) == rounds * tasks);
    CHECK(static_cast<double>(queues.front().failed) == journal("failed"));
}

TEST_CASE("a task that is cancelled while it runs, and one that is too late, are counted as such") {
    measured t;
    t.start();
    const auto h = t.run(t.app.handler<lingers>().perform_async(1h));
    eventually([&] { return t.book.started == 1; });
    CHECK(t.page().at("errand_worker_slots_busy") == 1);
    CHECK(t.run(h.cancel()));
    eventually([&] { return t.book.stopped == 1; });
    t.stop();
    auto late = t.run(t.app.handler<lingers>().with({.expires_after = 1ms}).perform_async(0ms));
    t.run(sleep(5ms));  // no worker runs: by the store's clock, which no test can move, its time passes
    t.start();
    CHECK(end_of(t, late).state == state::expired);
    const auto page = t.page();
    const auto of_lingers = [&](const std::string& name, const std::string& more = {}) {
        return page.at(name + R"({queue="default",handler="worker_test::lingers")" + more + "}");
    };
    CHECK(of_lingers("errand_attempts_started_total") == 1);
    CHECK(of_lingers("errand_attempts_finished_total", R"(,outcome="cancelled")") == 1);
    for (const std::string other : {"success", "retry", "dead", "snoozed", "given_back", "lost"})
        CHECK(of_lingers("errand_attempts_finished_total", ",outcome=\"" + other + "\"") == 0);
}

TEST_CASE("what goes on although it was cancelled is counted once, and its report as stale") {
    measured t;
    t.start();
    const auto h = t.run(t.app.handler<stubborn>().perform_async());
    eventually([&] { return t.book.started == 1; });
    CHECK(t.run(h.cancel()));
    const std::string ends =
        R"(errand_attempts_finished_total{queue="default",handler="worker_test::stubborn",outcome=")";
    eventually([&] { return t.page().at(ends + "cancelled\"}") == 1; });
    t.book.release = true;
    eventually([&] { return t.page().at("errand_reports_stale_total") == 1; });
    CHECK(t.page().at(ends + "success\"}") == 0);
    CHECK(t.page().at("errand_reports_pending") == 0);
}

TEST_CASE("a worker that stops counts what it gives back") {
    auto settings = measured::settings_at(static_cast<std::uint16_t>(errand::test::free_port()));
    settings.shutdown_grace = 0ms;
    bench t{settings};
    t.start();
    const auto h = t.run(t.app.handler<lingers>().perform_async(1h));
    eventually([&] { return t.book.started == 1; });
    t.stop();
    // What a process has counted stays: it is shown by the next worker.
    t.start();
    const auto at = *errand::parse_metrics_address(settings.metrics);
    const auto text = say(at.port, "GET /metrics HTTP/1.0\r\n\r\n");
    CHECK_THAT(text, ContainsSubstring(R"(handler="worker_test::lingers",outcome="given_back"} 1)"));
    t.run(h.cancel());
}

TEST_CASE("a metrics port answers nothing but GET /metrics") {
    measured t;
    t.start();
    CHECK_THAT(say(t.port, "GET / HTTP/1.1\r\n\r\n"), ContainsSubstring("HTTP/1.1 404 "));
    CHECK_THAT(say(t.port, "POST /metrics HTTP/1.1\r\n\r\n"), ContainsSubstring("HTTP/1.1 405 "));
    CHECK(say(t.port, std::string(10'000, 'x')).empty());
    const auto head = say(t.port, "HEAD /metrics HTTP/1.1\r\n\r\n");
    CHECK(head.ends_with("\r\n\r\n"));
    CHECK_THAT(head, ContainsSubstring("text/plain; version=0.0.4"));
}

TEST_CASE("a worker that cannot show its metrics does not start, and says why") {
    const auto port = static_cast<std::uint16_t>(errand::test::free_port());
    measured first{port};
    first.start();
    measured second{port};
    CHECK_THROWS_WITH(second.start(), ContainsSubstring("config.metrics: cannot listen on \"127.0.0.1:") &&
                                          ContainsSubstring("ddress already in use"));
}

TEST_CASE("a program that shows no metrics measures nothing") {
    bench t;
    t.start();
    t.wait(t.run(t.app.handler<echo>().perform_async(1)));
    CHECK_FALSE(errand::detail::core_of(t.app).events.heard());
}
