// What the service shows to monitoring.
#include "core/schedule_record.hpp"
#include "runtime/caller_loop.hpp"
#include "service/programs.hpp"
#include "support/metric_page.hpp"
#include "support/places.hpp"

#include <catch2/catch_test_macros.hpp>
#include <catch2/matchers/catch_matchers_string.hpp>

#include <chrono>
#include <cstdlib>
#include <filesystem>
#include <fstream>
#include <span>
#include <sstream>
#include <string>
#include <vector>

using Catch::Matchers::ContainsSubstring;
using errand::test::metric_page;
using errand::test::read_metrics;
using service_test::client;
using service_test::counter;
using service_test::foreign_task;
using service_test::program;

namespace {

metric_page page_of(client& at, const std::string& path, bool open_metrics = false) {
    std::vector<std::string> headers;
    if (open_metrics)
        headers.emplace_back("Accept: application/openmetrics-text;version=1.0.0,text/plain;q=0.5");
    const auto got = at.ask("GET", path, {}, headers);
    INFO(got.body);
    REQUIRE(got.status == 200);
    CHECK_THAT(got.headers.at("content-type"),
               ContainsSubstring(open_metrics ? "application/openmetrics-text; version=1.0.0"
                                              : "text/plain; version=0.0.4"));
    return read_metrics(got.body, open_metrics);
}

const std::string of_foreign = R"({queue="foreign",handler="py_thing")";

// As a later version may keep one.
errand::awaitable<std::vector<errand::step_verdict>> keep_unreadable_schedule(errand::loop& there) {
    const auto id = errand::derive_schedule_id("parcel", "later");
    errand::schedule_step step{.id = id};
    step.record = std::string(24, 'x') + '\xff';
    step.name = "parcel\nlater\n" + std::string{id.view()};
    const std::span<const errand::schedule_step> steps{&step, 1};
    co_return co_await there.tasks().step_schedules(steps);
}

}  // namespace

TEST_CASE("the service counts its requests by route, and what programs do with tasks as its own",
          "[service]") {
    counter t;
    for (int i = 0; i < 3; ++i) t.submit(foreign_task);
    program py{t};
    py.report(py.claim_one(), service_test::success);
    py.report(py.claim_one(), R"("outcome": "discard", "error": {"type": "Refused", "message": "no"})");
    py.report(py.claim_one(), R"("outcome": "snooze", "delay_ms": 3600000)");
    auto at = t.connect();
    CHECK(at.ask("GET", t.path("/tasks/none")).status == 404);
    CHECK(at.ask("GET", "/nothing/here").status == 404);
    for (const bool open_metrics : {false, true}) {
        const auto page = page_of(at, "/metrics", open_metrics);
        CHECK(page.at("errand_tasks_submitted_total" + of_foreign + R"(,result="accepted"})") == 3);
        CHECK(page.at("errand_attempts_started_total" + of_foreign + "}") == 3);
        const auto finished = [&](const std::string& how) {
            return page.at("errand_attempts_finished_total" + of_foreign + ",outcome=\"" + how + "\"}");
        };
        CHECK(finished("success") == 1);
        CHECK(finished("dead") == 1);
        CHECK(finished("snoozed") == 1);
        CHECK(page.at(R"(errand_attempt_failures_total{handler="py_thing",error_type="Refused"})") == 1);
        CHECK(page.at(
                  R"(errand_http_requests_total{route="/v1/{namespace}/tasks",method="POST",code="201"})") ==
              3);
        CHECK(
            page.at(
                R"(errand_http_requests_total{route="/v1/{namespace}/tasks/{id}",method="GET",code="404"})") ==
            1);
        CHECK(page.at(R"(errand_http_requests_total{route="_other",method="_other",code="404"})") == 1);
        CHECK_FALSE(page.has("errand_worker_slots"));
    }
}

TEST_CASE("the process's page says how many streams of events are listened to", "[service]") {
    counter t;
    auto at = t.connect();
    const auto streams = [&] { return page_of(at, "/metrics").at("errand_http_streams"); };
    CHECK(streams() == 0);
    auto watcher = t.connect();
    REQUIRE(watcher.ask("GET", "/ui/api/live/overview").status == 200);
    CHECK(streams() == 1);
    watcher.close();
    errand::test::eventually([&] { return streams() == 0; });
}

