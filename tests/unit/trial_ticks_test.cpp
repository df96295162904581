// What scripts/fault says of schedules, on journals in which each rule is broken once.
#include "core/schedule_record.hpp"
#include "trial/ticks.hpp"

#include <catch2/catch_test_macros.hpp>

#include <algorithm>

using namespace trial;
using errand::state;
using fault_test::entry;

namespace {

// By the store's clock, which begins that far ahead; schedules are created at `began`.
constexpr std::int64_t ahead = 1'000'000'000;
constexpr std::int64_t began = ahead + 2000;

struct tick_teller {
    std::string key;
    std::vector<entry> lines{};
    endings ended{};
    chronicle happened{.store_ahead = ahead};
    std::int64_t now = 1000;
    std::uint64_t fence = 0;

    explicit tick_teller(std::string of) : key{std::move(of)} {
        happened.schedules.push_back({.id = to_text(schedule()), .key = key, .created = began});
        says("declares", key, 1).says("declared", key, 1);
    }

    errand::task_id schedule() const { return errand::derive_schedule_id("trial::recurring", key); }
    chronicle::schedule& stood() { return happened.schedules.front(); }
    std::string id_of(std::int64_t tick) const { return to_text(errand::derive_run_id(schedule(), tick)); }

    tick_teller& says(const std::string& what, const std::string& task, int number = 0,
                      std::uint64_t more = 0) {
        lines.push_back({what, task, number, more, 1, now += 10});
        return *this;
    }
    tick_teller& starts(std::int64_t tick, int number, std::int64_t told = 0, int declared = 1) {
        now = std::max(now, tick - ahead);
        says("tick:" + id_of(tick), key, number, static_cast<std::uint64_t>(tick));
        return says("told:" + id_of(tick), key, declared, static_cast<std::uint64_t>(told));
    }
    tick_teller& ends(std::int64_t tick) {
        ended[id_of(tick)] = ending{state::success, "trial::recurring", ++fence};
        return says("ended", id_of(tick), 0, fence);
    }
    tick_teller& runs(std::int64_t tick, int number, std::int64_t told = 0, int declared = 1) {
        return starts(tick, number, told, declared).ends(tick);
    }
    tick_teller& stands(std::int64_t next, std::int64_t runs, std::int64_t missed = 0,
                        std::int64_t skipped = 0) {
        auto& it = stood();
        it.next = next;
        it.runs = it.runs_at_end = runs;
        it.missed = missed;
        it.skipped = skipped;
        return *this;
    }
    judgement judged() const {
        judgement found;
        check_schedules(lines, ended, happened, found);
        return found;
    }
};

// A grid of 250 ms; all ticks run, the newest 40 of those that are late together.
constexpr std::int64_t grid = 250;
std::int64_t tick_at(std::int64_t n) { return began + n * grid; }

tick_teller a_rate() {
    tick_teller tells{"rate"};
    tells.runs(tick_at(1), 1).runs(tick_at(2), 2).runs(tick_at(3), 3);
    return tells.stands(tick_at(4), 3);
}

}  // namespace

TEST_CASE("schedules of which each tick ran once, or was told to be missed, have nothing against them") {
    CHECK(a_rate().judged().violated.empty());
    CHECK(a_rate().judged().ticks_run == 3);
    tick_teller newest{"newest"};
    newest.runs(began + 300, 1).runs(began + 1500, 2, 3).stands(began + 1800, 2, 3);
    CHECK(newest.judged().violated.empty());
    CHECK(newest.judged().ticks_missed == 3);
    tick_teller seconds{"each_second"};
    const auto first = (began + 999) / 1000 * 1000;
    seconds.runs(first, 1).runs(first + 1000, 2).stands(first + 2000, 2);
    CHECK(seconds.judged().violated.empty());
}

TEST_CASE("each rule of schedules is held against the journal") {
    auto tells = a_rate();
    std::string broken;
    SECTION("another run of a tick") {
        tells.says("tick:" + tells.id_of(1), tells.key, 4, static_cast<std::uint64_t>(tick_at(3)));
        tells.stands(tick_at(5), 4);
        broken = "tick_twice";
    }
    SECTION("a run that nobody has run") {
        tells.stands(tick_at(5), 4);
        broken = "tick_lost";
    }
    SECTION("two ticks under one number") {
        tells.runs(tick_at(4), 3).stands(tick_at(5), 4);
        broken = "tick_uncounted";
    }
    SECTION("a tick that neither ran nor was counted") {
        tells.runs(tick_at(5), 4).stands(tick_at(6), 4);
        broken = "tick_uncounted";
    }
    SECTION("more ticks counted than there are") {
        tells.stands(tick_at(4), 3, 1);
        broken = "tick_uncounted";
    }
    SECTION("a run between the ticks") {
        tells.runs(tick_at(4) + 1, 4).stands(tick_at(5), 4);
        broken = "off_its_grid";
    }
    SECTION("a run before its tick") {
        tells.starts(tick_at(4), 4).stands(tick_at(5), 4);
        for (auto& line : tells.lines) {
            if (line.what == "tick:" + tells.id_of(tick_at(4))) line.when -= 500;
        }
        broken = "tick_early";
    }
    SECTION("missed, although fewer than the cap were due") {
        tells.runs(tick_at(6), 4, 2).runs(tick_at(9), 5, 2).stands(tick_at(10), 5, 4);
        broken = "cap_not_used";
    }
    SECTION("nothing comes of it") {
        tells.stood().stopped = true;
        broken = "schedule_stopped";
    }
    SECTION("it goes on only when somebody looks") {
        tells.stood().late = true;
        broken = "schedule_stopped";
    }
    SECTION("declared, and not there") {
        tells.happened.schedules.clear();
        broken = "schedule_lost";
    }
    const auto found = tells.judged();
    CHECK(found.violated.contains(broken));
    CHECK_FALSE(found.good(false));
}

