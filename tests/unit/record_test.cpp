#include <errand/error.hpp>

#include "core/record.hpp"

#include <catch2/catch_test_macros.hpp>
#include <catch2/matchers/catch_matchers_exception.hpp>
#include <catch2/matchers/catch_matchers_string.hpp>

using namespace errand;
using namespace std::chrono_literals;
using Catch::Matchers::ContainsSubstring;
using Catch::Matchers::MessageMatches;

namespace {

task_body full_body() {
    task_body body;
    body.priority = 7;
    body.life = 0x1122334455667788;
    body.queue = "mail";
    body.handler = "send_receipt";
    body.args = R"([7,"x"])";
    body.biz_id = "order 7";
    body.timeout = 90s;
    body.max_retry = 3;
    body.expires_after = 24h;
    body.retention = 0ms;
    body.due_at = time_point{1'763'000'000'123ms};
    body.headers = {{"trace", "abc"}, {"user", ""}};
    body.tags = {"a", "b"};
    body.after = {derive_task_id("h", "1"), derive_task_id("h", "2")};
    body.rule = on_failed::run;
    body.takes_result = true;
    return body;
}

task_notes full_notes() {
    task_notes notes;
    notes.attempts = 2;
    notes.max_retry = 0;
    notes.lost_leases = 1;
    notes.unknown_handler = 4;
    notes.snoozed = true;
    notes.progress = 0.25;
    notes.progress_text = "a quarter";
    notes.started_at = time_point{5ms};
    notes.worker = "w:1";
    notes.errors = {{1, time_point{7ms}, "std::runtime_error", "no route", time_point{6ms}, "w:1"}};
    notes.log = {"one", "two"};
    return notes;
}

}  // namespace

TEST_CASE("a body comes back as it was written") {
    const auto body = full_body();
    const auto back = decode_body(encode(body));
    CHECK(back.priority == body.priority);
    CHECK(back.life == body.life);
    CHECK(back.queue == body.queue);
    CHECK(back.handler == body.handler);
    CHECK(back.args == body.args);
    CHECK(back.after == body.after);
    CHECK(back.rule == body.rule);
    CHECK(back.takes_result == body.takes_result);
    CHECK(back.biz_id == body.biz_id);
    CHECK(back.timeout == body.timeout);
    CHECK(back.max_retry == body.max_retry);
    CHECK(back.expires_after == body.expires_after);
    CHECK(back.retention == body.retention);
    CHECK(back.due_at == body.due_at);
    CHECK(back.headers == body.headers);
    CHECK(back.tags == body.tags);
}

TEST_CASE("the usual body is small, and its front is where scripts look for it") {
    task_body body;
    body.queue = "default";
    body.handler = "ten_letter";
    body.args = std::string(40, 'x');
    body.priority = 3;
    body.life = 0x0102030405060708;
    const auto bytes = encode(body);
    CHECK(bytes.size() <= 75);
    CHECK(bytes[task_body::priority_offset] == 3);
    CHECK(bytes.substr(task_body::incarnation_offset, 8) == "\1\2\3\4\5\6\7\10");
    CHECK(incarnation_of(bytes) == body.life);
    CHECK(incarnation_of("short") == 0);
    CHECK(decode_body(bytes).biz_id == std::nullopt);
}

TEST_CASE("notes come back as they were written") {
    const auto notes = full_notes();
    const auto back = decode_notes(encode(notes));
    CHECK(back.attempts == 2);
    CHECK(back.max_retry == 0);
    CHECK(back.lost_leases == 1);
    CHECK(back.unknown_handler == 4);
    CHECK(back.snoozed);
    CHECK(back.progress == 0.25);
    CHECK(back.progress_text == "a quarter");
    CHECK(back.started_at == notes.started_at);
    CHECK(back.worker == notes.worker);
    REQUIRE(back.errors.size() == 1);
    CHECK(back.errors[0].message == "no route");
    CHECK(back.errors[0].at == time_point{7ms});
    CHECK(back.errors[0].started_at == time_point{6ms});
    CHECK(back.errors[0].worker == "w:1");
    CHECK(back.log == notes.log);
}

TEST_CASE("what a flow has come to comes back as it was written, its newest runs and stages") {
    task_notes notes;
    notes.ends_at = time_point{9ms};
    notes.flow = flow_notes{
        .stage = "cut", .number = 3, .deliveries = 4, .changes = 20, .max_retry = 2, .content = R"({"n":1})"};
    for (int i = 0; i < 200; ++i) {
        notes.flow->finished.push_back(
            {.name = std::to_string(i), .attempt = i, .started_at = time_point{5ms}, .length = 3ms});
        notes.flow->runs.push_back({.claim = ~std::uint64_t{0} - 1,
                                    .outcome = i % 2 ? flow_outcome::give_back : flow_outcome::failed,
                                    .started_at = time_point{5ms},
                                    .at = time_point{6ms},
                                    .stage = "cut",
                                    .attempt = i,
                                    .cost = 1ms,
                                    .worker = "w",
                                    .trace = "t",
                                    .error = "e",
                                    .next_stage = "n",
                                    .due_at = i % 2 ? std::optional{time_point{7ms}} : std::nullopt,
                                    .version = 8});
    }
    const auto back = decode_notes(encode(notes));
    CHECK(back.ends_at == notes.ends_at);
    notes.flow->finished.erase(notes.flow->finished.begin(),
                               notes.flow->finished.end() - flow_notes::most_stages);
    notes.flow->runs.erase(notes.flow->runs.begin(), notes.flow->runs.end() - flow_notes::most_runs);
    CHECK(back.flow == notes.flow);
    notes.flow = flow_notes{};
    CHECK(decode_notes(encode(notes)).flow == notes.flow);
}

