#include <errand/error.hpp>
#include <errand/outcome.hpp>

#include "core/attempt_rules.hpp"
#include "core/job_rules.hpp"

#include <catch2/catch_test_macros.hpp>

#include <stdexcept>

using namespace errand;
using namespace std::chrono_literals;

namespace {

const backoff four_seconds = backoff::uniform(4s);
constexpr time_point now{1'000'000ms};

attempt_terms terms(int max_retry = 3) {
    attempt_terms t;
    t.timeout = 600s;
    t.max_retry = max_retry;
    t.backoff = &four_seconds;
    return t;
}

task_notes after(int attempts) {
    task_notes notes;
    notes.attempts = attempts;
    return notes;
}

template <class E>
decision throwing(E what, attempt_end how = attempt_end::threw, task_notes before = {},
                  attempt_terms with = terms()) {
    return decide(how, std::make_exception_ptr(what), with, std::move(before), now);
}

}  // namespace

TEST_CASE("a task succeeds with the attempts it took") {
    const auto d = decide(attempt_end::returned, nullptr, terms(), after(2), now);
    CHECK(d.kind == verdict::succeed);
    CHECK(d.notes.attempts == 3);
    CHECK(d.notes.errors.empty());
}

TEST_CASE("an exception is retried after the backoff until the retries are used up") {
    for (int before = 0; before < 3; ++before) {
        const auto d = throwing(std::runtime_error{"broken"}, attempt_end::threw, after(before));
        CHECK(d.kind == verdict::fail);
        CHECK(d.delay == 4s);
        CHECK(d.notes.attempts == before + 1);
    }
    const auto last = throwing(std::runtime_error{"broken"}, attempt_end::threw, after(3));
    CHECK(last.kind == verdict::bury);
    CHECK(last.notes.attempts == 4);
    REQUIRE(last.notes.errors.size() == 1);
    CHECK(last.notes.errors[0].attempt == 4);
    CHECK(last.notes.errors[0].at == now);
    CHECK(last.notes.errors[0].type == "std::runtime_error");
    CHECK(last.notes.errors[0].message == "broken");
}

TEST_CASE("without retries the first failure is the last") {
    CHECK(throwing(std::runtime_error{""}, attempt_end::threw, {}, terms(0)).kind == verdict::bury);
}

TEST_CASE("the backoff is asked with the retries so far") {
    int asked = -1;
    const backoff own = [&](int n, const std::exception_ptr&) {
        asked = n;
        return duration{-1s};
    };
    auto with = terms();
    with.backoff = &own;
    CHECK(throwing(std::runtime_error{""}, attempt_end::threw, after(2), with).delay == 0s);
    CHECK(asked == 2);
}

TEST_CASE("a backoff that throws costs the task nothing") {
    const backoff own = [](int, const std::exception_ptr&) -> duration { throw std::runtime_error{"no"}; };
    auto with = terms();
    with.backoff = &own;
    const auto d = throwing(std::runtime_error{""}, attempt_end::threw, {}, with);
    CHECK(d.kind == verdict::fail);
    CHECK(d.delay >= 15s);
}

TEST_CASE("a handler says itself what is to follow, however it was stopped") {
    for (auto how :
         {attempt_end::threw, attempt_end::timed_out, attempt_end::shut_down, attempt_end::withdrawn}) {
        CHECK(throwing(discard{"why"}, how).kind == verdict::bury);
        const auto again = throwing(retry_in{10s, "why"}, how);
        CHECK(again.kind == verdict::fail);
        CHECK(again.delay == 10s);
        CHECK(again.notes.attempts == 1);
        const auto later = throwing(snooze{1h}, how, after(1));
        CHECK(later.kind == verdict::snooze);
        CHECK(later.delay == 1h);
        CHECK(later.notes.attempts == 1);
        CHECK(later.notes.snoozed);
        CHECK(later.notes.errors.empty());
    }
    CHECK(throwing(retry_in{10s}, attempt_end::threw, after(3)).kind == verdict::bury);
}

TEST_CASE("what does not decode is dead at once, a handler's own bad_data is not") {
    const auto dead = throwing(bad_data{"args[0]: expected an integer"}, attempt_end::undecodable);
    CHECK(dead.kind == verdict::bury);
    CHECK(dead.notes.errors.at(0).message == "args[0]: expected an integer");
    CHECK(throwing(bad_data{"mine"}).kind == verdict::fail);
}

TEST_CASE("a timeout is a failure with a text of its own") {
    const auto d = throwing(std::runtime_error{"operation aborted"}, attempt_end::timed_out);
    CHECK(d.kind == verdict::fail);
    CHECK(d.notes.errors.at(0).type == "errand::timed_out");
    CHECK(d.notes.errors.at(0).message == "timed out after 600s");
}

