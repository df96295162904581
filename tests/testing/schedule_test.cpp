#include <errand/schedule.hpp>
#include <errand/transaction.hpp>

#include "client/policy_schedules.hpp"
#include "client/schedule_change.hpp"
#include "core/schedule_checks.hpp"
#include "runtime/caller_loop.hpp"
#include "testing/handlers.hpp"

#include <catch2/catch_test_macros.hpp>
#include <catch2/matchers/catch_matchers_string.hpp>

#include <set>

using namespace harness_test;
using Catch::Matchers::ContainsSubstring;
using errand::schedule_state;

namespace harness_test {
struct tidy_up {
    errand::awaitable<void> perform() { co_return; }
};
}  // namespace harness_test
ERRAND_HANDLER(harness_test::tidy_up, .name = "tidy_up", .cron = "0 3 * * *", .timezone = "UTC")

namespace {

// One that the policy of write_line declared when it still had a line.
errand::awaitable<errand::schedule_move> declare_of_old(errand::loop& there) {
    const auto id = errand::derive_schedule_id("write_line", errand::policy_schedule_key);
    return errand::change_schedule(there.tasks(), id, [](const errand::seen_schedule& seen) {
        errand::schedule_record record;
        record.identity = record.run.handler = "write_line";
        record.key = errand::policy_schedule_key;
        record.timing.interval = 1h;
        return errand::declare(seen.record, std::move(record), seen.now, {}, {});
    });
}

struct timetable : bench {
    errand::proxy<write_line> writer = app().handler<write_line>();

    errand::schedule hourly(errand::schedule_options how = {.mode = errand::fixed_rate}) {
        return run(writer.every(1h, std::move(how), "a"));
    }
    errand::schedule_info info(const errand::schedule& of) { return run(of.info()); }
    std::size_t runs() const { return lines.lines.size(); }
};

}  // namespace

TEST_CASE("a fixed rate runs at each tick of its grid, and keeps its arguments") {
    timetable t;
    const auto began = t.now();
    const auto s = t.hourly();
    auto info = t.info(s);
    CHECK(info.handler == "write_line");
    CHECK(info.timing == "every 1h");
    CHECK(info.state == schedule_state::active);
    CHECK(info.next_at == began + 1h);
    CHECK(info.args == boost::json::array{"a"});
    t.advance(3h + 30min);
    CHECK(t.runs() == 3);
    info = t.info(s);
    CHECK(info.runs == 3);
    CHECK(info.last_tick == began + 3h);
    CHECK(info.next_at == began + 4h);
    const auto last = t.finished<write_line>().back();
    CHECK(info.last_run == last.id);
    CHECK(last.headers.at("errand-schedule") == s.id());
    CHECK(t.run(s.upcoming(2)) == std::vector{began + 4h, began + 5h});
}

TEST_CASE("a blocking interval begins when its run has ended, after the last retry") {
    timetable t;
    const auto began = t.now();
    const auto s = t.hourly({.mode = errand::blocking_interval});
    t.fail_next<write_line>(errand::retry_in{20min, "not yet"});
    t.advance(1h);
    CHECK(t.runs() == 0);
    CHECK_FALSE(t.info(s).next_at);
    t.advance(20min);
    CHECK(t.runs() == 1);
    CHECK(t.info(s).next_at == began + 2h + 20min);
    t.advance(1h - 1s);
    CHECK(t.runs() == 1);
    t.advance(1s);
    CHECK(t.runs() == 2);
    CHECK(t.info(s).runs == 2);
}

TEST_CASE("a cron line runs at its times in its zone") {
    timetable t;
    const auto s = t.run(t.writer.cron("0 8 * * 1-5", {.timezone = "UTC"}, "a"));
    CHECK(t.info(s).timing == "0 8 * * 1-5");
    t.advance(7 * 24h);
    CHECK(t.runs() == 5);
}

TEST_CASE("a schedule that is declared again is the same one") {
    timetable t;
    const auto s = t.hourly();
    t.advance(90min);
    const auto before = t.info(s);
    CHECK(t.hourly().id() == s.id());
    CHECK(t.info(s).next_at == before.next_at);
    CHECK(t.info(s).runs == 1);
    CHECK(t.run(t.writer.every(1h, {.mode = errand::fixed_rate}, "b")).id() != s.id());
    const auto named = t.hourly({.key = "k"});
    CHECK(t.run(t.writer.every(2h, {.key = "k"}, "c")).id() == named.id());
    CHECK(t.info(named).timing == "every 2h after each run");
    CHECK(t.info(named).args == boost::json::array{"c"});
}