TEST_CASE("the namespace's page has its queues by state, and totals that only grow", "[service]") {
    counter t;
    t.submit(foreign_task);
    t.submit(foreign_task);
    program py{t};
    py.report(py.claim_one(), service_test::success);
    CHECK(t.run(t.app.inspect().pause("foreign")));
    auto at = t.connect();
    const auto began = std::chrono::steady_clock::now();
    const auto page = page_of(at, "/metrics/store");
    CHECK(page.at(R"(errand_tasks{queue="foreign",state="ready"})") == 1);
    CHECK(page.at(R"(errand_queue_ended_total{queue="foreign",state="success"})") == 1);
    CHECK(page.at(R"(errand_queue_ended_total{queue="foreign",state="dead"})") == 0);
    CHECK(page.at(R"(errand_queue_paused{queue="foreign"})") == 1);
    CHECK(page.has(R"(errand_queue_head_age_seconds{queue="foreign"})"));
    CHECK(page.has("errand_workers"));
    CHECK(page.kinds.contains("errand_outbox_backlog"));
    // The same for all who ask within five seconds, in either form.
    t.submit(foreign_task);
    const auto again = page_of(at, "/metrics/store", true);
    // A machine that stood still has asked later.
    if (std::chrono::steady_clock::now() - began >= std::chrono::seconds{5}) return;
    CHECK(again.at("errand_store_scrape_seconds") == page.at("errand_store_scrape_seconds"));
    CHECK(again.at(R"(errand_tasks{queue="foreign",state="ready"})") == 1);
}

TEST_CASE("the namespace's page says by handler how late its schedules are, and how many ticks were missed",
          "[service]") {
    counter t;
    auto at = t.connect();
    t.run(t.app.handler<service_test::parcel>().every(std::chrono::milliseconds{10},
                                                      {.mode = errand::fixed_rate}, "tick"));
    t.run(t.app.handler<service_test::bulky>().every(std::chrono::hours{1}, {.mode = errand::fixed_rate}, 1));
    metric_page page;
    const auto late = [&](const std::string& handler) {
        return page.at("errand_schedule_late_seconds{handler=\"" + handler + "\"}");
    };
    const auto missed = [&](const std::string& handler) {
        return page.at("errand_schedule_ticks_missed{handler=\"" + handler + "\"}");
    };
    // Nobody is there who fires.
    errand::test::eventually([&] {
        page = page_of(at, "/metrics/store");
        return late("parcel") > 0.1;
    });
    CHECK(late("bulky") == 0);
    CHECK(missed("parcel") == 0);
    t.start();
    errand::test::eventually([&] {
        page = page_of(at, "/metrics/store");
        return missed("parcel") > 0;
    });
    CHECK(missed("bulky") == 0);
}

TEST_CASE("a schedule that cannot be read keeps nothing else from the namespace's page", "[service]") {
    counter t;
    t.submit(foreign_task);
    auto& core = errand::detail::core_of(t.app);
    const auto kept = t.run(errand::on_caller_loop(&core, [](errand::loop& there) {
        return keep_unreadable_schedule(there);
    }));
    REQUIRE(kept == std::vector{errand::step_verdict::done});
    auto at = t.connect();
    CHECK(page_of(at, "/metrics/store").at(R"(errand_tasks{queue="foreign",state="ready"})") == 1);
}

#ifdef ERRAND_PROMTOOL
TEST_CASE("promtool has nothing to say against the pages", "[service]") {
    counter t;
    t.submit(foreign_task);
    program py{t};
    py.report(py.claim_one(), R"("outcome": "discard", "error": {"type": "Re\"fu\\sed", "message": "no"})");
    auto at = t.connect();
    for (const std::string path : {"/metrics", "/metrics/store"}) {
        INFO(path);
        const auto page = at.ask("GET", path).body;
        const auto place = errand::test::temporary_folder("promtool");
        std::ofstream{place / "page"} << page;
        const auto said = (place / "said").string();
        const auto command = std::string{ERRAND_PROMTOOL} + " check metrics < " + (place / "page").string() +
                             " > " + said + " 2>&1";
        const int code = std::system(command.c_str());
        std::stringstream words;
        words << std::ifstream{said}.rdbuf();
        std::filesystem::remove_all(place);
        CHECK(words.str().empty());
        CHECK(code == 0);
    }
}
#endif
