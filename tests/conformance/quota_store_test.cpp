// The counts of a quota at the store's seam.
#include "conformance/tenant.hpp"
#include "support/store_fixture.hpp"

#include <random>

using namespace std::chrono_literals;
using errand::rate_limit;
using tenant_test::an_hour;

namespace {

using errand::quota_answer;
using errand::quota_ask;
using errand::test::store_fixture;

struct toll : store_fixture {
    errand::test::member by = join("one:1");
    quota_answer take(const quota_ask& ask) { return errand::test::await(io, by->take_quota(ask)); }
};

}  // namespace

TEST_CASE("a store asks for a count before the first answer, and takes nothing meanwhile") {
    toll t;
    const quota_ask ask{.count = 3, .max_queued = 5, .rate = an_hour(3)};
    CHECK(t.take(ask).why == quota_answer::kept_by::count);
    auto counted = ask;
    counted.counted = 1;
    const auto got = t.take(counted);
    CHECK(got.admitted == 3);
    CHECK(got.queued == 4);
    CHECK(got.why == quota_answer::kept_by::nothing);
    counted.counted = 4;
    counted.rate.reset();
    const auto last = t.take(counted);
    CHECK(last.admitted == 1);
    CHECK(last.why == quota_answer::kept_by::queued);
    CHECK(last.queued == 5);
}

TEST_CASE("where no quota is asked about nothing is kept of one") {
    toll t;
    t.submit(t.by, errand::test::item_of("[]"));
    CHECK(t.keeps("quota", 0));
}

TEST_CASE("stores let through what the rules let through") {
    toll t;
    std::mt19937 random{20'261'124};
    const auto up_to = [&](int most) { return std::uniform_int_distribution{0, most}(random); };
    errand::quota_state model;
    for (int turn = 0; turn < 300; ++turn) {
        quota_ask ask{.count = up_to(6), .whole = up_to(1) == 1};
        // Nothing of it comes back within a test.
        if (up_to(2) > 0) ask.rate = rate_limit{1 + up_to(80), 8'784h, 0};
        if (up_to(2) > 0) {
            ask.max_queued = up_to(12);
            ask.counted = up_to(14);
        }
        const auto expected = errand::take_quota(model, ask, 1'000'000'000'000'000);
        const auto got = t.take(ask);
        CAPTURE(turn, ask.count, ask.whole);
        CHECK(got.admitted == expected.admitted);
        CHECK(got.why == expected.why);
        if (ask.max_queued) CHECK(got.queued == expected.queued);
    }
}
