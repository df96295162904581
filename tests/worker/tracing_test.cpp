// Traces lead from submissions through attempts and stages to what these submit.
#include "core/otlp_target.hpp"
#include "runtime/app_core.hpp"
#include "runtime/otlp_exporter.hpp"
#include "runtime/process_meter.hpp"
#include "support/fake_collector.hpp"
#include "support/metric_page.hpp"
#include "support/store_kind.hpp"
#include "worker/handlers.hpp"

#include <catch2/catch_test_macros.hpp>

#include <algorithm>
#include <set>
#include <signal.h>
#include <sys/prctl.h>
#include <sys/wait.h>
#include <unistd.h>

using namespace std::chrono_literals;
using namespace worker_test;
using errand::state;
using errand::test::eventually;
using errand::test::fake_collector;
using errand::test::seen_span;

namespace {

const std::string trace_id = "4bf92f3577b34da6a3ce929d0e0e4736";
const std::string request_id = "00f067aa0ba902b7";
const std::string recorded = "00-" + trace_id + '-' + request_id + "-01";
const std::string unrecorded = "00-" + trace_id + '-' + request_id + "-00";

using counter = std::shared_ptr<std::atomic<std::uint64_t>>;

std::shared_ptr<errand::tracer> exporter_to(const std::string& endpoint, const counter& dropped) {
    auto to = errand::otlp_target_of([&](const std::string& name) -> std::optional<std::string> {
        if (name == "OTEL_EXPORTER_OTLP_ENDPOINT") return endpoint;
        if (name == "OTEL_BSP_SCHEDULE_DELAY") return "10";
        return std::nullopt;
    });
    return std::make_shared<errand::otlp_exporter>(std::move(*to), dropped, [](std::string_view) {});
}

struct traced : bench {
    explicit traced(errand::config settings = errand::test::fresh_settings()) : bench{std::move(settings)} {
        app.trace_with(exporter_to(collector.endpoint(), dropped));
    }
    // Once there are as many.
    std::vector<seen_span> spans(const std::string& name, std::size_t count) {
        eventually([&] { return collector.named(name).size() >= count; });
        auto all = collector.named(name);
        CHECK(all.size() == count);
        return all;
    }
    seen_span span(const std::string& name) { return spans(name, 1).front(); }

    counter dropped = std::make_shared<std::atomic<std::uint64_t>>(0);
    fake_collector collector;
};

// A worker of another process, which sends its spans to the collector that it is told of, and stays in its first attempt.
[[noreturn]] void work_until_killed(const errand::config& settings, int told) {
    try {
        prctl(PR_SET_PDEATHSIG, SIGKILL);
        std::string endpoint;
        for (char c = 0; ::read(told, &c, 1) == 1 && c != '\n';) endpoint += c;
        bench t{settings};
        t.app.trace_with(exporter_to(endpoint, std::make_shared<std::atomic<std::uint64_t>>(0)));
        t.book.body = [](errand::task_context&) -> errand::awaitable<int> {
            co_await worker_test::sleep(1h);
            co_return 0;
        };
        t.start();
        while (true) ::pause();
    } catch (...) {
        ::_exit(1);
    }
}

bool in_order(const seen_span& one) {
    return std::stoull(one.text("startTimeUnixNano")) <= std::stoull(one.text("endTimeUnixNano"));
}

}  // namespace

TEST_CASE("an attempt is a child of its submission's span, linked with it, and says what it is of") {
    traced t;
    t.start();
    const auto h = t.run(t.app.handler<echo>().perform_async(7));
    t.wait(h);
    const auto submitted = t.span("submit default");
    const auto processed = t.span("process default");
    CHECK(submitted.all.at("kind") == 4);
    CHECK(submitted.parent().empty());
    CHECK(submitted.trace().size() == 32);
    CHECK(submitted.id().size() == 16);
    CHECK(processed.all.at("kind") == 5);
    CHECK(processed.trace() == submitted.trace());
    CHECK(processed.parent() == submitted.id());
    CHECK(processed.links() == std::vector{submitted.id()});
    for (const auto& one : {submitted, processed}) {
        CHECK(in_order(one));
        CHECK_FALSE(one.failed());
        CHECK(one.attribute("messaging.system") == "errand");
        CHECK(one.attribute("messaging.destination.name") == "default");
        CHECK(one.attribute("messaging.message.id") == h.id());
        CHECK(one.attribute("errand.handler") == "worker_test::echo");
    }
    CHECK(submitted.attribute("messaging.operation.name") == "submit");
    CHECK(processed.attribute("messaging.operation.name") == "process");
    CHECK(processed.attribute("errand.attempt") == "1");
    CHECK(processed.attribute("errand.outcome") == "success");
    CHECK(t.collector.last_head().starts_with("POST /v1/traces HTTP/1.1\r\n"));
    CHECK(*t.dropped == 0);
}

