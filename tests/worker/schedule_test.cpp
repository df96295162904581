// Schedules with the workers of an app, on every store: what a run asks for, declarations that meet, and ticks that nobody was there for.
#include "support/clocked_server.hpp"
#include "worker/handlers.hpp"

#include <catch2/catch_test_macros.hpp>

#include <algorithm>
#include <memory>
#include <mutex>
#include <optional>
#include <unistd.h>
#include <vector>

using namespace worker_test;
using errand::schedule_state;
using errand::test::eventually;

namespace worker_test {

// Each of its runs fails once, and asks for something else then.
struct rounds {
    diary& book;
    explicit rounds(diary& j) : book{j} {}
    errand::awaitable<void> perform(std::string what) {
        auto& self = co_await errand::this_task();
        auto* mine = self.schedule();
        if (!mine) throw errand::discard{"nobody submits it"};
        book.note(what);
        if (self.attempt() == 1) {
            mine->next_at(mine->tick() + 5h);
            mine->set_args(std::string{"of a failed attempt"});
            mine->stop();
            throw std::runtime_error{"not yet"};
        }
        if (what == "first") {
            mine->next_at(mine->tick());
            mine->set_args(std::string{"second"});
        } else if (what == "second") {
            mine->next_at(mine->tick() + 2h);
            mine->set_args(std::string{"third"});
        } else {
            mine->stop();
        }
    }
};

}  // namespace worker_test
ERRAND_HANDLER(worker_test::rounds, .backoff = errand::backoff::uniform(std::chrono::milliseconds{1}))

namespace {

errand::time_point a_minute_ago() {
    return std::chrono::floor<errand::duration>(std::chrono::system_clock::now()) - 1min;
}

errand::awaitable<errand::schedule> declare(errand::app& app, errand::time_point begin, std::string what) {
    errand::schedule_options how{.key = what, .begin = begin};  // no temporary across co_await
    co_return co_await app.handler<rounds>().every(1h, std::move(how), std::move(what));
}

}  // namespace

TEST_CASE(
    "what a run asks of its schedule is so when it ends well, and stays so when that is declared again") {
    bench t;
    t.start();
    const auto begin = a_minute_ago();
    const auto s = t.run(declare(t.app, begin, "first"));
    errand::schedule_info info;
    const boost::json::array third{"third"};
    eventually([&] { return (info = t.run(s.info())).args == third; });
    CHECK(t.book.count("first") == 2);
    CHECK(t.book.count("second") == 2);
    CHECK(t.book.count("of a failed attempt") == 0);
    CHECK(info.runs == 2);
    REQUIRE(info.last_tick);
    CHECK(info.next_at == *info.last_tick + 2h);
    CHECK(t.run(declare(t.app, begin, "first")).id() == s.id());
    const auto again = t.run(s.info());
    CHECK(again.next_at == info.next_at);
    CHECK(again.args == third);
    CHECK(again.state == schedule_state::active);

    const auto once = t.run(declare(t.app, begin, "only"));
    eventually([&] { return (info = t.run(once.info())).state == schedule_state::finished; });
    CHECK(t.book.count("only") == 2);
    CHECK_FALSE(info.next_at);
    t.run(declare(t.app, begin, "only"));
    CHECK(t.run(once.info()).state == schedule_state::finished);
}

TEST_CASE("ten programs that declare a schedule at the same time change nothing of it", "[shared_by_apps]") {
    bench t;
    const auto begin = a_minute_ago() + 1h;
    const auto s = t.run(declare(t.app, begin, "first"));
    const auto before = t.run(s.info());
    std::vector<std::unique_ptr<bench>> all;
    for (int i = 0; i < 10; ++i) all.push_back(std::make_unique<bench>(t.app.settings()));
    std::atomic<int> declared{0};
    std::vector<std::thread> threads;
    for (const auto& one : all) {
        threads.emplace_back([&declared, &app = one->app, begin] {
            try {
                for (int i = 0; i < 100; ++i) {
                    app.block_on(declare(app, begin, "first"));
                    ++declared;
                }
            } catch (const std::exception&) {
                // It is counted as missing.
            }
        });
    }
    for (auto& one : threads) one.join();
    CHECK(declared == 1000);
    CHECK(t.run(t.app.schedules()).schedules.size() == 1);
    const auto after = t.run(s.info());
    CHECK(after.next_at == begin);
    CHECK(after.created_at == before.created_at);
    CHECK(after.args == before.args);
    CHECK(after.runs == 0);
    CHECK(after.state == schedule_state::active);
}

