// Late starts, found in journals: each way in which a task becomes ready.
#include "trial/lateness.hpp"
#include "trial/waits.hpp"

#include <catch2/catch_test_macros.hpp>
#include <catch2/generators/catch_generators.hpp>

#include <algorithm>

using namespace trial;
using errand::state;
using fault_test::entry;

namespace {

constexpr std::int64_t far_end = 100'000;

// A worker (process 1), and what else a trial has seen.
struct journal_of_a_trial {
    std::vector<entry> lines{{"up", "-", 0, 0, 1, 1000}};
    endings ended{};
    chronicle happened{};

    journal_of_a_trial& says(std::int64_t when, const std::string& what, const std::string& task = "a",
                             std::uint64_t fence = 0, pid_t pid = 1, int number = 0) {
        lines.push_back({what, task, number, fence, pid, when});
        return *this;
    }
    journal_of_a_trial& starts(std::int64_t when, std::uint64_t fence, pid_t pid = 1) {
        return says(when, "started", "a", fence, pid);
    }
    // The journal ends long after.
    std::size_t late() const {
        auto all = lines;
        all.push_back({"up", "-", 0, 0, 9, far_end});
        judgement found;
        check_waits(all, ended, happened, lateness{all, happened}, found);
        CHECK(found.violations == found.late_starts);
        return found.late_starts;
    }
};

// A task has run once when it comes back, and is ready at `ready`: not late when it is started as late as it may be, late
// after that, and when it is never started.
void check_that_it_must_start(const journal_of_a_trial& of, std::int64_t ready) {
    auto in_time = of, late = of;
    CHECK(in_time.starts(ready + starts_within, 2).late() == 0);
    CHECK(late.starts(ready + starts_within + 1, 2).late() == 1);
    CHECK(of.late() == 1);
}

journal_of_a_trial with_a_task_that_runs() {
    journal_of_a_trial tells;
    tells.says(2000, "accepted").starts(2010, 1);
    return tells;
}

}  // namespace

TEST_CASE("what is to be tried again, or later, has to start soon after it is due") {
    auto tells = with_a_task_that_runs();
    SECTION("a retry") { tells.says(2100, "retry", "a", 3000); }
    SECTION("a snooze") { tells.says(2100, "snoozed", "a", 3000); }
    check_that_it_must_start(tells, 5100);
}

TEST_CASE("what was given back, and what is revived, has to start soon") {
    auto tells = with_a_task_that_runs();
    SECTION("given back") { tells.says(5100, "given_back"); }
    SECTION("revived") {
        tells.says(2100, "dead").says(5000, "reviving", "a", 0, 7).says(5100, "revived", "a", 0, 7);
    }
    check_that_it_must_start(tells, 5100);
}

TEST_CASE("what was revived and had started before that was written down waits for nothing") {
    auto tells = with_a_task_that_runs();
    tells.says(2100, "dead").says(5000, "reviving", "a", 0, 7).starts(5050, 2);
    SECTION("it runs") { tells.says(5100, "revived", "a", 0, 7); }
    SECTION("it has ended") { tells.says(5080, "dead").says(5100, "revived", "a", 0, 7); }
    CHECK(tells.late() == 0);
}

TEST_CASE("what a worker ran when it died has to start soon after the lease is over") {
    auto tells = with_a_task_that_runs();
    tells.says(1500, "up", "-", 0, 2);
    tells.happened.deaths.push_back({3000, 1});
    SECTION("nobody takes it over") {}
    SECTION("its report had not come to the store") { tells.says(2900, "left").says(2900, "ended", "a", 1); }
    check_that_it_must_start(tells, 4000);
}

