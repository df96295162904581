// What a quota lets through, and how it is kept.
#include <errand/error.hpp>

#include "core/quota_record.hpp"
#include "core/quota_rules.hpp"

#include <catch2/catch_test_macros.hpp>

using namespace std::chrono_literals;
using errand::bad_data;
using errand::quota;
using errand::quota_answer;
using errand::quota_ask;
using errand::quota_state;
using errand::rate_limit;
using errand::take_quota;

namespace {

constexpr std::int64_t one_second = 1'000'000, some_time = 1'700'000'000 * one_second;

quota_ask ask_for(std::int64_t count, rate_limit rate) { return {.count = count, .rate = rate}; }

}  // namespace

TEST_CASE("a bucket that was never used is full, and comes back evenly") {
    quota_state state;
    const rate_limit rate{10, 1s, 0};
    CHECK(take_quota(state, ask_for(12, rate), some_time).admitted == 10);
    CHECK(take_quota(state, ask_for(1, rate), some_time).admitted == 0);
    CHECK(take_quota(state, ask_for(1, rate), some_time).opens_in == 100'000);
    CHECK(take_quota(state, ask_for(1, rate), some_time + 99'999).admitted == 0);
    CHECK(take_quota(state, ask_for(5, rate), some_time + 100'000).admitted == 1);
    CHECK(take_quota(state, ask_for(5, rate), some_time + 350'000).admitted == 2);
    CHECK(take_quota(state, ask_for(99, rate), some_time + 3600 * one_second).admitted == 10);
}

TEST_CASE("however often it is asked, a bucket gives no more than it holds and gets back") {
    quota_state state;
    const rate_limit rate{1000, 1s, 50};
    std::int64_t given = 0;
    for (std::int64_t at = 0; at <= one_second; at += 7)
        given += take_quota(state, ask_for(3, rate), some_time + at).admitted;
    CHECK(given <= 1050);
    CHECK(given >= 1045);
}

TEST_CASE("all or none takes nothing when it does not get all, and says when it would") {
    quota_state state;
    auto ask = ask_for(8, {10, 1s, 0});
    ask.whole = true;
    CHECK(take_quota(state, ask, some_time).admitted == 8);
    const auto refused = take_quota(state, ask, some_time);
    CHECK(refused.admitted == 0);
    CHECK(refused.opens_in == 600'000);
    CHECK(take_quota(state, ask, some_time + 600'000).admitted == 8);
}

TEST_CASE("a clock that is set back gives nothing and takes nothing") {
    quota_state state;
    const rate_limit rate{10, 1s, 0};
    CHECK(take_quota(state, ask_for(4, rate), some_time).admitted == 4);
    CHECK(take_quota(state, ask_for(9, rate), some_time - 60 * one_second).admitted == 6);
}

TEST_CASE("an empty bucket fills also by a clock that was set back") {
    quota_state state;
    const rate_limit rate{10, 1s, 0};
    CHECK(take_quota(state, ask_for(10, rate), some_time).admitted == 10);
    const auto back = some_time - 3600 * one_second;
    CHECK(take_quota(state, ask_for(1, rate), back).admitted == 0);
    CHECK(take_quota(state, ask_for(1, rate), back + 100'000).admitted == 1);
}

TEST_CASE("asking an empty bucket takes nothing from it, and its next task comes when it was said") {
    for (const int count : {1, 3, 7, 11, 999}) {
        quota_state state;
        const rate_limit rate{count, 1min, 0};
        take_quota(state, ask_for(count, rate), some_time);
        const auto opens = take_quota(state, ask_for(1, rate), some_time).opens_in;
        for (std::int64_t at = 0; at < opens; at += opens / 7 + 1)
            CHECK(take_quota(state, ask_for(1, rate), some_time + at).admitted == 0);
        CHECK(take_quota(state, ask_for(1, rate), some_time + opens).admitted == 1);
    }
}

TEST_CASE("what is queued is counted anew after 100 ms, and grows by what is let through until then") {
    quota_state state;
    quota_ask ask{.count = 4, .max_queued = 10};
    CHECK(take_quota(state, ask, some_time).why == quota_answer::kept_by::count);
    ask.counted = 3;
    CHECK(take_quota(state, ask, some_time).admitted == 4);
    ask.counted.reset();
    const auto rest = take_quota(state, ask, some_time + 99'999);
    CHECK(rest.admitted == 3);
    CHECK(rest.why == quota_answer::kept_by::queued);
    CHECK(rest.queued == 10);
    CHECK(rest.opens_in == 1);
    CHECK(take_quota(state, ask, some_time + 100'000).why == quota_answer::kept_by::count);
    CHECK(take_quota(state, ask, some_time - 1).why == quota_answer::kept_by::count);
    ask.counted = 50;
    CHECK(take_quota(state, ask, some_time + 100'000).admitted == 0);
}

TEST_CASE("the smaller of two members counts, and what it keeps costs the other nothing") {
    quota_state state;
    quota_ask ask{.count = 9, .max_queued = 5, .rate = rate_limit{7, 1h, 0}, .counted = 2};
    CHECK(take_quota(state, ask, some_time).admitted == 3);
    ask.counted = 0;
    CHECK(take_quota(state, ask, some_time).admitted == 4);
    CHECK(take_quota(state, ask, some_time).why == quota_answer::kept_by::rate);
}

TEST_CASE("a length below what is queued is refused where it is lower than it was") {
    using errand::check_below_queued;
    CHECK_NOTHROW(check_below_queued({}, {}, 10));
    CHECK_NOTHROW(check_below_queued({.max_queued = 10}, {}, 10));
    CHECK_THROWS_AS(check_below_queued({.max_queued = 9}, {}, 10), errand::usage_error);
    CHECK_THROWS_AS(check_below_queued({.max_queued = 9}, {.max_queued = 11}, 10), errand::usage_error);
    CHECK_NOTHROW(check_below_queued({.max_queued = 9}, {.max_queued = 9}, 10));
    CHECK_NOTHROW(check_below_queued({.max_queued = 9}, {.max_queued = 8}, 10));
}

TEST_CASE("a quota is kept with who set it, and what a later version has set is passed over") {
    const errand::quota_record record{
        .stamp = 0xF123'4567'89AB'CDEF,
        .version = 9,
        .by = "host:12",
        .at = errand::time_point{1'700'000'000'123ms},
        .rules = {.max_queued = 0, .submit_rate = rate_limit{5, 250ms, 2}, .max_payload = 1}};
    const auto bytes = encode(record);
    const auto read = errand::decode_quota(bytes);
    CHECK(read.stamp == record.stamp);
    CHECK(read.version == 9);
    CHECK(read.by == "host:12");
    CHECK(read.at == record.at);
    CHECK(read.rules == record.rules);
    for (std::size_t length = 0; length < bytes.size(); ++length)
        CHECK_THROWS_AS(errand::decode_quota(bytes.substr(0, length)), bad_data);
}
