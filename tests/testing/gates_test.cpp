// Limits under a clock that the test moves.
#include <errand/limit.hpp>

#include "client/schedule_change.hpp"
#include "core/gates.hpp"
#include "runtime/caller_loop.hpp"
#include "testing/handlers.hpp"

#include <catch2/catch_test_macros.hpp>
#include <catch2/matchers/catch_matchers_string.hpp>

#include <algorithm>
#include <stdexcept>
#include <utility>

using namespace harness_test;
using Catch::Matchers::ContainsSubstring;

namespace harness_test {

inline const errand::limit vendor{"vendor", {.rate = errand::per_second(10)}};

struct call_vendor {
    errand::awaitable<void> perform() { co_return; }
};
struct call_in_bursts {
    errand::awaitable<void> perform() { co_return; }
};

struct serve {
    diary& seen;
    explicit serve(diary& d) : seen{d} {}
    static std::string concurrency_key(const std::string& customer) { return customer; }
    errand::awaitable<void> perform(std::string customer) {
        seen.lines.push_back(customer);
        co_return;
    }
};

// The next one is another customer's.
struct pass_on {
    static std::string concurrency_key(const std::string& customer) { return customer; }
    errand::awaitable<void> perform(std::string customer) {
        auto& self = co_await errand::this_task();
        if (customer == "anna") self.schedule()->set_args(std::string{"bert"});
    }
};

struct ask_itself {
    errand::proxy<ask_itself> next;
    errand::awaitable<int> perform(int depth) {
        if (depth == 0) co_return 0;
        co_return 1 + co_await co_await next.perform_async(depth - 1);
    }
};

// Waits for news that come in an hour, or is at work for two.
struct in_turn {
    diary& seen;
    errand::proxy<write_line> lines;
    in_turn(diary& d, errand::proxy<write_line> l) : seen{d}, lines{l} {}
    errand::awaitable<void> perform(std::string name, bool waits) {
        seen.lines.push_back(name);
        if (waits) {
            auto news = co_await lines.perform_in(1h, "news");
            co_await news;
        } else {
            auto& self = co_await errand::this_task();
            const errand::stage_options how{.max_retry = 1, .backoff = errand::backoff::uniform(2h)};
            bool fails = true;
            co_await self.stage("work", how, [&fails]() -> errand::awaitable<void> {
                if (std::exchange(fails, false)) throw std::runtime_error{"not yet"};
                co_return;
            });
        }
        seen.lines.push_back(name + " ends");
    }
};

}  // namespace harness_test

ERRAND_HANDLER(harness_test::in_turn, .name = "in_turn", .timeout = errand::duration{0}, .max_running = 1)
ERRAND_HANDLER(harness_test::call_vendor, .name = "call_vendor", .limits = {"vendor"})
ERRAND_HANDLER(harness_test::call_in_bursts, .name = "call_in_bursts",
               .rate = errand::rate_limit{.count = 10, .per = std::chrono::seconds{1}, .burst = 5})
ERRAND_HANDLER(harness_test::serve, .name = "serve")
ERRAND_HANDLER(harness_test::pass_on, .name = "pass_on")
ERRAND_HANDLER(harness_test::ask_itself, .name = "ask_itself", .timeout = errand::duration{0},
               .max_running = 1)

namespace {

template <class H>
std::vector<errand::duration> starts_of(bench& t, int count) {
    const auto begin = t.now();
    t.run(t.app().handler<H>().perform_bulk(std::vector<std::tuple<>>(static_cast<std::size_t>(count))));
    t.advance(1h);
    std::vector<errand::duration> starts;
    for (const auto& one : t.finished<H>()) starts.push_back(*one.started_at - begin);
    std::ranges::sort(starts);
    return starts;
}

// Of what key a task is, or all tasks of a schedule that are to come.
std::string key_of(const std::string& customer) {
    return errand::gate_of(errand::gate_kind::running, "handler:pass_on", customer);
}
errand::awaitable<std::string> first_gate(errand::loop& there, std::string id) {
    const auto found = co_await there.tasks().find(*errand::parse_task_id(id));
    co_return std::string{errand::gates_of(found->body)}.substr(0, errand::gate_width);
}
errand::awaitable<std::string> next_first_gate(errand::loop& there, std::string id) {
    const auto seen = co_await errand::look_at_schedule(there.tasks(), *errand::parse_task_id(id));
    co_return seen.record->run.gates.substr(0, errand::gate_width);
}

// So many at most in any half-open second.
bool keeps_ten_a_second(const std::vector<errand::duration>& starts) {
    for (std::size_t at = 0; at + 10 < starts.size(); ++at) {
        if (starts[at + 10] - starts[at] < 1s) return false;
    }
    return true;
}

}  // namespace