namespace {

// What runs of a schedule each 100 ms do: the first one goes on until it is released.
struct long_run {
    explicit long_run(errand::overlap_rule rule) {
        t.book.body = [this](errand::task_context& self) -> errand::awaitable<int> {
            {
                const std::lock_guard lock{guard};
                ticks.push_back(self.schedule()->tick());
                most = std::max(most, ++running);
            }
            while (!t.book.release) co_await sleep(1ms);
            const std::lock_guard lock{guard};
            --running;
            co_return 0;
        };
        errand::schedule_options when{.key = "k", .mode = errand::fixed_rate};
        when.overlap = rule;
        of = t.run(t.app.handler<free_form>().every(100ms, std::move(when)));
        t.start();
    }
    std::vector<errand::time_point> started() {
        const std::lock_guard lock{guard};
        return ticks;
    }
    int most_at_once() {
        const std::lock_guard lock{guard};
        return most;
    }

    std::mutex guard;
    std::vector<errand::time_point> ticks;
    int running = 0, most = 0;
    std::optional<errand::schedule> of;
    bench t;
};

}  // namespace

TEST_CASE("while a run goes on a schedule that skips makes no other, and counts the ticks") {
    long_run r{errand::overlap_rule::skip};
    eventually([&] { return r.t.run(r.of->info()).skipped >= 3; });
    CHECK(r.started().size() == 1);
    CHECK(r.t.run(r.of->info()).runs == 1);
    r.t.book.release = true;
    eventually([&] { return r.started().size() >= 3; });
    CHECK(r.most_at_once() == 1);
}

TEST_CASE("when a run ends a schedule that queues one makes that of the newest tick that came meanwhile") {
    long_run r{errand::overlap_rule::queue_one};
    eventually([&] { return r.started().size() == 1; });
    const auto first = r.started()[0];
    // Three came, and the last of them has been looked at.
    eventually([&] { return r.t.run(r.of->info()).next_at >= first + 400ms; });
    CHECK(r.started().size() == 1);
    r.t.book.release = true;
    eventually([&] { return r.started().size() >= 3; });
    const auto ticks = r.started();
    CHECK(ticks[1] >= first + 300ms);
    CHECK(ticks[2] > ticks[1]);
    CHECK(r.most_at_once() == 1);
}

TEST_CASE("a run that has not ended when the next one begins is cancelled, and the last one goes on") {
    bench t;
    t.book.body = [&t](errand::task_context& self) -> errand::awaitable<int> {
        ++t.book.started;
        try {
            while (!t.book.release) co_await sleep(1ms);
        } catch (...) {
            if (self.cancelled()) ++t.book.stopped;
            throw;
        }
        t.book.note(self.id());
        co_return 0;
    };
    errand::schedule_options when{.key = "k", .mode = errand::fixed_rate};
    when.overlap = errand::overlap_rule::cancel_running;
    when.max_runs = 3;
    const auto s = t.run(t.app.handler<free_form>().every(200ms, std::move(when)));
    t.start();
    const auto cancelled = [&] { return t.run(t.app.inspect().list({.state = state::cancelled})).tasks; };
    eventually([&] { return cancelled().size() == 2; });
    const auto last = t.run(s.info()).last_run;
    for (const auto& one : cancelled()) CHECK(one.id != last);
    eventually([&] { return t.book.started - t.book.stopped == 1; });
    t.book.release = true;
    eventually([&] { return t.book.count(last) == 1; });
    CHECK(t.book.kinds() == 1);
    CHECK(cancelled().size() == 2);
    eventually([&] { return t.run(s.info()).state == schedule_state::finished; });
}

#ifdef ERRAND_TEST_CLOCK
// A clock that is another program's can be set.
TEST_CASE("after ten minutes without a worker a schedule makes the runs that its rule for missed ticks says",
          "[goes_away]") {
    const errand::test::clocked_server redis;
    bench t{redis.settings()};
    t.book.body = [&t](errand::task_context& self) -> errand::awaitable<int> {
        auto* of = self.schedule();
        t.book.note(of->key());
        t.book.note(of->key() + ": " + std::to_string(of->missed()) + " missed");
        co_return 0;
    };
    const auto each_minute = [&](std::string key, errand::missed_rule rule) {
        errand::schedule_options when{.key = std::move(key), .mode = errand::fixed_rate};
        when.missed = rule;
        when.missed_cap = 5;
        return t.run(t.app.handler<free_form>().every(1min, std::move(when)));
    };
    const auto newest = each_minute("the newest", errand::missed_rule::run_once);
    const auto five = each_minute("five", errand::missed_rule::run_all);
    const auto none = each_minute("none", errand::missed_rule::skip);
    redis.set_ahead(10min + 20s);
    t.start();
    eventually([&] { return t.book.count("the newest") == 1 && t.book.count("five") == 5; });
    eventually([&] { return t.run(none.info()).missed == 10; });
    CHECK(t.book.count("the newest: 9 missed") == 1);
    CHECK(t.run(newest.info()).missed == 9);
    CHECK(t.run(five.info()).missed == 5);
    CHECK(t.run(five.info()).runs == 5);
    CHECK(t.run(none.info()).runs == 0);
    CHECK(t.book.count("none") == 0);
}
#endif
