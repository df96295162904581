// What a worker's log says of its tasks.
#include "core/store_list.hpp"
#include "runtime/app_core.hpp"
#include "support/await.hpp"
#include "support/shards.hpp"
#include "support/store_kind.hpp"
#include "worker/handlers.hpp"

#include <catch2/catch_test_macros.hpp>
#include <catch2/generators/catch_generators.hpp>
#include <catch2/matchers/catch_matchers_string.hpp>
#include <spdlog/logger.h>
#include <spdlog/sinks/base_sink.h>

#include <algorithm>
#include <charconv>

using namespace std::chrono_literals;
using namespace worker_test;
using Catch::Matchers::ContainsSubstring;
using Catch::Matchers::StartsWith;
using errand::state;
using errand::test::eventually;

namespace {

class kept_lines final : public spdlog::sinks::base_sink<std::mutex> {
public:
    std::vector<std::string> with(std::string_view part) {
        const std::lock_guard lock{mutex_};
        std::vector<std::string> some;
        std::ranges::copy_if(lines_, std::back_inserter(some),
                             [&](const std::string& line) { return line.find(part) != std::string::npos; });
        return some;
    }

protected:
    void sink_it_(const spdlog::details::log_msg& line) override {
        const std::string_view level{spdlog::level::to_string_view(line.level).data()};
        lines_.push_back(std::string{level} + " " + std::string{line.payload.data(), line.payload.size()});
    }
    void flush_() override {}

private:
    std::vector<std::string> lines_;
};

errand::config with_level_info() {
    auto settings = errand::test::fresh_settings();
    settings.log_level = "info";
    return settings;
}

struct logged_bench : bench {
    explicit logged_bench(errand::config settings = with_level_info()) : bench{std::move(settings)} {
        errand::detail::core_of(app).log->sinks().push_back(lines);
    }
    // The one line that has this part.
    std::string only(std::string_view part) const {
        const auto some = lines->with(part);
        INFO(part);
        REQUIRE(some.size() == 1);
        return some.front();
    }

    std::shared_ptr<kept_lines> lines = std::make_shared<kept_lines>();
};

// "980 more like this …"
std::size_t number_before(std::string_view line, std::string_view words) {
    const auto end = line.find(words);
    const auto begin = line.rfind(' ', end - 1) + 1;
    std::size_t value = 0;
    std::from_chars(line.data() + begin, line.data() + end, value);
    return value;
}

}  // namespace

TEST_CASE(
    "each attempt that fails is a warning that says why, which of how many, and when the next one comes") {
    logged_bench t;
    t.book.body = [](errand::task_context& self) -> errand::awaitable<int> {
        if (self.attempt() == 1) throw std::runtime_error{"no route\nto host"};
        if (self.attempt() == 2) throw errand::retry_in(100ms, "busy");
        if (self.attempt() == 3) throw errand::discard{"never"};
        co_return 1;
    };
    t.start();
    const auto h = submit(t, {.max_retry = 3});
    CHECK(end_of(t, h).state == state::dead);
    CHECK(t.only("attempt 1 of 4") == "warning worker_test::free_form " + h.id() +
                                          " attempt 1 of 4 failed: std::runtime_error: no route to host; "
                                          "again in 1 ms");
    CHECK_THAT(t.only("attempt 2 of 4"), ContainsSubstring("busy; again in 100 ms"));
    CHECK_THAT(t.only("the task is dead"),
               StartsWith("warning worker_test::free_form " + h.id()) && ContainsSubstring("never"));
}

TEST_CASE("an attempt that was over its timeout is said to be, as one that failed") {
    logged_bench t;
    t.start();
    const auto h = t.run(t.app.handler<lingers>().with({.timeout = 30ms, .max_retry = 1}).perform_async(1h));
    eventually([&] { return !t.lines->with("attempt 1 of 2").empty(); });
    CHECK_THAT(t.only("attempt 1 of 2"),
               StartsWith("warning worker_test::lingers " + h.id() +
                          " attempt 1 of 2 failed: errand::timed_out: timed out after 30ms; again in "));
    t.run(h.cancel());
}