TEST_CASE("an attempt that was stopped from outside loses nothing") {
    for (auto how : {attempt_end::shut_down, attempt_end::withdrawn}) {
        const auto d = throwing(std::runtime_error{"operation aborted"}, how, after(1));
        CHECK(d.kind == verdict::give_back);
        CHECK(d.notes.attempts == 1);
        CHECK(d.notes.errors.empty());
        CHECK(decide(how, nullptr, terms(), after(1), now).kind == verdict::give_back);
    }
}

TEST_CASE("the first lost lease makes a task ready at once, the next ones wait") {
    auto d = decide(attempt_end::lease_ran_out, nullptr, terms(), {}, now);
    CHECK(d.kind == verdict::give_back);
    CHECK(d.notes.attempts == 1);
    d = decide(attempt_end::lease_ran_out, nullptr, terms(), d.notes, now);
    CHECK(d.kind == verdict::fail);
    CHECK(d.delay == 4s);
    CHECK(d.notes.lost_leases == 2);
    CHECK(decide(attempt_end::lease_ran_out, nullptr, terms(), after(3), now).kind == verdict::bury);
}

TEST_CASE("a task of an unknown handler is put off and never dead") {
    task_notes notes = after(3);
    for (int claims = 1; claims < 9; ++claims) {
        auto d = decide(attempt_end::unknown_handler, nullptr, terms(), notes, now);
        CHECK(d.kind == verdict::postpone);
        CHECK(d.notes.attempts == 3);
        CHECK(d.notes.unknown_handler == claims);
        notes = std::move(d.notes);
    }
}

TEST_CASE("a task that has never started can come too late, one that has cannot") {
    task_body body;
    body.due_at = now - 10s;
    auto with = terms();
    CHECK_FALSE(is_late(with, body, {}, now));
    with.expires_after = 5s;
    CHECK(is_late(with, body, {}, now));
    CHECK_FALSE(is_late(with, body, {}, now - 5s));
    CHECK_FALSE(is_late(with, body, after(1), now));
    const auto given_back = throwing(std::runtime_error{""}, attempt_end::shut_down, {}, with);
    CHECK_FALSE(is_late(with, body, given_back.notes, now));
    CHECK(decide(attempt_end::late, nullptr, with, {}, now).kind == verdict::expire);
}

TEST_CASE("a task that was unknown to workers before one started it cannot come too late") {
    task_body body;
    body.due_at = now - 10s;
    auto with = terms();
    with.expires_after = 5s;
    const auto unknown = decide(attempt_end::unknown_handler, nullptr, with, {}, now).notes;
    CHECK(is_late(with, body, unknown, now));
    for (const auto& notes :
         {throwing(snooze{5s}, attempt_end::threw, unknown, with).notes,
          throwing(std::runtime_error{""}, attempt_end::shut_down, unknown, with).notes}) {
        CHECK_FALSE(is_late(with, body, notes, now));
    }
}

TEST_CASE("that not all workers know the handler of a task is remembered, whatever becomes of its attempts") {
    auto with = terms(25);
    with.expires_after = 1h;
    task_notes notes;
    CHECK_FALSE(throwing(std::runtime_error{""}, attempt_end::threw, notes, with).strange);
    notes = decide(attempt_end::unknown_handler, nullptr, with, notes, now).notes;
    for (const auto how : {attempt_end::threw, attempt_end::shut_down, attempt_end::timed_out}) {
        const auto next = throwing(std::runtime_error{""}, how, notes, with);
        CHECK(next.strange);
        notes = next.notes;
    }
    const auto later = throwing(snooze{5s}, attempt_end::threw, notes, with);
    CHECK(later.strange);
    CHECK(decide(attempt_end::lease_ran_out, nullptr, with, later.notes, now).strange);
}

TEST_CASE("the newest errors are kept") {
    task_notes notes;
    for (int i = 0; i < 40; ++i) {
        notes = throwing(std::runtime_error{std::to_string(i)}, attempt_end::threw, notes, terms(100)).notes;
    }
    REQUIRE(notes.errors.size() == task_notes::max_errors);
    CHECK(notes.errors.back().message == "39");
    CHECK(notes.errors.front().message == "15");
}

TEST_CASE("an exception that holds another one is described with it") {
    std::exception_ptr thrown;
    try {
        try {
            throw std::runtime_error{"no route"};
        } catch (...) {
            std::throw_with_nested(std::logic_error{"the receipt was not sent"});
        }
    } catch (...) {
        thrown = std::current_exception();
    }
    CHECK(describe(thrown).message == "the receipt was not sent; because of std::runtime_error: no route");
}

