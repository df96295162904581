// What a worker counts of attempts that it begins together.
#include "runtime/app_core.hpp"
#include "runtime/process_meter.hpp"
#include "worker/measured.hpp"

#include <catch2/catch_test_macros.hpp>
#include <catch2/generators/catch_generators.hpp>

#include <atomic>
#include <thread>
#include <vector>

using namespace std::chrono_literals;
using namespace worker_test;
using errand::test::eventually;

namespace {

struct one_thread : measured {
    one_thread() : one_thread{static_cast<std::uint16_t>(errand::test::free_port())} {}
    explicit one_thread(std::uint16_t at) : measured{settings_alone(at), at} {}
    static errand::config settings_alone(std::uint16_t at) {
        auto settings = settings_at(at);
        settings.threads = 1;
        return settings;
    }
};

}  // namespace

TEST_CASE("of a batch of several handlers each attempt is counted as what it was") {
    one_thread t;
    const bool listens = GENERATE(false, true);
    std::atomic<int> heard{0};
    if (listens) {
        t.app.on_event([&](const errand::event& what) {
            if (what.kind == errand::event_kind::task_succeeded) ++heard;
        });
    }
    t.book.body = [&](errand::task_context& self) -> errand::awaitable<int> {
        const auto& kind = self.headers().at("kind");
        t.book.note(self.handler() + " started");
        if (self.attempt() == 1 && kind == "retries") throw std::runtime_error{"not yet"};
        if (t.book.count(self.id()) == 0 && kind == "snoozes") {
            t.book.note(self.id());
            throw errand::snooze{1ms};
        }
        if (kind == "waits") co_await sleep(1ms);
        t.book.note(self.handler() + " succeeded");
        co_return 1;
    };
    // All lie there when the worker begins, so that it claims them together.
    constexpr int rounds = 5;
    std::vector<errand::handle<int>> all;
    for (int i = 0; i < rounds; ++i) {
        all.push_back(t.run(t.app.handler<echo>().perform_async(i)));
        for (const auto* kind : {"succeeds", "retries", "snoozes", "waits"}) {
            all.push_back(submit(t, {.headers = {{"kind", kind}}}));
            all.push_back(submit<free_form_on_pool>(t, {.headers = {{"kind", kind}}}));
        }
    }
    const auto gone = submit(t, {.headers = {{"kind", "succeeds"}}});
    CHECK(t.run(gone.cancel()));
    t.start();
    for (const auto& h : all) end_of(t, h);
    eventually([&] { return t.page().at("errand_reports_pending") == 0; });

    const auto page = t.page();
    const auto of = [&](const std::string& name, const std::string& handler, const std::string& more = {}) {
        return page.at(name + R"({queue="default",handler="worker_test::)" + handler + '"' + more + "}");
    };
    for (const std::string handler : {"free_form", "free_form_on_pool"}) {
        const auto done = t.book.count("worker_test::" + handler + " succeeded");
        CHECK(done == 4 * rounds);
        CHECK(of("errand_attempts_started_total", handler) ==
              t.book.count("worker_test::" + handler + " started"));
        CHECK(of("errand_attempts_finished_total", handler, R"(,outcome="success")") == done);
        CHECK(of("errand_attempts_finished_total", handler, R"(,outcome="retry")") == rounds);
        CHECK(of("errand_attempts_finished_total", handler, R"(,outcome="snoozed")") == rounds);
        CHECK(of("errand_attempt_duration_seconds_count", handler, R"(,outcome="success")") == done);
        CHECK(of("errand_attempt_duration_seconds_count", handler, R"(,outcome="failure")") == rounds);
        CHECK(of("errand_task_duration_seconds_count", handler) == done);
    }
    CHECK(of("errand_attempts_started_total", "echo") == rounds);
    CHECK(of("errand_attempts_finished_total", "echo", R"(,outcome="success")") == rounds);
    // Of each task its first start.
    CHECK(page.at(R"(errand_task_wait_seconds_count{queue="default"})") == 9 * rounds);
    CHECK(heard == (listens ? 9 * rounds : 0));
}

TEST_CASE("while a batch is at work its page says what runs") {
    one_thread t;
    std::atomic<int> first{0}, second{0};
    // The last one keeps the only thread of the worker, so that nothing of the batch can be told later.
    t.book.body = [&](errand::task_context& self) -> errand::awaitable<int> {
        if (!self.headers().contains("last")) co_return ++first;
        ++second;
        while (!t.book.release) std::this_thread::sleep_for(1ms);
        co_return 1;
    };
    std::vector<errand::handle<int>> all;
    for (int i = 0; i < 5; ++i) all.push_back(submit(t));
    all.push_back(submit(t, {.headers = {{"last", "1"}}}));
    t.start();
    eventually([&] { return second == 1; });
    CHECK(first == 5);
    const auto page = t.page();
    const auto started = page.at(of_free_form("errand_attempts_started_total"));
    CHECK(started == first + second);
    CHECK(page.at(finished("success")) == first.load());
    CHECK(page.at("errand_worker_slots_busy") >= 1);
    t.book.release = true;
    for (const auto& h : all) end_of(t, h);
    CHECK(t.page().at(finished("success")) == 6);
}

TEST_CASE("a worker that stops within a batch has counted what ran, and the next one the rest") {
    one_thread t;
    constexpr int tasks = 20;
    std::atomic<int> runs{0};
    t.book.body = [&](errand::task_context&) -> errand::awaitable<int> {
        if (++runs != 3) co_return 1;
        // Keeps the thread until it is told to stop, with the others of the batch behind it.
        while (!t.book.release) std::this_thread::sleep_for(1ms);
        co_return 1;
    };
    std::vector<errand::handle<int>> all;
    for (int i = 0; i < tasks; ++i) all.push_back(submit(t));
    t.start();
    eventually([&] { return runs == 3; });
    std::thread releases{[&] {
        const auto& meter = errand::detail::core_of(t.app).meter;
        while (meter.page({}, {}).find("errand_worker_stopping 1") == std::string::npos)
            std::this_thread::sleep_for(1ms);
        t.book.release = true;
    }};
    t.stop();
    releases.join();
    const auto before = runs.load();
    t.start();
    CHECK(t.page().at(of_free_form("errand_attempts_started_total")) >= before);
    for (const auto& h : all) end_of(t, h);
    const auto page = t.page();
    CHECK(runs == tasks);
    CHECK(page.at(of_free_form("errand_attempts_started_total")) == tasks);
    CHECK(page.at(finished("success")) == tasks);
    CHECK(page.at(finished("given_back")) == 0);
    CHECK(page.at(of_free_form("errand_task_duration_seconds_count")) == tasks);
}