TEST_CASE("a schedule is paused, goes on without making up, and is cancelled") {
    timetable t;
    const auto s = t.hourly();
    CHECK(t.run(s.pause()));
    CHECK_FALSE(t.run(s.pause()));
    CHECK(t.info(s).state == schedule_state::paused);
    CHECK_FALSE(t.info(s).next_at);
    CHECK(t.run(s.upcoming()).empty());
    t.advance(5h + 1min);
    CHECK(t.runs() == 0);
    CHECK(t.run(s.resume()));
    CHECK_FALSE(t.run(s.resume()));
    t.advance(1h);
    CHECK(t.runs() == 1);
    CHECK(t.info(s).missed == 0);
    CHECK(t.run(s.cancel()));
    CHECK_FALSE(t.run(s.cancel()));
    t.advance(3h);
    CHECK(t.runs() == 1);
    t.hourly();
    t.advance(1h);
    CHECK(t.runs() == 2);
}

TEST_CASE("a run that has not ended when the next one begins is cancelled, and one goes on") {
    timetable t;
    t.fail_next<write_line>(std::runtime_error{"not yet"}, 2);
    const auto s = t.hourly({.mode = errand::fixed_rate,
                             .overlap = errand::overlap_rule::cancel_running,
                             .run = {.max_retry = 25, .tags = {"slow"}}});
    const auto cancelled = [&] {
        std::size_t count = 0;
        for (const auto& one : t.finished<write_line>()) count += one.state == state::cancelled;
        return count;
    };
    t.advance(1h);
    REQUIRE(t.pending<write_line>().size() == 1);
    const auto first = t.pending<write_line>()[0];
    CHECK(first.state == state::retry);
    t.run(t.app().inspect().reschedule(first.id, t.now() + 48h));
    t.advance(1h);
    CHECK(cancelled() == 1);
    CHECK(t.finished<write_line>()[0].id == first.id);
    REQUIRE(t.pending<write_line>().size() == 1);
    CHECK(t.pending<write_line>()[0].id == t.info(s).last_run);
    t.advance(30min);
    CHECK(t.pending<write_line>().empty());
    CHECK(cancelled() == 1);
}

TEST_CASE("a run that dies pauses a schedule that asked for that while the run was under way") {
    timetable t;
    t.fail_next<write_line>(std::runtime_error{"no"}, 2);
    errand::schedule_options how{.mode = errand::fixed_rate, .run = {.max_retry = 1}};
    const auto s = t.hourly(how);
    t.advance(1h);
    REQUIRE(t.pending<write_line>().size() == 1);
    how.pause_on_dead = true;
    CHECK(t.hourly(how).id() == s.id());
    t.advance(30min);
    CHECK(t.info(s).state == schedule_state::paused);
    CHECK(t.finished<write_line>().back().state == state::dead);
}

TEST_CASE("a run by hand works in every state and counts nowhere") {
    timetable t;
    const auto s = t.hourly({.max_runs = 1, .paused = true});
    const auto h = t.run(s.run_now());
    CHECK(t.run(h) == boost::json::value{"a"});
    CHECK(t.info(s).runs == 0);
    CHECK(t.info(s).state == schedule_state::paused);
}

