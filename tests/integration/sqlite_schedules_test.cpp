// Schedules of a SQLite file that another process works on as well: here a connection of its own.
#include "support/schedule_fixture.hpp"
#include "support/sqlite_backing.hpp"

#include <catch2/catch_test_macros.hpp>

using namespace errand;
using namespace errand::test;
using namespace std::chrono_literals;

namespace {

struct schedules_in_file : store_fixture {
    schedules_in_file() : store_fixture{std::make_unique<sqlite_backing>(false)} {}

    void declare(member& by, const std::string& key, time_point look) {
        const auto step = schedule_fixture::step_to(key, 0, 1, look);
        CHECK(await(io, by->step_schedules({&step, 1})) == std::vector{step_verdict::done});
    }
    schedules_answer due(member& by) { return await(io, by->due_schedules(10)); }
    // Another process changes all of them.
    void change_all(const std::string& how) {
        static_cast<sqlite_backing&>(*behind).ask("UPDATE errand_schedule SET " + how);
    }
    // What that has led to has come here then.
    void look(member& by) { await(io, by->find(task_id{})); }
};

}  // namespace

TEST_CASE("who sleeps longer than until a schedule's time hears that another process has changed it") {
    schedules_in_file here;
    auto sleeper = here.join("sleeper");
    const auto now = here.due(sleeper).now;
    here.declare(sleeper, "k", now + 2h);
    const auto known = here.due(sleeper);
    CHECK(known.next == now + 2h);
    here.look(sleeper);
    const auto before = sleeper.ear->schedules;
    here.change_all("look = look + 3600000");
    here.look(sleeper);
    CHECK(sleeper.ear->schedules == before);
    // Nobody of this process makes a call that would make it look.
    here.change_all("look = look - 7200000");
    CHECK(here.until([&] { return sleeper.ear->schedules == before + 1; }));
    CHECK(here.due(sleeper).next == now + 1h);
}

TEST_CASE("a schedule that is due already is not told anew whenever another process writes") {
    schedules_in_file here;
    auto sleeper = here.join("sleeper");
    const auto now = here.due(sleeper).now;
    here.declare(sleeper, "k", now - 1min);
    CHECK(here.due(sleeper).schedules.size() == 1);
    here.look(sleeper);
    const auto before = sleeper.ear->schedules;
    here.change_all("name = name || 'x'");
    here.look(sleeper);
    CHECK(sleeper.ear->schedules == before);
    here.change_all("look = look - 1");
    here.look(sleeper);
    CHECK(here.until([&] { return sleeper.ear->schedules == before + 1; }));
}