TEST_CASE("the figures of attempts lead to their traces, where there are some") {
    for (const bool traces : {true, false}) {
        errand::test::fake_collector collector;
        bench t;
        if (traces)
            t.app.trace_with(exporter_to(collector.endpoint(),
                                         std::make_shared<std::atomic<std::uint64_t>>(0)));
        auto& core = errand::detail::core_of(t.app);
        core.measure();
        t.start();
        t.wait(t.run(t.app.handler<echo>().perform_async(7)));
        t.stop();
        const auto page =
            errand::test::read_metrics(core.meter.page(errand::metric_form::open_metrics, {}), true);
        std::set<std::string> seen;
        for (const auto& [sample, trace] : page.traces) seen.insert(trace);
        if (!traces) {
            CHECK(seen.empty());
            continue;
        }
        eventually([&] { return collector.named("process default").size() == 1; });
        CHECK(seen == std::set{collector.named("process default").front().text("traceId")});
    }
}

TEST_CASE("the attempts of a task that is retried stand beside each other") {
    traced t;
    t.book.body = [](errand::task_context& self) -> errand::awaitable<int> {
        if (self.attempt() == 1) throw std::runtime_error{"not yet"};
        co_return 1;
    };
    t.start();
    end_of(t, submit(t));
    const auto submitted = t.span("submit default");
    const auto tries = t.spans("process default", 2);
    for (const auto& one : tries) {
        CHECK(one.trace() == submitted.trace());
        CHECK(one.parent() == submitted.id());
        CHECK(one.links() == std::vector{submitted.id()});
    }
    CHECK(tries[0].failed());
    CHECK(tries[0].attribute("errand.outcome") == "retry");
    CHECK(tries[0].attribute("error.type") == "std::runtime_error");
    CHECK(tries[0].all.at("status").at("message") == "not yet");
    CHECK(tries[1].attribute("errand.attempt") == "2");
    CHECK_FALSE(tries[1].failed());
    CHECK(tries[0].id() != tries[1].id());
}

TEST_CASE(
    "of a worker that is killed in the middle there is no span, and the next attempt stands where its own would",
    "[shared_by_apps][forked]") {
    auto settings = errand::test::fresh_settings();
    settings.lease = 1s;
    int where[2];
    REQUIRE(::pipe(where) == 0);
    // Before there are threads that a fork would lose.
    const auto child = ::fork();
    REQUIRE(child >= 0);
    if (child == 0) work_until_killed(settings, where[0]);
    traced t{settings};
    const auto endpoint = t.collector.endpoint() + '\n';
    REQUIRE(::write(where[1], endpoint.data(), endpoint.size()) == static_cast<ssize_t>(endpoint.size()));
    t.book.body = [](errand::task_context&) -> errand::awaitable<int> { co_return 1; };
    const auto h = submit(t);
    eventually([&] { return t.info(h).state == state::working; });
    ::kill(child, SIGKILL);
    ::waitpid(child, nullptr, 0);
    ::close(where[0]);
    ::close(where[1]);
    t.start();
    end_of(t, h);
    const auto submitted = t.span("submit default");
    const auto processed = t.span("process default");
    CHECK(processed.trace() == submitted.trace());
    CHECK(processed.parent() == submitted.id());
    CHECK(processed.links() == std::vector{submitted.id()});
    CHECK(processed.attribute("errand.outcome") == "success");
    CHECK(processed.attribute("errand.attempt") == "2");
}

TEST_CASE("a bulk is one submission, whose context all of its tasks carry") {
    traced t;
    t.start();
    for (const auto& h : t.run(t.app.handler<echo>().perform_bulk(std::vector<int>{1, 2, 3}))) t.wait(h);
    const auto submitted = t.span("submit default");
    CHECK(submitted.attribute("messaging.batch.message_count") == "3");
    CHECK(submitted.attribute("messaging.message.id").empty());
    std::set<std::string> tasks;
    for (const auto& one : t.spans("process default", 3)) {
        CHECK(one.parent() == submitted.id());
        tasks.insert(one.attribute("messaging.message.id"));
    }
    CHECK(tasks.size() == 3);
}