TEST_CASE("a worker that takes a task over says of which one, and why") {
    logged_bench t;
    const auto h = t.run(t.app.handler<echo>().perform_async(5));
    errand::test::second_store dying{t.app, "worker-that-dies"};
    errand::work_call claim;
    claim.claim = {{"default"}, 1, 100ms};
    REQUIRE(errand::test::await(dying.io, dying.of->work(claim)).claimed.size() == 1);
    t.start();
    CHECK(t.wait(h) == 5);
    // A machine that stands still for as long as a lease loses it once more.
    eventually([&] { return !t.lines->with("taken over").empty(); });
    CHECK(t.lines->with("taken over").front() ==
          "info worker_test::echo " + h.id() + ": taken over: its worker gave no sign of life");
}

TEST_CASE("a worker that has lost a lease says of which task, and that its attempt is cancelled") {
    // Who holds what on a SQLite file is in the same transaction as all else: nothing but a machine that stood still loses it.
    if (errand::test::kind_of_tests() != errand::test::store_kind::redis) return;
    auto settings = with_level_info();
    settings.lease = 2s;
    logged_bench t{settings};
    t.start();
    const auto h = t.run(t.app.handler<lingers>().perform_async(1h));
    eventually([&] { return t.book.started == 1; });
    for (std::size_t at = 0; at < settings.shards; ++at)
        errand::test::shared_redis().command({"DEL", errand::test::shard_key(settings, "leases", at)});
    eventually([&] { return !t.lines->with("the lease is lost").empty(); });
    CHECK(t.lines->with("the lease is lost").front() ==
          "warning worker_test::lingers " + h.id() + ": the lease is lost, the attempt is cancelled");
}

TEST_CASE("many failures that are alike are some lines and a number") {
    logged_bench t;
    t.start();
    const std::size_t many = 200;
    std::vector<errand::handle<void>> all;
    for (std::size_t i = 0; i < many; ++i)
        all.push_back(t.run(t.app.handler<throws_a_number>().perform_async()));
    for (const auto& one : all) CHECK(end_of(t, one).state == state::dead);
    t.stop();
    std::size_t told = 0, written = 0;
    for (const auto& line : t.lines->with("throws_a_number ")) {
        const auto words = std::string_view{" more like this one within a minute: "};
        if (line.find(words) != std::string::npos) {
            told += number_before(line, words);
        } else {
            ++written;
        }
    }
    CHECK(written + told == many);
    CHECK(told > 0);
}

TEST_CASE("what a stopping worker gives back is told, as what costs no attempt") {
    auto settings = with_level_info();
    settings.shutdown_grace = 0s;
    logged_bench t{settings};
    t.start();
    const auto h = t.run(t.app.handler<lingers>().perform_async(60s));
    eventually([&] { return t.book.started == 1; });
    t.stop();
    CHECK(t.only("is given back") ==
          "info worker_test::lingers " + h.id() + " attempt 1 of 1 is given back, and loses no attempt");
}

TEST_CASE("a handler that returns after its timeout has succeeded, and the log says that it was late") {
    logged_bench t;
    std::vector<errand::event> late;
    std::mutex guard;
    t.app.on_event([&](const errand::event& what) {
        const std::lock_guard lock{guard};
        if (what.kind == errand::event_kind::ended_late) late.push_back(what);
    });
    t.book.body = [](errand::task_context& self) -> errand::awaitable<int> {
        while (!self.cancelled()) std::this_thread::sleep_for(1ms);
        std::this_thread::sleep_for(2ms);
        co_return 7;
    };
    t.start();
    const auto h = submit<free_form_on_pool>(t, {.timeout = 20ms});
    CHECK(t.wait(h) == 7);
    CHECK_THAT(t.only("after its timeout"),
               StartsWith("warning worker_test::free_form_on_pool " + h.id() +
                          " attempt 1 of 26 ended after its timeout, which counts as a success ("));
    const std::lock_guard lock{guard};
    REQUIRE(late.size() == 1);
    CHECK(late[0].task == h.id());
    CHECK(late[0].after >= 2ms);
}

