// The parts of a worker thread that need no store.
#include "worker/attempt_report.hpp"
#include "worker/deadlines.hpp"
#include "worker/leased_tasks.hpp"
#include "worker/silent_shards.hpp"
#include "worker/slot_pool.hpp"
#include "worker/slot_shares.hpp"
#include "worker/taken_elsewhere.hpp"

#include <boost/asio/bind_cancellation_slot.hpp>
#include <boost/asio/cancellation_signal.hpp>
#include <boost/asio/co_spawn.hpp>
#include <boost/asio/io_context.hpp>

#include <catch2/catch_test_macros.hpp>

#include <memory>

namespace asio = boost::asio;
using namespace errand;
using namespace std::chrono_literals;

namespace {

struct bell final : timed {
    explicit bell(std::vector<int>& to, int name) : log{to}, number{name} {}
    void deadline_passed() override { log.push_back(number); }
    std::vector<int>& log;
    int number;
};

claimed_task task_of(unsigned char number, claim_number claim) {
    claimed_task task;
    task.id.bytes[15] = number;
    task.claim = claim;
    return task;
}

}  // namespace

TEST_CASE("claims may ask for free slots only, and those who return go first") {
    asio::io_context io;
    slot_pool slots{io.get_executor(), 2};
    slots.reserve(2);
    CHECK(slots.free() == 0);
    slots.settle(2, 2);
    int back = 0;
    asio::co_spawn(io, slots.regain(), [&](const std::exception_ptr&) { ++back; });
    io.poll();
    CHECK(back == 0);
    slots.release();
    CHECK(slots.free() == 0);
    io.restart();
    io.poll();
    CHECK(back == 1);
    slots.release();
    CHECK(slots.free() == 1);
}

TEST_CASE("a return that is cancelled takes its slot all the same") {
    asio::io_context io;
    slot_pool slots{io.get_executor(), 1};
    slots.reserve(1);
    slots.settle(1, 1);
    asio::cancellation_signal stop;
    bool ended = false;
    asio::co_spawn(io, slots.regain(),
                   asio::bind_cancellation_slot(stop.slot(),
                                                [&](const std::exception_ptr&) { ended = true; }));
    io.poll();
    stop.emit(asio::cancellation_type::terminal);
    io.restart();
    io.poll();
    CHECK(ended);
    CHECK(slots.taken() == 2);
    slots.release();
    CHECK(slots.free() == 0);
    slots.release();
    CHECK(slots.free() == 1);
}

TEST_CASE("namespaces reserve what they were given of a thread's free slots, and are told when it is more") {
    asio::io_context io;
    slot_pool slots{io.get_executor(), 4};
    std::vector<std::size_t> told;
    slot_shares shares{slots, {3, 1}, [&](std::size_t whose) { told.push_back(whose); }};
    slot_share heavy{slots, shares, 0};
    slot_share light{slots, shares, 1};
    CHECK(heavy.free() == 0);
    shares.look();
    REQUIRE(told == std::vector<std::size_t>{0, 1});
    CHECK(heavy.free() == 3);
    CHECK(light.free() == 1);
    heavy.reserve(3);
    CHECK(heavy.free() == 0);
    // Only when none of its users wants any it is the other's.
    light.wants(slot_user::fetcher, false);
    CHECK(light.free() == 1);
    light.wants(slot_user::adopter, false);
    CHECK(light.free() == 0);
    CHECK(heavy.free() == 1);
    CHECK(told.back() == 0);
    heavy.settle(3, 3);
    CHECK(heavy.free() == 1);
    // What a handler takes that comes back from a wait is not there to be reserved, whoever it was given to.
    asio::co_spawn(io, slots.regain(), [](const std::exception_ptr&) {});
    io.poll();
    CHECK(heavy.free() == 0);
    slots.release();
    CHECK(heavy.free() == 1);
    told.clear();
    shares.look();
    CHECK(told == std::vector<std::size_t>{0});
}

TEST_CASE("deadlines pass in order, and those that have left do not") {
    asio::io_context io;
    std::vector<int> passed;
    deadlines all{io.get_executor()};
    const auto long_ago = timed::clock::now() - 1h;
    bell late{passed, 2};
    bell early{passed, 1};
    auto gone = std::make_unique<bell>(passed, 3);
    bell far{passed, 4};
    all.add(late, 20min, long_ago);
    all.add(early, 10min, long_ago);
    all.add(*gone, 10min, long_ago);
    all.add(far, 30min, timed::clock::now());
    gone.reset();
    io.poll();
    CHECK(passed == std::vector<int>{1, 2});
    all.stop();
    io.run();
    CHECK(passed.size() == 2);
}

