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

constexpr std::int64_t second = 1'000'000, start = 1'700'000'000 * second;

quota_ask tasks(std::int64_t count, rate_limit rate) { return {.count = count, .rate = rate}; }

}  // namespace

TEST_CASE("a bucket that was never used is full, and comes back evenly") {
    quota_state state;
    const rate_limit rate{10, 1s, 0};
    CHECK(take_quota(state, tasks(12, rate), start).admitted == 10);
    CHECK(take_quota(state, tasks(1, rate), start).admitted == 0);
    CHECK(take_quota(state, tasks(1, rate), start).opens_in == 100'000);
    CHECK(take_quota(state, tasks(1, rate), start + 99'999).admitted == 0);
    CHECK(take_quota(state, tasks(5, rate), start + 100'000).admitted == 1);
    CHECK(take_quota(state, tasks(5, rate), start + 350'000).admitted == 2);
    CHECK(take_quota(state, tasks(99, rate), start + 3600 * second).admitted == 10);
}

TEST_CASE("however often it is asked, a bucket gives no more than it holds and gets back") {
    quota_state state;
    const rate_limit rate{1000, 1s, 50};
    std::int64_t given = 0;
    for (std::int64_t at = 0; at <= second; at += 7)
        given += take_quota(state, tasks(3, rate), start + at).admitted;
    CHECK(given <= 1050);
    CHECK(given >= 1045);
}

TEST_CASE("all or none takes nothing when it does not get all, and says when it would") {
    quota_state state;
    auto ask = tasks(8, {10, 1s, 0});
    ask.whole = true;
    CHECK(take_quota(state, ask, start).admitted == 8);
    const auto refused = take_quota(state, ask, start);
    CHECK(refused.admitted == 0);
    CHECK(refused.opens_in == 600'000);
    CHECK(take_quota(state, ask, start + 600'000).admitted == 8);
}

TEST_CASE("a clock that is set back gives nothing and takes nothing") {
    quota_state state;
    const rate_limit rate{10, 1s, 0};
    CHECK(take_quota(state, tasks(4, rate), start).admitted == 4);
    CHECK(take_quota(state, tasks(9, rate), start - 60 * second).admitted == 6);
}

TEST_CASE("asking an empty bucket takes nothing from it, and its next task comes when it was said") {
    for (const int count : {1, 3, 7, 11, 999}) {
        quota_state state;
        const rate_limit rate{count, 1min, 0};
        take_quota(state, tasks(count, rate), start);
        const auto opens = take_quota(state, tasks(1, rate), start).opens_in;
        for (std::int64_t at = 0; at < opens; at += opens / 7 + 1)
            CHECK(take_quota(state, tasks(1, rate), start + at).admitted == 0);
        CHECK(take_quota(state, tasks(1, rate), start + opens).admitted == 1);
    }
}

TEST_CASE("what is queued is counted anew after 100 ms, and grows by what is let through until then") {
    quota_state state;
    quota_ask ask{.count = 4, .max_queued = 10};
    CHECK(take_quota(state, ask, start).why == quota_answer::kept_by::count);
    ask.counted = 3;
    CHECK(take_quota(state, ask, start).admitted == 4);
    ask.counted.reset();
    const auto rest = take_quota(state, ask, start + 99'999);
    CHECK(rest.admitted == 3);
    CHECK(rest.why == quota_answer::kept_by::queued);
    CHECK(rest.queued == 10);
    CHECK(rest.opens_in == 1);
    CHECK(take_quota(state, ask, start + 100'000).why == quota_answer::kept_by::count);
    CHECK(take_quota(state, ask, start - 1).why == quota_answer::kept_by::count);
    ask.counted = 50;
    CHECK(take_quota(state, ask, start + 100'000).admitted == 0);
}

TEST_CASE("the smaller of two members counts, and what it keeps costs the other nothing") {
    quota_state state;
    quota_ask ask{.count = 9, .max_queued = 5, .rate = rate_limit{7, 1h, 0}, .counted = 2};
    CHECK(take_quota(state, ask, start).admitted == 3);
    ask.counted = 0;
    CHECK(take_quota(state, ask, start).admitted == 4);
    CHECK(take_quota(state, ask, start).why == quota_answer::kept_by::rate);
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