TEST_CASE("what is no std::exception is described all the same, and texts become UTF-8") {
    CHECK(describe(std::make_exception_ptr(42)).type == "int");
    CHECK(describe(std::make_exception_ptr(42)).message == "42");
    CHECK(describe(std::make_exception_ptr(4.5)).message == "unknown exception");
    const auto refused = std::make_error_code(std::errc::connection_refused);
    CHECK(describe(std::make_exception_ptr(refused)).type == "std::error_code");
    CHECK(describe(std::make_exception_ptr(refused)).message == "generic: " + refused.message());
    CHECK(describe(std::make_exception_ptr(std::runtime_error{"a\xff"})).message == "a\xEF\xBF\xBD");
    CHECK(describe(std::make_exception_ptr(std::runtime_error{std::string(10'000, 'x')})).message.size() <=
          4096);
}

TEST_CASE("a text that is thrown without an exception around it is kept") {
    CHECK(describe(std::make_exception_ptr("no such customer")).message == "no such customer");
    CHECK(describe(std::make_exception_ptr(std::string{"full\xff"})).message == "full\xEF\xBF\xBD");
    CHECK(describe(std::make_exception_ptr(std::string{"full"})).type == "std::string");
    CHECK(describe(std::make_exception_ptr(std::string_view{"away"})).message == "away");
    char own[] = "its own";
    CHECK(describe(std::make_exception_ptr(static_cast<char*>(own))).message == "its own");
    CHECK(describe(std::make_exception_ptr(static_cast<const char*>(nullptr))).message ==
          "unknown exception");
    CHECK(describe(std::make_exception_ptr(std::string(10'000, 'x'))).message.size() <= 4096);
}

TEST_CASE("what a submission says goes before the policy") {
    policy rules;
    rules.retention = 1h;
    rules.max_retry = 7;
    task_body body;
    CHECK(terms_of(rules, body).unique_for == 0s);
    body.biz_id = "b";
    CHECK(terms_of(rules, body).unique_for == 1h);
    body.retention = 2h;
    body.timeout = 5s;
    body.max_retry = 0;
    const auto with = terms_of(rules, body);
    CHECK(with.unique_for == 2h);
    CHECK(with.timeout == 5s);
    CHECK(with.max_retry == 0);
    rules.unique_for = 3h;
    CHECK(terms_of(rules, body).unique_for == 3h);
}

// ---- jobs ----------------------------------------------------------------------------------------------------------------

namespace {

task_body job_body(std::optional<duration> ttl = {}) {
    task_body body;
    body.handler = job_handler;
    body.life = incarnation{1'000} << 16U;
    body.max_retry = 1;
    body.retention = 0s;
    body.expires_after = ttl;
    return body;
}

}  // namespace

TEST_CASE("a job whose lease ran out is tried again at once, and is dead after its last try") {
    const auto terms = terms_of(job_body());
    const auto first = decide(attempt_end::lease_ran_out, nullptr, terms, after(0), now);
    CHECK(first.kind == verdict::fail);
    CHECK(first.delay == 0s);
    CHECK(decide(attempt_end::lease_ran_out, nullptr, terms, first.notes, now).kind == verdict::bury);
}

TEST_CASE("a job ends with its time, however far it is") {
    const auto body = job_body(10s);
    const auto terms = terms_of(body);
    const time_point end{11'000ms};
    CHECK_FALSE(is_late(terms, body, after(1), end - 1ms));
    CHECK(is_late(terms, body, after(1), end));
    CHECK(decide(attempt_end::lease_ran_out, nullptr, terms, after(0), end - 1ms).kind == verdict::fail);
    CHECK(decide(attempt_end::lease_ran_out, nullptr, terms, after(0), end).kind == verdict::expire);
    CHECK(decide(attempt_end::lease_ran_out, nullptr, terms, after(1), end).kind == verdict::expire);
    CHECK(decide(attempt_end::returned, nullptr, terms, after(0), end).kind == verdict::succeed);
}

TEST_CASE("a job that was started again ends when was said then, or never") {
    const auto body = job_body(10s);
    auto notes = after(1);
    notes.revived = true;
    CHECK_FALSE(end_of_job(body, notes));
    notes.ends_at = time_point{50'000ms};
    CHECK(end_of_job(body, notes) == time_point{50'000ms});
    CHECK(decide(attempt_end::lease_ran_out, nullptr, terms_of(body), notes, time_point{50'000ms}).kind ==
          verdict::expire);
    notes.ends_at = time_point{};
    CHECK_FALSE(end_of_job(body, notes));
    CHECK(decide(attempt_end::lease_ran_out, nullptr, terms_of(body), notes, now).kind == verdict::bury);
    CHECK(decode_notes(encode(notes)).ends_at == time_point{});
}
