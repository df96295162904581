// The same work, cut short after the 1st, 2nd, … n-th handler in every place: nothing in the store contradicts itself, and
// the next worker ends all of it.
#include "support/shards.hpp"
#include "worker/cut_scenario.hpp"

#include <catch2/catch_test_macros.hpp>

#include <signal.h>
#include <sys/prctl.h>
#include <sys/wait.h>

using namespace cut_test;
using errand::test::eventually;
using worker_test::bench;

namespace {

constexpr int more_than_there_are = 1000;

struct cut {
    place where;
    std::size_t concurrency;
    int at = 0;
};

errand::config settings_for(const cut& how) {
    auto settings = errand::test::fresh_settings();
    settings.concurrency = how.concurrency;
    settings.shutdown_grace = std::chrono::milliseconds{0};
    book = std::make_unique<errand::test::task_journal>(
        (errand::test::shared_redis().folder() / ("journal-" + settings.name_space)).string());
    return settings;
}

bool nothing_left(errand::app& app) {
    for (const auto& queue : app.block_on(app.inspect().queues())) {
        for (const auto& [in, count] : queue.tasks) {
            if (!errand::is_end(in) && count > 0) return false;
        }
    }
    return true;
}

// Twice: what is working and what waits are two questions to the store, and a task that goes back to its queue in between is in
// neither answer.
bool is_over(errand::app& app) { return nothing_left(app) && nothing_left(app); }

void check_store(errand::app& app) {
    std::string wrong;
    for (const auto& one : app.block_on(app.inspect().check()).findings)
        wrong += one.kind + ' ' + one.subject + ": " + one.text + '\n';
    INFO(wrong);
    CHECK(wrong.empty());
}

// Leases, signs of life and what was taken to be told run out: as if the time of them all had gone by.
void let_time_pass(const errand::config& settings) {
    const std::string script =
        "for _, key in ipairs(KEYS) do for _, one in ipairs(redis.call('ZRANGE', key, '-inf', '(+inf', 'BYSCORE')) "
        "do redis.call('ZADD', key, 1, one) end end";
    for (std::size_t shard = 0; shard < settings.shards; ++shard) {
        std::vector<std::string> words{"EVAL", script, "3"};
        for (const auto* part : {"leases", "workers", "outbox"})
            words.push_back(errand::test::shard_key(settings, part, shard));
        errand::test::shared_redis().command(words);
    }
}

// True when it came to the cut; false when all was over before.
bool stop_short(const errand::config& settings, const cut& how) {
    scissors blades{how.where, how.at, false};
    bench first{settings};
    blades.attach(first.app);
    first.start();
    eventually([&] { return blades.reached() || is_over(first.app); });
    first.stop();
    return blades.reached();
}

[[noreturn]] void work_until_killed(const errand::config& settings, const cut& how) {
    try {
        prctl(PR_SET_PDEATHSIG, SIGKILL);
        scissors blades{how.where, how.at, true};
        bench first{settings};
        blades.attach(first.app);
        first.start();
        while (true) ::pause();
    } catch (...) {
        ::_exit(1);
    }
}

// The same with a worker that is killed. There are no threads here that a fork would lose.
bool kill_short(const errand::config& settings, const cut& how, errand::app& app) {
    const auto child = ::fork();
    REQUIRE(child >= 0);
    if (child == 0) work_until_killed(settings, how);
    int status = -1;
    bool killed = false;
    eventually([&] { return (killed = ::waitpid(child, &status, WNOHANG) == child) || is_over(app); });
    if (killed) CHECK(status == 0);
    if (!killed) {
        ::kill(child, SIGKILL);
        ::waitpid(child, &status, 0);
    }
    return killed;
}

// What was begun in the first worker, and did not get to its end there.
std::map<std::string, int> interrupted() {
    auto all = counted("begun");
    for (const auto& [id, times] : counted("done")) all[id] -= times;
    return all;
}

void check_runs(errand::app& app, const cut& how, bool killed) {
    auto ran = counted("ran");
    auto more = interrupted();
    for (const auto& one : all_expected()) {
        INFO(one.name);
        const auto id = id_of(app, one.name);
        const auto info = app.block_on(app.find(id));
        REQUIRE(info);
        CHECK(info->state == one.ends);
        CHECK(ran[id] <= one.runs + more[id]);
        // A worker that is killed may not live to hear that its report was accepted.
        const int least = one.may_be_fewer ? std::min(one.runs, 1) : one.runs + (killed ? 0 : more[id]);
        CHECK(ran[id] >= least);
        ran.erase(id);
    }
    // What a stage has submitted: one task, however often the stage's own was cut short.
    REQUIRE(ran.size() == 1);
    const auto& [child, times] = *ran.begin();
    CHECK(times <= 1 + more[child]);
    CHECK(times >= (killed ? 1 : 1 + more[child]));
    if (how.concurrency > 1) return;
    // No stage was under way at the cut.
    const std::map<std::string, int> once{{id_of(app, "stages"), 1}};
    CHECK(counted("one") == once);
    CHECK(counted("two") == once);
}

// No end was accepted twice.
void check_ends(errand::app& app) {
    std::map<state, std::int64_t> expected{{state::success, 2}};  // a stage's child, and a group
    for (const auto& one : all_expected()) ++expected[one.ends];
    std::map<state, std::int64_t> ended;
    for (const auto& day : app.block_on(app.inspect().history(2))) {
        ended[state::success] += day.success;
        ended[state::dead] += day.dead;
        ended[state::cancelled] += day.cancelled;
    }
    CHECK(ended == expected);
}

void finish(const errand::config& settings, errand::app& app, const cut& how, bool killed) {
    check_store(app);
    let_time_pass(settings);
    {
        bench second{settings};
        second.start();
        eventually([&] { return is_over(app); });
    }
    check_store(app);
    check_runs(app, how, killed);
    check_ends(app);
}

// Whether it came to the cut.
bool cut_once(const cut& how, bool kills) {
    CAPTURE(how.at, how.concurrency, kills);
    const auto settings = settings_for(how);
    bench owner{settings};
    submit_all(owner.app);
    const bool reached = kills ? kill_short(settings, how, owner.app) : stop_short(settings, how);
    finish(settings, owner.app, how, kills);
    return reached;
}

int cut_at_every_step(cut how, bool kills) {
    while (how.at < more_than_there_are) {
        ++how.at;
        if (!cut_once(how, kills)) break;
    }
    return how.at - 1;
}

int all_runs() {
    int runs = 1;  // the child of a stage
    for (const auto& one : all_expected()) runs += one.runs;
    return runs;
}

}  // namespace

TEST_CASE("work that is stopped before any of its handlers is ended by another worker", "[shared_by_apps]") {
    CHECK(cut_at_every_step({place::before_the_handler, 4}, false) >= all_runs() - 4);
}

TEST_CASE("work that is stopped after any of its handlers, before the report, is ended by another worker",
          "[shared_by_apps]") {
    CHECK(cut_at_every_step({place::after_the_handler, 1}, false) >= all_runs() - 1);
}

TEST_CASE("work whose worker is killed before any of its handlers is ended by another worker",
          "[shared_by_apps][forked]") {
    CHECK(cut_at_every_step({place::before_the_handler, 1}, true) >= all_runs() - 1);
}

TEST_CASE(
    "work whose worker is killed after any of its handlers, before the report, is ended by another worker",
    "[shared_by_apps][forked]") {
    CHECK(cut_at_every_step({place::after_the_handler, 1}, true) >= all_runs() - 1);
}