TEST_CASE("a backfill makes the runs that are missing, once") {
    timetable t;
    const auto began = t.now();
    const auto s = t.hourly();
    t.advance(2h + 1min);
    CHECK(t.runs() == 2);
    CHECK(t.run(s.backfill(began - 3h, began + 9h)) == 4);
    t.drain();
    CHECK(t.runs() == 6);
    CHECK(t.run(s.backfill(began - 3h, began + 9h)) == 0);
    CHECK(t.info(s).runs == 2);
    CHECK_THROWS_WITH(t.run(s.backfill(began, began)), ContainsSubstring("`from` must be before `to`"));
    CHECK_THROWS_WITH(t.run(s.backfill(began - 24h * 36'500, began)),
                      ContainsSubstring("100000 are the limit"));
    const auto blocking = t.hourly({});
    CHECK_THROWS_WITH(t.run(blocking.backfill(began - 3h, began)), ContainsSubstring("cannot be backfilled"));
}

TEST_CASE("who listens hears of runs made by hand as of other submissions") {
    std::vector<errand::event> heard;
    timetable t;
    t.app().on_event([&](const errand::event& what) {
        if (what.kind == errand::event_kind::task_submitted) heard.push_back(what);
    });
    const auto began = t.now();
    const auto s = t.hourly();
    CHECK(heard.empty());
    const auto one = t.run(s.run_now());
    REQUIRE(heard.size() == 1);
    CHECK(heard[0].task == one.id());
    CHECK(heard[0].handler == "write_line");
    CHECK(t.run(s.backfill(began - 3h, began)) == 3);
    CHECK(t.run(s.backfill(began - 3h, began)) == 0);
    CHECK(heard.size() == 4);
}

TEST_CASE("what runs do otherwise is said by the declaration, and below it by the proxy") {
    timetable t;
    const auto s = t.run(t.writer.with({.queue = "low", .priority = 3, .tags = {"x"}})
                             .every(1h, {.run = {.priority = 7, .headers = {{"user", "u"}}}}, "a"));
    CHECK(t.info(s).queue == "low");
    t.advance(1h);
    const auto ran = t.finished<write_line>().back();
    CHECK(ran.queue == "low");
    CHECK(ran.headers.at("user") == "u");
    CHECK(ran.tags == std::vector<std::string>{"x"});
}

TEST_CASE("schedules are listed by handler and key, in pages, and found by their id") {
    timetable t;
    for (int n = 0; n < 5; ++n) t.hourly({.key = "k" + std::to_string(n)});
    t.run(t.app().handler<write_aside>().cron("@daily", {.key = "other", .paused = true}, "b"));
    std::vector<std::string> keys;
    errand::schedule_page page;
    do {
        page = t.run(t.app().schedules({.handler = "write_line", .limit = 2}, page.next));
        CHECK(page.schedules.size() <= 2);
        for (const auto& one : page.schedules) keys.push_back(one.key);
    } while (!page.next.empty());
    CHECK(keys == std::vector<std::string>{"k0", "k1", "k2", "k3", "k4"});
    CHECK(t.run(t.app().schedules()).schedules.size() == 6);
    const auto paused = t.run(t.app().schedules({.state = schedule_state::paused}));
    REQUIRE(paused.schedules.size() == 1);
    CHECK(paused.schedules[0].key == "other");
    CHECK(paused.next.empty());
    CHECK(t.run(t.app().find_schedule(paused.schedules[0].id))->id() == paused.schedules[0].id);
    CHECK_FALSE(t.run(t.app().find_schedule("nonsense")));
    CHECK_FALSE(t.run(t.app().find_schedule("0198c5d2-7c1e-7a30-9d44-6a0b8f1f2c11")));
    CHECK_THROWS_WITH(t.run(t.app().schedules({.limit = 0})), ContainsSubstring(".limit = 0"));
    CHECK_THROWS_WITH(t.run(t.app().schedules({}, "xyz")), ContainsSubstring("`next`"));
}

TEST_CASE("a schedule that is declared under a transaction is there with its commit") {
    timetable t;
    std::optional<errand::schedule> held;
    const auto declare = [&](std::string key) -> errand::awaitable<void> {
        held = co_await t.writer.every(1h, {.key = std::move(key), .mode = errand::fixed_rate}, "a");
    };
    const auto failing = [&]() -> errand::awaitable<void> {
        co_await declare("dropped");
        throw std::runtime_error{"no"};
    };
    CHECK_THROWS_AS(t.run(errand::transaction(t.app(), failing)), std::runtime_error);
    CHECK_THROWS_WITH(t.info(*held), ContainsSubstring("there is no schedule"));
    t.run(errand::transaction(t.app(), [&]() -> errand::awaitable<void> {
        co_await declare("k");
        CHECK_FALSE(co_await t.app().find_schedule(held->id()));
        co_await t.writer.perform_async("b");
        co_await errand::transaction(t.app(), [&]() -> errand::awaitable<void> { return declare("inner"); });
    }));
    CHECK(t.info(*held).key == "inner");
    CHECK(t.run(t.app().schedules()).schedules.size() == 2);
    t.advance(1h);
    CHECK(t.runs() == 3);
    // Its tasks are refused, and so is all of it.
    t.run(t.app().handler<write_line>().with({.biz_id = "x"}).perform_async("c"));
    const errand::options reject{.biz_id = "x", .on_duplicate = errand::reject};
    CHECK_THROWS_AS(t.run(errand::transaction(t.app(),
                                              [&]() -> errand::awaitable<void> {
                                                  co_await declare("refused");
                                                  co_await t.writer.with(reject).perform_async("c");
                                              })),
                    errand::duplicate_task);
    CHECK(t.run(t.app().schedules()).schedules.size() == 2);
}

TEST_CASE("a schedule is held back by a guard until that commits") {
    timetable t;
    errand::transaction_guard guard{t.app()};
    const auto s = t.run(t.writer.in(guard).every(1h, {.mode = errand::fixed_rate}, "a"));
    CHECK(t.run(t.app().schedules()).schedules.empty());
    t.run(guard.commit());
    CHECK(t.info(s).state == schedule_state::active);
    CHECK_THROWS_WITH(t.run(t.writer.in(guard).every(2h, {}, "a")), ContainsSubstring("that has ended"));
}

TEST_CASE("a bad declaration is refused before anything is kept") {
    timetable t;
    CHECK_THROWS_WITH(t.hourly({.max_runs = 0}), ContainsSubstring("\"write_line\": schedule .max_runs = 0"));
    CHECK_THROWS_WITH(t.run(t.writer.cron("0 0 30 2 *", {}, "a")), ContainsSubstring("never comes"));
    CHECK_THROWS_WITH(t.run(t.writer.cron("@daily", {.timezone = "Mars/Base"}, "a")),
                      ContainsSubstring("schedule .timezone = \"Mars/Base\""));
    CHECK_THROWS_WITH(t.run(t.writer.with({.biz_id = "x"}).every(1h, {}, "a")),
                      ContainsSubstring("run.biz_id"));
    CHECK_THROWS_WITH(t.run(errand::transaction(t.app(),
                                                [&]() -> errand::awaitable<void> {
                                                    co_await t.writer.every(0h, {}, "a");
                                                })),
                      ContainsSubstring("interval = 0ms"));
    CHECK(t.run(t.app().schedules()).schedules.empty());
}

TEST_CASE("the schedules of policies tick in a harness unless it is told otherwise") {
    harness t;
    const auto declared = t.run(t.app().schedules()).schedules;
    REQUIRE(declared.size() == 1);
    CHECK(declared[0].handler == "tidy_up");
    CHECK(declared[0].key == "policy");
    CHECK(t.advance(48h) == 2);
    CHECK(t.finished<tidy_up>().size() == 2);
    harness without{{.policy_schedules = false}};
    CHECK(without.run(without.app().schedules()).schedules.empty());
    CHECK(without.advance(48h) == 0);
}

TEST_CASE("a wait that nothing but ticks are left for can never end, and one for a later task does") {
    timetable t;
    t.run(t.writer.every(1min, {.mode = errand::fixed_rate}, "tick"));
    const auto aside = t.run(t.app().perform("nobody.has", {1}));
    CHECK_THROWS_WITH(t.run(aside), ContainsSubstring("nobody.has"));
    const auto later = t.run(t.writer.perform_in(17h, "later"));
    CHECK(t.run(later) == "later");
}

TEST_CASE("a policy's line is declared by who starts with it, and cancelled where it is there no more") {
    timetable t;
    auto& core = errand::detail::core_of(t.app());
    t.run(errand::on_caller_loop(&core, [](errand::loop& there) { return declare_of_old(there); }));
    t.run(errand::declare_policy_schedules(core));
    const auto kept = t.run(t.app().schedules()).schedules;
    REQUIRE(kept.size() == 2);
    CHECK(kept[0].handler == "tidy_up");
    CHECK(kept[0].key == "policy");
    CHECK(kept[0].timing == "0 3 * * *");
    CHECK(kept[0].state == schedule_state::active);
    CHECK(kept[1].state == schedule_state::cancelled);
    t.advance(24h);
    t.run(errand::declare_policy_schedules(core));
    CHECK(t.finished<tidy_up>().size() == 1);
    CHECK(t.run(t.app().schedules()).schedules[0].created_at == kept[0].created_at);
}