TEST_CASE("a run starts after the end of the one before, where runs follow each other") {
    for (const std::string key : {"following", "skipping", "queueing"}) {
        tick_teller tells{key};
        const auto gap = key == "following" ? 100 : key == "skipping" ? 400 : 450;
        const auto first = began + gap, second = began + 2 * gap;
        SECTION(key + ": it does") {
            tells.runs(first, 1).runs(second, 2).stands(second + gap, 2);
            CHECK(tells.judged().violated.empty());
        }
        SECTION(key + ": it does not") {
            tells.starts(first, 1).starts(second, 2).ends(first).ends(second).stands(second + gap, 2);
            CHECK(tells.judged().violated.at("runs_overlap") == 1);
        }
    }
}

TEST_CASE("a run that follows another one has a tick of its own, also by a clock that was set back") {
    tick_teller tells{"following"};
    tells.runs(began + 100, 1).runs(began + 300, 2);
    tells.happened.jumps.push_back({2320, -50});
    SECTION("it has") {
        tells.runs(began + 301, 3).stands(began + 400, 3);
        CHECK(tells.judged().violated.empty());
    }
    SECTION("it is the next instant, which the clock has not shown yet") {
        tells.happened.jumps.back().by = -5000;
        tells.runs(began + 301, 3).stands(began + 400, 3);
        CHECK(tells.judged().violated.empty());
    }
    SECTION("it is later than that, which the clock has not shown yet") {
        tells.happened.jumps.back().by = -5000;
        tells.starts(began + 390, 3).stands(began + 500, 3);
        for (auto& line : tells.lines) {
            if (line.attempt == 3) line.when = 2350;
        }
        CHECK(tells.judged().violated.contains("tick_early"));
    }
    SECTION("it comes before the last one") {
        tells.runs(began + 290, 3).stands(began + 400, 3);
        CHECK(tells.judged().violated.contains("tick_again"));
    }
    SECTION("it is an old one, and does not run") {
        tells.runs(began + 400, 4).stands(began + 500, 4);
        CHECK(tells.judged().violated.contains("tick_lost"));
    }
}

TEST_CASE("a tick that the clock jumped over is due from the jump on") {
    auto tells = a_rate();
    tells.happened.jumps.push_back({tells.now + 5, 60'000});
    for (int n = 4; n < 40; ++n) {
        tells.says("tick:" + tells.id_of(tick_at(n)), tells.key, n, static_cast<std::uint64_t>(tick_at(n)));
    }
    CHECK(tells.stands(tick_at(40), 39).judged().violated.empty());
}

TEST_CASE("a tick may be run that a clock shows while it is being set back") {
    auto tells = a_rate();
    const auto set_back = tick_at(4) - ahead - 5;
    tells.happened.jumps.push_back({.when = set_back, .by = -400});
    tells.starts(tick_at(4), 4).stands(tick_at(5), 4);
    CHECK(tells.judged().violated.contains("tick_early"));
    // The worker that ran it was the last to see its clock change.
    tells.happened.jumps.back().done = set_back + 10;
    CHECK(tells.judged().violated.empty());
}

TEST_CASE("a run has the arguments that were declared last before it was due, or later ones") {
    tick_teller tells{"newest"};
    const auto tick = began + 300;
    tells.says("declares", "newest", 2).says("declared", "newest", 2);
    SECTION("the last") { tells.runs(tick, 1, 0, 2); }
    SECTION("later ones") {
        tells.now = tick - ahead + 20;
        tells.says("declares", "newest", 3).says("declared", "newest", 3).runs(tick, 1, 0, 3);
    }
    SECTION("those before, of a declaration that was under way") {
        tells.lines.pop_back();
        tells.runs(tick, 1, 0, 1);
    }
    CHECK(tells.stands(tick + 300, 1).judged().violated.empty());

    tick_teller stale{"newest"};
    stale.says("declares", "newest", 2).says("declared", "newest", 2).runs(tick, 1, 0, 1);
    CHECK(stale.stands(tick + 300, 1).judged().violated.at("arguments_lost") == 1);
}

TEST_CASE("a schedule that rests runs no tick that became due since") {
    tick_teller tells{"resting"};
    const auto first = began + 350;
    tells.runs(first, 1);
    tells.says("pauses", "resting", 5).says("paused", "resting", 5);
    SECTION("nobody asked it to go on") {
        tells.runs(first + 350, 2).stands(first + 700, 2);
        CHECK(tells.judged().violated.at("not_paused") == 1);
    }
    SECTION("somebody did, and its ticks meanwhile count for nothing") {
        tells.now += 1000;
        tells.says("resumes", "resting", 6).says("resumed", "resting", 6);
        tells.runs(first + 4 * 350, 2).stands(first + 5 * 350, 2);
        CHECK(tells.judged().violated.empty());
    }
}