TEST_CASE("held tasks name each claim once, without those that were reported or abandoned") {
    leased_tasks held;
    std::vector<leased_tasks::index> indexes;
    const std::vector<claimed_task> tasks{task_of(1, 7), task_of(2, 7), task_of(3, 8), task_of(4, 9)};
    held.add(tasks, indexes);
    held.remove(std::span{indexes}.subspan(2, 1));
    held.abandon(indexes[3]);
    extend_call call;
    held.collect(call);
    CHECK(call.claims == std::vector<claim_number>{7});
    REQUIRE(call.tasks.size() == 2);
    CHECK(call.tasks[0].first == tasks[0].id);
    indexes.clear();
    held.add(std::span{tasks}.first(1), indexes);
    CHECK(indexes[0] == 2);
}

TEST_CASE("a report says what the decision says, and no more than needed") {
    attempt_terms terms;
    terms.retention = 1h;
    terms.unique_for = 30min;
    const task_id id{};
    const attempt_facts facts{id, 5, "mail", 3, false, time_point{9ms}, "w", "the body", time_point{1234ms}};
    decision good;
    good.notes.attempts = 1;
    const auto success = report_of(good, terms, facts, "42");
    CHECK(success.what == report::kind::end);
    CHECK(split_end(success.record).body == "the body");
    CHECK(split_end(success.record).finished_at == time_point{1234ms});
    const auto outcome = decode_outcome(split_end(success.record).outcome);
    CHECK(outcome.result == "42");
    CHECK(outcome.unique_for == 30min);
    CHECK(outcome.worker == "w");
    CHECK(outcome.attempts == 1);
    CHECK_FALSE(outcome.notes);

    decision bad;
    bad.kind = verdict::bury;
    bad.notes.errors.push_back({1, {}, "t", "m"});
    const auto dead = report_of(bad, terms, facts, {});
    CHECK(dead.ended_as == state::dead);
    CHECK(decode_outcome(split_end(dead.record).outcome).unique_for == 0s);
    const auto said = decode_outcome(split_end(dead.record).outcome).notes.value();
    CHECK(said.errors.at(0).worker == "w");
    CHECK(said.errors.at(0).started_at == facts.started_at);
    CHECK_FALSE(dead.tells_schedule);

    task_body of_schedule;
    of_schedule.origin = run_origin{.schedule = derive_schedule_id("report", "k"), .key = "k"};
    const auto body = encode(of_schedule);
    auto of_run = facts;
    of_run.body = body;
    CHECK(report_of(bad, terms, of_run, {}).tells_schedule);
    CHECK_FALSE(report_of(good, terms, of_run, "42").tells_schedule);

    decision back;
    back.kind = verdict::give_back;
    CHECK(report_of(back, terms, {id, 5, "mail", 3, false, std::nullopt, "w", {}, {}}, {}).record.empty());
    back.strange = true;
    const auto aside = report_of(back, terms, {id, 5, "mail", 3, false, std::nullopt, "w", {}, {}}, {});
    CHECK(aside.what == report::kind::aside);
    CHECK_FALSE(aside.record.empty());
    back.strange = false;
    back.kind = verdict::fail;
    back.delay = 4s;
    const auto later = report_of(back, terms, facts, {});
    CHECK(later.what == report::kind::retry);
    CHECK(later.delay == 4s);
    CHECK(decode_notes(later.record).worker == "w");
}

TEST_CASE("a server that is away is waited for once by whoever tells news one by one") {
    silent_shards silent;
    silent.answered({0});
    silent.failed({0, 1, 2});
    // It may be either.
    CHECK_FALSE(silent.any_of({0, 1, 2}));
    silent.answered({0, 2});
    silent.failed({1, 2});
    CHECK(silent.any_of({0, 1}));
    CHECK_FALSE(silent.any_of({0, 2}));
    silent.answered({1});
    CHECK_FALSE(silent.any_of({0, 1}));
    silent.failed({0, 2});
    CHECK_FALSE(silent.any_of({0, 2}));
}

TEST_CASE("of the queues that others take from without end, those taken from last are looked after") {
    errand::taken_elsewhere beside;
    CHECK(beside.add({"answers", "mail"}, {"h"}));
    CHECK_FALSE(beside.add({"answers"}, {"h"}));
    for (int i = 0; i < 20'000; ++i) {
        CHECK(beside.add({"q" + std::to_string(i)}, {}));
        CHECK_FALSE(beside.add({"mail"}, {}));
    }
    const auto queues = beside.queues_with({});
    CHECK(queues.size() == 10'000);
    const auto has = [&](const std::string& name) { return std::ranges::find(queues, name) != queues.end(); };
    CHECK(has("mail"));
    CHECK(has("q19999"));
    CHECK_FALSE(has("answers"));
    CHECK(beside.handlers_with({}) == std::vector<std::string>{"h"});
}