TEST_CASE("only the newest errors and log lines are kept") {
    task_notes notes;
    for (int i = 0; i < 200; ++i) {
        notes.errors.push_back({i, {}, "", ""});
        notes.log.push_back(std::to_string(i));
    }
    const auto back = decode_notes(encode(notes));
    REQUIRE(back.errors.size() == task_notes::max_errors);
    CHECK(back.errors.back().attempt == 199);
    REQUIRE(back.log.size() == task_notes::max_log_lines);
    CHECK(back.log.back() == "199");
}

TEST_CASE("an outcome comes back as it was written") {
    for (const auto ended_as : {state::success, state::dead, state::cancelled, state::expired}) {
        task_outcome outcome;
        outcome.ended_as = ended_as;
        outcome.unique_for = 1h;
        outcome.retention = 180 * 24h;
        outcome.started_at = time_point{1'763'000'000'000ms};
        outcome.attempts = 3;
        outcome.worker = "host-1";
        outcome.result = R"({"a":1})";
        outcome.notes = full_notes();
        const auto back = decode_outcome(encode(outcome));
        CHECK(back.ended_as == ended_as);
        CHECK(back.unique_for == outcome.unique_for);
        CHECK(back.retention == outcome.retention);
        CHECK(back.started_at == outcome.started_at);
        CHECK(back.attempts == 3);
        CHECK(back.worker == "host-1");
        CHECK(back.result == outcome.result);
        REQUIRE(back.notes);
        CHECK(back.notes->errors.size() == 1);
    }
}

TEST_CASE("times that do not fit an outcome are cut to what does") {
    task_outcome outcome;
    outcome.unique_for = duration::max();
    outcome.retention = -5ms;
    const auto back = decode_outcome(encode(outcome));
    CHECK(back.unique_for == duration{(std::int64_t{1} << 48) - 1});
    CHECK(back.retention == 0ms);
    CHECK_FALSE(back.started_at);
}

TEST_CASE("a state that is no end is no outcome") {
    task_outcome outcome;
    outcome.ended_as = state::working;
    CHECK_THROWS_AS(encode(outcome), bad_data);
}

TEST_CASE("bytes that are no record are refused, naming the record") {
    CHECK_THROWS_MATCHES(decode_body(""), bad_data, MessageMatches(ContainsSubstring("task")));
    CHECK_THROWS_MATCHES(decode_body("\xff" + std::string(40, 'x')), bad_data,
                         MessageMatches(ContainsSubstring("format")));
    CHECK_THROWS_MATCHES(decode_notes("\1"), bad_data, MessageMatches(ContainsSubstring("notes")));
    CHECK_THROWS_MATCHES(decode_outcome("?"), bad_data, MessageMatches(ContainsSubstring("outcome")));
}

TEST_CASE("no prefix of a record crashes its reader") {
    const auto body = encode(full_body());
    const auto args = full_body().args.size();
    for (std::size_t n = 0; n + args < body.size(); ++n)
        CHECK_THROWS_AS(decode_body(body.substr(0, n)), bad_data);
    const auto notes = encode(full_notes());
    for (std::size_t n = 0; n < notes.size(); ++n)
        CHECK_THROWS_AS(decode_notes(notes.substr(0, n)), bad_data);
}

TEST_CASE("a run of a schedule comes back with what it was made for, and shows its schedule at the end") {
    auto body = full_body();
    body.after.clear();
    body.rule = on_failed::cancel;
    body.takes_result = false;
    for (const bool tells : {true, false}) {
        body.origin = run_origin{.schedule = derive_task_id("h", "s"),
                                 .key = "feed 7",
                                 .tick = time_point{1'763'000'000'123ms},
                                 .missed = 9,
                                 .number = 12,
                                 .tells_end = tells};
        const auto bytes = encode(body);
        CHECK(decode_body(bytes) == body);
        CHECK(schedule_of(bytes) == body.origin->schedule);
        CHECK(tells_end(bytes) == tells);
        CHECK_THROWS_AS(decode_body(bytes.substr(0, 30)), bad_data);
    }
    body.origin.reset();
    CHECK_FALSE(schedule_of(encode(body)));
    CHECK_FALSE(tells_end(encode(body)));
}

TEST_CASE("what a run asked of its schedule comes back with its notes") {
    auto notes = full_notes();
    notes.wish = {.next_at = time_point{5s}, .stop = true, .args = "[7]"};
    CHECK(decode_notes(encode(notes)).wish == notes.wish);
    notes.wish = {.next_at = {}, .stop = false, .args = "[]"};
    CHECK(decode_notes(encode(notes)).wish == notes.wish);
    CHECK_FALSE(decode_notes(encode(full_notes())).wish);
}
