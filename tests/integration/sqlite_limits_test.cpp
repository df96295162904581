// Limits in a SQLite file: what a check-up finds of them and repairs, and that tasks without gates ask for none.
#include "store/inside.hpp"
#include "support/limit_fixture.hpp"
#include "support/sqlite_backing.hpp"

#include <sqlite3.h>

using namespace errand;
using namespace errand::test;
using namespace std::chrono_literals;

namespace {

struct limits_file : store_fixture {
    limits_file() : store_fixture{std::make_unique<sqlite_backing>(false)} {}
};

// Of a limit of one: a task holds it, two wait for it.
struct limits_ward : ward_on<limits_file> {
    limits_ward() {
        await(io, worker->set_limit("crm", limit_rule{.max_running = 1}));
        for (int i = 0; i < 3; ++i) submit(worker, limit_fixture::gated(limit_fixture::running("crm")));
        runs = claim(worker, 1).claimed.at(0);
        CHECK(claim(worker, 5).claimed.empty());
        CHECK(check().empty());
    }
    void damage(const std::string& sql) { static_cast<sqlite_backing&>(*behind).ask(sql); }
    void end() {
        CHECK(finish(worker, {limit_fixture::done(runs)}) == std::vector{report_verdict::accepted});
    }

    yield_verdict yield(bool back) {
        const std::vector<yield_wish> one{{runs.id, runs.claim, back}};
        return await(io, worker->yield_gates(one)).at(0);
    }

    claimed_task runs;
};

int count_statement(unsigned, void* count, void*, void*) {
    ++*static_cast<int*>(count);
    return 0;
}

// How many statements the life of one task without gates takes.
int statements_of_a_life(limits_file& here, store_settings with) {
    sqlite3* raw = nullptr;
    REQUIRE(sqlite3_open(static_cast<sqlite_backing&>(*here.behind).path().c_str(), &raw) == SQLITE_OK);
    const std::shared_ptr<sqlite3> mine{raw, sqlite3_close};
    sqlite3_exec(raw, "BEGIN IMMEDIATE", nullptr, nullptr, nullptr);
    int count = 0;
    {
        const auto inside = open_inside(here.io, std::move(with), raw);
        await(here.io, inside->open());
        const auto live = [&] {
            const std::vector items{item_of("[1]")};
            await(here.io, inside->submit(0, items, submit_mode::each));
            work_call call;
            call.claim = {.queues = {"default"}, .limit = 1, .lease = 1h};
            const auto got = await(here.io, inside->work(call)).claimed;
            REQUIRE(got.size() == 1);
            work_call over;
            over.reports = {success_of(got[0])};
            over.closed = {got[0].claim};
            CHECK(await(here.io, inside->work(over)).verdicts == std::vector{report_verdict::accepted});
        };
        live();
        sqlite3_trace_v2(raw, SQLITE_TRACE_STMT, count_statement, &count);
        live();
        sqlite3_trace_v2(raw, 0, nullptr, nullptr);
    }
    sqlite3_exec(raw, "ROLLBACK", nullptr, nullptr, nullptr);
    return count;
}

// What one call takes from a queue in which ten groups that wait at a limit stand before each that does not,
// and by how many statements.
struct one_look {
    std::vector<claimed_task> got;
    bool cut_short = false;
    int statements = 0;
};

one_look look_past_waiters(bool apart) {
    limits_file here;
    auto worker = here.join("w");
    std::vector<submission_item> items;
    for (int i = 0; i < 20 * 11; ++i) {
        const bool waits = i % 11 < 10;
        const auto own = limit_fixture::running("handler:g", std::to_string(i));
        const auto gates = waits ? own + limit_fixture::running("closed") : own;
        items.push_back(limit_fixture::gated(gates, std::to_string(i)));
    }
    here.submit_all(worker, items);
    // Those that wait already are not looked at.
    await(here.io, worker->set_limit("closed", limit_rule{.max_running = 0}));
    sqlite3* raw = nullptr;
    REQUIRE(sqlite3_open(static_cast<sqlite_backing&>(*here.behind).path().c_str(), &raw) == SQLITE_OK);
    const std::shared_ptr<sqlite3> mine{raw, sqlite3_close};
    sqlite3_exec(raw, "BEGIN IMMEDIATE", nullptr, nullptr, nullptr);
    one_look seen;
    {
        const auto inside = open_inside(here.io, here.settings("inside"), raw);
        await(here.io, inside->open());
        work_call call;
        call.claim = {.queues = {"default"}, .limit = 20, .lease = 1h, .apart = apart};
        sqlite3_trace_v2(raw, SQLITE_TRACE_STMT, count_statement, &seen.statements);
        auto answer = await(here.io, inside->work(call));
        sqlite3_trace_v2(raw, 0, nullptr, nullptr);
        seen.got = std::move(answer.claimed);
        seen.cut_short = answer.next_due && *answer.next_due <= answer.now;
    }
    sqlite3_exec(raw, "ROLLBACK", nullptr, nullptr, nullptr);
    return seen;
}

}  // namespace