TEST_CASE("a worker begins with the words on which store it works, for whom, and what it runs") {
    auto settings = with_level_info();
    settings.queues = {{"default", 3}, {"defualt", 1}};
    logged_bench t{settings};
    t.start();
    const auto line = t.only(" serves ");
    CHECK_THAT(line, StartsWith("info worker "));
    CHECK_THAT(line, ContainsSubstring(" on " + errand::shown_stores(t.app.settings().store) +
                                       ", namespace " + t.app.settings().name_space + ", serves "));
    CHECK_THAT(line, ContainsSubstring("default:3") && ContainsSubstring(" handlers (") &&
                         ContainsSubstring(std::to_string(t.app.settings().concurrency) + " tasks at once"));
    CHECK(t.only("defualt\"") ==
          "warning no handler of this program has the queue \"defualt\"; the nearest is \"default\"");
}

TEST_CASE("an attempt whose wrapper returns without the handler fails, and says what is missing") {
    bench t;
    const bool forgets = GENERATE(true, false);
    t.app.around_perform([forgets](errand::task_context&, errand::next_step next) -> errand::awaitable<void> {
        if (forgets) static_cast<void>(next());
        co_return;
    });
    t.start();
    const auto h = t.run(t.app.handler<echo>().with({.max_retry = 0}).perform_async(1));
    const auto info = end_of(t, h);
    CHECK(info.state == state::dead);
    CHECK(text_of(info) ==
          "errand::usage_error: the handler did not run: a wrapper given to around_perform returned without "
          "co_await next()");
    CHECK(t.book.count("1") == 0);
}

TEST_CASE("run says once why the worker cannot start, and returns 1") {
    auto settings = with_level_info();
    settings.store = "redis+unix:///nowhere/errand.sock";
    settings.shards = 0;
    settings.store_timeout = 200ms;
    logged_bench t{settings};
    CHECK(t.app.run() == 1);
    CHECK_THAT(t.only("cannot start"), StartsWith("critical the worker cannot start: "));
}

TEST_CASE("run on a store in memory warns that no other program can submit there") {
    auto settings = with_level_info();
    settings.store = "sqlite::memory:";
    settings.shards = 0;
    // Without the bean of these handlers, so that it does not go on.
    errand::test::test_app t{settings};
    const auto lines = std::make_shared<kept_lines>();
    errand::detail::core_of(t.app).log->sinks().push_back(lines);
    CHECK(t.app.run() == 1);
    const auto warned = lines->with("tasks are kept in memory: no other program can submit any");
    REQUIRE(warned.size() == 1);
    CHECK_THAT(warned.front(), StartsWith("warning ") && ContainsSubstring("ERRAND_STORE"));
    REQUIRE(lines->with("cannot start").size() == 1);
    CHECK_THAT(lines->with("cannot start").front(), ContainsSubstring("diary"));
}

TEST_CASE("where a worker serves several namespaces, lines say of which a task is", "[shared_by_apps]") {
    auto settings = with_level_info();
    auto of_second = settings;
    of_second.name_space += "-second";
    bench second{of_second};
    settings.name_spaces = {{settings.name_space, 1}, {of_second.name_space, 2}};
    logged_bench t{settings};
    t.start();
    const auto h = second.run(second.app.handler<throws_a_number>().perform_async());
    eventually([&] { return second.info(h).state == state::dead; });
    CHECK_THAT(t.only(h.id()),
               StartsWith("warning namespace " + of_second.name_space + ": worker_test::throws_a_number "));
    CHECK_THAT(t.only("namespaces "),
               ContainsSubstring("namespaces " + settings.name_space + ":1, " + of_second.name_space + ":2"));
}