TEST_CASE("what an attempt submits is part of its trace, and what a stage submits of the stage") {
    traced t;
    t.book.body = [&](errand::task_context& self) -> errand::awaitable<int> {
        co_await t.app.handler<echo>().perform_async(1);
        co_await self.stage("charge", [&]() -> errand::awaitable<void> {
            co_await t.app.handler<echo>().perform_async(2);
        });
        co_return 1;
    };
    t.start();
    t.wait(submit(t));
    const auto submissions = t.spans("submit default", 3);
    const auto attempts = t.spans("process default", 3);
    const auto stage = t.span("stage charge");
    const auto root =
        std::ranges::find_if(submissions, [](const seen_span& one) { return one.parent().empty(); });
    REQUIRE(root != submissions.end());
    const auto outer =
        std::ranges::find_if(attempts, [&](const seen_span& one) { return one.parent() == root->id(); });
    REQUIRE(outer != attempts.end());
    CHECK(stage.parent() == outer->id());
    CHECK(stage.all.at("kind") == 1);
    CHECK(stage.attribute("errand.stage") == "charge");
    const auto submitted_by = [&](const seen_span& who) {
        return std::ranges::count_if(submissions,
                                     [&](const seen_span& one) { return one.parent() == who.id(); });
    };
    CHECK(submitted_by(*outer) == 1);
    CHECK(submitted_by(stage) == 1);
    for (const auto& one : t.collector.spans()) CHECK(one.trace() == root->trace());
}

TEST_CASE("what comes after other tasks is part of the trace that submitted it") {
    traced t;
    t.start();
    const auto first = t.run(t.app.handler<echo>().perform_async(1));
    const auto second = t.run(t.app.handler<echo>().with({.after = {first}}).perform_async(2));
    t.wait(second);
    const auto submissions = t.spans("submit default", 2);
    for (const auto& one : t.spans("process default", 2)) {
        const auto own = std::ranges::find_if(submissions, [&](const seen_span& by) {
            return by.attribute("messaging.message.id") == one.attribute("messaging.message.id");
        });
        REQUIRE(own != submissions.end());
        CHECK(one.parent() == own->id());
        CHECK(one.trace() == own->trace());
    }
    CHECK(submissions[0].trace() != submissions[1].trace());
}

TEST_CASE("a given traceparent is the parent of the submission") {
    traced t;
    t.start();
    t.wait(t.run(t.app.handler<echo>()
                     .with({.headers = {{"traceparent", recorded}, {"tracestate", "other=1"}}})
                     .perform_async(1)));
    const auto submitted = t.span("submit default");
    CHECK(submitted.trace() == trace_id);
    CHECK(submitted.parent() == request_id);
    CHECK(submitted.text("traceState") == "other=1");
    CHECK(t.span("process default").parent() == submitted.id());
}

TEST_CASE("of a trace that is not recorded nothing is, and it goes on") {
    traced t;
    std::string carried;
    t.book.body = [&](errand::task_context&) -> errand::awaitable<int> {
        const auto h = co_await t.app.handler<echo>().perform_async(1);
        const auto info = co_await h.info();
        carried = info.headers.at("traceparent");
        co_return 1;
    };
    t.start();
    t.wait(submit(t, {.headers = {{"traceparent", unrecorded}}}));
    CHECK(carried == unrecorded);
    t.wait(t.run(t.app.handler<echo>().perform_async(2)));
    t.span("process default");
}

TEST_CASE("without a tracer a task passes on the trace that it came with, and makes none") {
    bench t;
    std::vector<std::map<std::string, std::string>> headers;
    t.book.body = [&](errand::task_context&) -> errand::awaitable<int> {
        const auto h = co_await t.app.handler<echo>().perform_async(1);
        const auto info = co_await h.info();
        headers.push_back(info.headers);
        co_return 1;
    };
    t.start();
    t.wait(submit(t, {.headers = {{"traceparent", recorded}}}));
    t.wait(submit(t));
    REQUIRE(headers.size() == 2);
    CHECK(headers[0] == std::map<std::string, std::string>{{"traceparent", recorded}});
    CHECK(headers[1].empty());
}

TEST_CASE("an attempt that is later than traces are joined begins one, linked with its submission") {
    auto settings = errand::test::fresh_settings();
    settings.trace_join_within = 0ms;
    traced t{settings};
    t.start();
    t.wait(t.run(t.app.handler<echo>().perform_async(1)));
    const auto submitted = t.span("submit default");
    const auto processed = t.span("process default");
    CHECK(processed.parent().empty());
    CHECK(processed.trace() != submitted.trace());
    CHECK(processed.links() == std::vector{submitted.id()});
}