TEST_CASE("slots of a claim that is gone are found in a SQLite file, and free again") {
    limits_ward w;
    CHECK(await(w.io, w.worker->cancel(w.runs.id, 0, outcome_of(state::cancelled))).cancelled);
    CHECK(w.check().empty());
    w.damage("DELETE FROM errand_claim");
    w.heals("stray_slot", w.id_text(w.runs.id));
    CHECK(w.claim(w.worker, 5).claimed.size() == 1);
}

TEST_CASE("who stands in line at a limit of a SQLite file and holds none is found") {
    limits_ward w;
    CHECK(w.yield(false) == yield_verdict::done);
    const auto other = w.claim(w.worker, 5).claimed.at(0);
    CHECK(w.yield(true) == yield_verdict::in_line);
    CHECK(w.check().empty());
    w.damage("INSERT INTO errand_line SELECT ns, gate, since + 1000, claim + 1, id FROM errand_line");
    w.heals("stray_slot", w.id_text(w.runs.id));
    CHECK(w.yield(true) == yield_verdict::in_line);
    CHECK(w.finish(w.worker, {limit_fixture::done(other)}) == std::vector{report_verdict::accepted});
    CHECK(w.yield(true) == yield_verdict::done);
    w.end();
    CHECK(w.claim(w.worker, 5).claimed.size() == 1);
}

TEST_CASE("counts of limits that are off are set right in a SQLite file, and who waits goes on") {
    limits_ward w;
    w.damage("UPDATE errand_gate SET running = 7");
    w.heals("counter", "limit");
    CHECK(w.claim(w.worker, 5).claimed.empty());
    w.damage("UPDATE errand_name_space SET slots = 0");
    w.heals("counter", "limits");
    w.damage("DELETE FROM errand_gate");
    w.heals("counter", "limit");
    w.end();
    CHECK(w.claim(w.worker, 5).claimed.size() == 1);
    CHECK(w.check().empty());
}

TEST_CASE("tasks of a group that is gone, or that nobody looks at, are found in a SQLite file and go on") {
    limits_ward w;
    w.damage("DELETE FROM errand_group");
    w.heals("stuck_group", "default");
    CHECK(w.claim(w.worker, 5).claimed.empty());
    w.damage("DELETE FROM errand_waiter");
    w.heals("stuck_group", "default");
    w.damage("INSERT INTO errand_waiter SELECT list, grp, place + 1, id FROM errand_waiter");
    w.heals("idle_group", "default");
    w.damage("DELETE FROM errand_stop");
    w.heals("stuck_group", "default");
    w.damage("UPDATE errand_stop SET let_go = 1");
    w.end();
    CHECK(w.claim(w.worker, 5).claimed.empty());
    w.heals("stuck_group", "default");
    CHECK(w.claim(w.worker, 5).claimed.size() == 1);
}

TEST_CASE("a group that has no task is dropped from a SQLite file") {
    limits_ward w;
    w.damage(
        "INSERT INTO errand_group(queue, grp, rank, turn, since) SELECT k, 7, 9, 0, 0 FROM errand_queue");
    w.heals("idle_group", "default");
}

TEST_CASE("what is over leaves nothing of its limits in a SQLite file") {
    limits_ward w;
    w.end();
    // The last but one comes back while the last one runs, and ends there.
    w.runs = w.claim(w.worker, 5).claimed.at(0);
    CHECK(w.yield(false) == yield_verdict::done);
    const auto last = w.claim(w.worker, 5).claimed.at(0);
    CHECK(w.yield(true) == yield_verdict::in_line);
    w.end();
    w.runs = last;
    w.end();
    for (const auto* table : {"gate", "slot", "group", "stop", "waiter", "line"})
        CHECK(static_cast<sqlite_backing&>(*w.behind).ask("SELECT count(*) FROM errand_" +
                                                          std::string{table}) == "0");
}

TEST_CASE("a call that claims apart from a SQLite file looks past no more than one under one claim") {
    const auto together = look_past_waiters(false), apart = look_past_waiters(true);
    CHECK(together.cut_short);
    CHECK(apart.cut_short);
    REQUIRE(together.got.size() > 1);
    REQUIRE(together.got.size() < 20);
    REQUIRE(apart.got.size() == together.got.size());
    std::set<claim_number> numbers;
    for (std::size_t at = 0; at < apart.got.size(); ++at) {
        CHECK(args_of(apart.got[at]) == args_of(together.got[at]));
        numbers.insert(apart.got[at].claim);
    }
    CHECK(numbers.size() == apart.got.size());
    // Of those that it takes each has a lease.
    CHECK(apart.statements == together.statements + static_cast<int>(apart.got.size()) - 1);
}

TEST_CASE("a task without gates takes no more statements where others have some") {
    limits_file here;
    auto worker = here.join("w");
    const auto before = statements_of_a_life(here, here.settings("inside"));
    CHECK(before > 0);
    await(here.io, worker->set_limit("crm", limit_rule{.max_running = 0}));
    for (int i = 0; i < 3; ++i)
        here.submit(worker, limit_fixture::gated(limit_fixture::running("crm"), "[]", "other"));
    CHECK(here.claim(worker, 5, {"other"}).claimed.empty());
    CHECK(statements_of_a_life(here, here.settings("inside")) == before);
}