TEST_CASE("what a worker ran that stands still for longer than its lease has to start soon elsewhere") {
    auto tells = with_a_task_that_runs();
    tells.says(1500, "up", "-", 0, 2);
    SECTION("for longer") {
        tells.happened.stops.push_back({1, 3000, 30'000});
        check_that_it_must_start(tells, 4000);
    }
    SECTION("for less") {
        tells.happened.stops.push_back({1, 3000, 3900});
        CHECK(tells.late() == 0);
    }
    SECTION("until its report was taken all the same") {
        tells.happened.stops.push_back({1, 3000, 30'000});
        tells.says(30'100, "success");
        CHECK(tells.late() == 0);
    }
}

TEST_CASE("what had ended when its worker died need not start again") {
    auto tells = with_a_task_that_runs();
    tells.says(1500, "up", "-", 0, 2);
    tells.happened.deaths.push_back({3000, 1});
    tells.ended["a"] = ending{state::success, "trial::quick", 1};
    CHECK(tells.late() == 0);
}

TEST_CASE("what was taken over from a worker has to start soon") {
    auto tells = with_a_task_that_runs();
    tells.says(1500, "up", "-", 0, 2);
    tells.happened.deaths.push_back({3000, 1});
    tells.says(4060, "recovered", "a", 0, 2);
    check_that_it_must_start(tells, 4100);
}

TEST_CASE("a recovery that is told of when the task runs again is none to wait for") {
    auto tells = with_a_task_that_runs();
    tells.starts(5000, 2, 2).says(5500, "recovered", "a", 0, 3);
    CHECK(tells.late() == 0);
}

TEST_CASE("what somebody else had started before its worker wrote down how it came back waits for nothing") {
    auto tells = with_a_task_that_runs();
    tells.says(1500, "up", "-", 0, 2).starts(2100, 5, 2);
    SECTION("given back") { tells.says(2150, "given_back"); }
    SECTION("to be tried again") { tells.says(2150, "retry", "a", 10); }
    CHECK(tells.late() == 0);
}

TEST_CASE("what was cancelled while it waited need not start") {
    auto tells = with_a_task_that_runs();
    tells.says(2100, "retry", "a", 3000);
    SECTION("and it was written down") { tells.says(5000, "cancelled", "a", 0, 7); }
    SECTION("and nobody lived to say so") { tells.ended["a"] = ending{state::cancelled, "trial::slow", 0}; }
    CHECK(tells.late() == 0);
}

TEST_CASE("what is delayed has to start soon after it is due") {
    journal_of_a_trial tells;
    tells.says(2000, "accepted").says(2001, "delayed", "a", 1990, 1, 3000);
    check_that_it_must_start(tells, 5000);
}

TEST_CASE("a store's clock that is set back delays what is due by no more than that") {
    constexpr std::int64_t due = 5100;
    auto tells = with_a_task_that_runs();
    switch (GENERATE(1, 2, 3)) {
    case 1: tells.says(2100, "retry", "a", 3000); break;
    case 2:
        tells.lines = {tells.lines.front()};
        tells.says(2000, "accepted").says(2001, "delayed", "a", 1990, 1, 3100);
        break;
    default:  // a lease
        tells.says(1500, "up", "-", 0, 2);
        tells.happened.deaths.push_back({4100, 1});
    }
    const auto set = [&](std::int64_t when, std::int64_t by) {
        tells.happened.jumps.push_back({.when = when, .by = by});
    };
    SECTION("once") {
        set(4200, -2500);
        check_that_it_must_start(tells, due + 2500);
    }
    SECTION("twice, the second time after it was due by the first clock") {
        set(4200, -2500);
        set(6000, -1000);
        check_that_it_must_start(tells, due + 3500);
    }
    SECTION("before it was put off") {
        set(1500, -2500);
        check_that_it_must_start(tells, due);
    }
    SECTION("when it had to have been started") {
        set(due + starts_within + 1, -2500);
        check_that_it_must_start(tells, due);
    }
    SECTION("ahead") {
        set(4200, 2500);
        check_that_it_must_start(tells, due);
    }
}

TEST_CASE("what had no delay does not care for clocks") {
    journal_of_a_trial tells;
    tells.says(2000, "accepted");
    tells.happened.jumps.push_back({.when = 2500, .by = -5000});
    check_that_it_must_start(tells, 2000);
}

TEST_CASE("a worker whose own clock is late by so much sees so much later what is due") {
    auto tells = with_a_task_that_runs();
    tells.says(2100, "retry", "a", 3000);
    tells.happened.late_clocks[1] = 2000;
    check_that_it_must_start(tells, 7100);
    tells.says(1500, "up", "-", 0, 2);
    std::ranges::sort(tells.lines, {}, &entry::when);
    check_that_it_must_start(tells, 5100);
}

TEST_CASE("while its queue is paused nothing has to start, and soon after it has to") {
    journal_of_a_trial tells;
    tells.says(2000, "accepted");
    tells.happened.pauses.push_back({1900, 20'000});
    check_that_it_must_start(tells, 20'000);
}

TEST_CASE("what depends on others has ten seconds more where somebody may keep the news from the rest") {
    journal_of_a_trial tells;
    tells.says(2000, "accepted").says(2000, "accepted", "p").says(2001, "needs:p", "a");
    tells.says(2010, "started", "p", 1).says(20'000, "success", "p");
    SECTION("nobody may") {
        tells.happened.undivided = true;
        check_that_it_must_start(tells, 20'000);
    }
    SECTION("somebody may") { check_that_it_must_start(tells, 20'000 + told_within - starts_within); }
}

TEST_CASE("a slot is free again when its attempt has left the handler, also when nothing is reported of it") {
    journal_of_a_trial tells;
    const bool left = GENERATE(true, false);
    for (std::size_t i = 0; i < slots_of_worker; ++i) {
        const auto other = "b" + std::to_string(i);
        tells.says(1100, "accepted", other)
            .says(1100, "started", other, 1)
            .says(1200, "cancelled", other, 0, 7);
        if (left) tells.says(1300, "left", other, 1);
    }
    tells.says(2000, "accepted").starts(12'000, 1);
    CHECK(tells.late() == (left ? 1 : 0));
}

TEST_CASE("what waits in a backlog that its worker works off waits its turn, and otherwise it does not") {
    enum class kind { backlog, burst, load, few, one_again, of_another };
    const auto what =
        GENERATE(kind::backlog, kind::burst, kind::load, kind::few, kind::one_again, kind::of_another);
    journal_of_a_trial tells;
    const pid_t busy = what == kind::of_another ? 2 : 1;
    if (busy == 2) tells.says(1000, "up", "-", 0, 2);
    const auto from = what == kind::burst ? 8000 : 2000, to = what == kind::burst ? 9000 : 14'000;
    const auto step = what == kind::few ? 25 : 5;
    const auto name = [&](int when) { return what == kind::one_again ? "b" : "b" + std::to_string(when); };
    for (int when = from; when < to && what != kind::load; when += step)
        tells.says(1990, "accepted", name(when));
    tells.says(2000, "accepted");
    for (int when = from; when < to; when += step) {
        if (what == kind::load) tells.says(when, "accepted", name(when));
        tells.says(when, "started", name(when), 1, busy).says(when, "left", name(when), 1, busy);
    }
    tells.starts(14'000, 1);
    CHECK((tells.late() == 0) == (what == kind::backlog));
}

TEST_CASE("what its first claimer did not know has to start where somebody else knows it") {
    journal_of_a_trial tells;
    tells.says(1500, "up", "-", 0, 2).says(1500, "older", "-", 0, 2);
    tells.says(2000, "accepted").says(2100, "strange", "a", 0, 2);
    SECTION("somebody does") { check_that_it_must_start(tells, 2000); }
    SECTION("and may take longer when who did not know it was gone before it had said so") {
        tells.happened.deaths.push_back({2200, 2});
        check_that_it_must_start(tells, 2000 + told_within - starts_within);
    }
    SECTION("nobody else is there") {
        tells.happened.deaths.push_back({2050, 1});
        CHECK(tells.late() == 0);
    }
}

TEST_CASE("what waits at a limit is not looked at here") {
    auto tells = with_a_task_that_runs();
    tells.says(1990, "behind:a", "total", 0, 7).says(2100, "retry", "a", 10);
    CHECK(tells.late() == 0);
}

TEST_CASE("what a store that was emptied held is not waited for") {
    auto tells = with_a_task_that_runs();
    tells.says(2100, "retry", "a", 10);
    tells.happened.emptyings.push_back(8000);
    CHECK(tells.late() == 0);
    tells.happened.emptyings = {10'000};
    CHECK(tells.late() == 1);
}
