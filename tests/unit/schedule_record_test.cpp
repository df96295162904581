// What is kept of a schedule, and its names.
#include <errand/error.hpp>

#include "unit/schedule_desk.hpp"

#include <catch2/catch_test_macros.hpp>

using namespace errand;
using namespace errand::schedule_test;
using namespace std::chrono_literals;

TEST_CASE("a schedule's record comes back as it was written") {
    auto full = at_cron("H 3 * * *");
    full.stamp = 0x1122334455667788;
    full.last_run = derive_run_id(derive_schedule_id("report", "k"), 7);
    full.timing.begin = noon;
    full.timing.end = noon + 9h;
    full.terms.max_runs = 12;
    full.terms.overlap = overlap_rule::cancel_running;
    full.terms.missed = missed_rule::skip;
    full.terms.missed_cap = 1000;
    full.terms.jitter = 7s;
    full.terms.pause_on_dead = true;
    full.run.priority = 9;
    full.run.timeout = 5s;
    full.run.tags = {"a"};
    full.run.headers = {{"user", "x"}};
    full.declared_args = "[7]";
    full.state = schedule_state::paused;
    full.in_first_shard = true;
    full.created = noon;
    full.timed = noon + 1s;
    full.ended = noon + 2s;
    full.declared_at = noon + 6s;
    full.next = noon + 3s;
    full.queued = noon + 4s;
    full.overtaken = {derive_run_id(full.last_run, 1), derive_run_id(full.last_run, 2)};
    full.last_tick = noon + 5s;
    full.runs = 1;
    full.skipped = 2;
    full.missed = 3;
    full.untold = 4;
    for (const auto& record : {full, hourly(), at_cron("@daily")}) {
        const auto bytes = encode(record);
        CHECK(decode_schedule(bytes) == record);
        for (std::size_t cut = 0; cut < 60; ++cut)
            CHECK_THROWS_AS(decode_schedule(std::string_view{bytes}.substr(0, cut)), bad_data);
    }
    CHECK(encode(full).substr(schedule_record::last_run_offset, 16) == full.last_run.view());
}

TEST_CASE("a schedule's timing is told in words, and its key follows from timing and arguments") {
    CHECK(timing_text({.interval = 1h}) == "every 1h after each run");
    CHECK(timing_text({.interval = 90s, .mode = fixed_rate}) == "every 90s");
    CHECK(timing_text({.interval = 48h, .mode = fixed_rate}) == "every 2d");
    CHECK(timing_text({.interval = 1500ms, .mode = schedule_mode::once}) == "once after 1500ms");
    CHECK(timing_text({.cron = "0 8 * * *", .timezone = "UTC"}) == "0 8 * * *");
    const auto key = default_schedule_key({.interval = 1h}, "[1]");
    CHECK(key == default_schedule_key({.interval = 1h, .begin = noon}, "[1]"));
    CHECK(key != default_schedule_key({.interval = 1h}, "[2]"));
    CHECK(key != default_schedule_key({.interval = 1h, .mode = fixed_rate}, "[1]"));
    CHECK(derive_schedule_id("a", "b") != derive_task_id("a", "b"));
}

TEST_CASE("a schedule in the first shard has an id of that, and so have its runs") {
    auto one = hourly();
    const auto plain = id_of(one);
    CHECK(plain == derive_schedule_id(one.identity, one.key));
    one.in_first_shard = true;
    CHECK(id_of(one) == in_first_shard(plain));
    CHECK(shard_of_id(derive_run_id(id_of(one), 7), 5) == shard_of_limits);
}