TEST_CASE("a rate is kept in every window, and no slower than it says") {
    bench t;
    const auto starts = starts_of<call_vendor>(t, 50);
    REQUIRE(starts.size() == 50);
    CHECK(keeps_ten_a_second(starts));
    CHECK(starts.front() == 0ms);
    CHECK(starts.back() == 4900ms);
}

TEST_CASE("with a burst some start at one instant, and every window is kept all the same") {
    bench t;
    const auto starts = starts_of<call_in_bursts>(t, 30);
    REQUIRE(starts.size() == 30);
    CHECK(keeps_ten_a_second(starts));
    CHECK(starts[4] == 0ms);
    CHECK(starts[5] > 0ms);
}

TEST_CASE("awaiting a task moves the clock to when its rate opens") {
    bench t;
    const auto calls = t.app().handler<call_vendor>();
    const auto begin = t.now();
    std::vector<errand::handle<void>> all;
    for (int i = 0; i < 4; ++i) all.push_back(t.run(calls.perform_async()));
    t.drain();
    CHECK(t.run(all.back().info()).blocked_by == std::vector<std::string>{"vendor: next start in 100 ms"});
    t.run(all.back());
    CHECK(t.now() == begin + 300ms);
}

TEST_CASE("keys take turns, and each keeps its order") {
    bench t;
    const auto serving = t.app().handler<serve>();
    for (int i = 0; i < 6; ++i) t.run(serving.perform_async("large"));
    for (int i = 0; i < 2; ++i) t.run(serving.perform_async("small"));
    CHECK(t.drain() == 8);
    const auto last = std::find(t.lines.lines.rbegin(), t.lines.lines.rend(), "small");
    CHECK(t.lines.lines.rend() - last <= 5);
}

TEST_CASE("a limit that is closed lets nothing start until it is opened") {
    bench t;
    t.run(t.app().set_limit("vendor", {.max_running = 0}));
    const auto h = t.run(t.app().handler<call_vendor>().perform_async());
    t.run(t.app().handler<write_line>().perform_async("beside it"));
    CHECK(t.drain() == 1);
    CHECK(t.advance(24h) == 0);
    CHECK(t.run(h.info()).state == state::ready);
    t.run(t.app().clear_limit("vendor"));
    CHECK(t.drain() == 1);
    CHECK(t.run(h.info()).state == state::success);
}

TEST_CASE("a task waits for others under its own limit although one runs at a time") {
    bench t;
    CHECK(t.run(t.run(t.app().handler<ask_itself>().perform_async(3))) == 3);
    for (const auto& limit : t.run(t.app().limits())) CHECK(limit.running == 0);
}

TEST_CASE("a task that waits for one behind a closed limit is told what holds that one back") {
    bench t;
    t.run(t.app().set_limit("vendor", {.max_running = 0}));
    CHECK_THROWS_WITH(t.run(t.run(t.app().handler<call_vendor>().perform_async())),
                      ContainsSubstring("held back: vendor: 0 of 0 running"));
}

TEST_CASE("a task that has its result goes on when its limit has room, before those that have not started") {
    bench t;
    const auto handler = t.app().handler<in_turn>();
    const auto first = t.run(handler.perform_async("first", true));
    t.run(handler.perform_async("second", false));
    t.run(handler.perform_async("third", false));
    t.run(first);
    CHECK(t.lines.lines == std::vector<std::string>{"first", "second", "news", "second ends", "first ends"});
    t.advance(24h);
    CHECK(t.lines.lines.back() == "third ends");
}

TEST_CASE("arguments that a run sets are of their own key, also when the schedule is declared again") {
    bench t;
    auto& core = errand::detail::core_of(t.app());
    const auto declared = [&] {
        return t.run(t.app().handler<pass_on>().every(1h, {.key = "k", .mode = errand::fixed_rate}, "anna"));
    };
    const auto s = declared();
    const auto next = [&] {
        return t.run(errand::on_caller_loop(&core, [id = s.id()](errand::loop& there) {
            return next_first_gate(there, id);
        }));
    };
    CHECK(next() == key_of("anna"));
    t.advance(1h);
    CHECK(next() == key_of("bert"));
    declared();
    CHECK(next() == key_of("bert"));
    t.advance(1h);
    const auto last = t.run(s.info()).last_run;
    CHECK(t.run(errand::on_caller_loop(&core, [last](errand::loop& there) {
        return first_gate(there, last);
    })) == key_of("bert"));
}
