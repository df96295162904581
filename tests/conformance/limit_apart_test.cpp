// Tasks that are claimed together, each under a claim of its own: each holds its place at a limit by itself.
#include "support/limit_fixture.hpp"

using namespace errand;
using namespace errand::test;
using namespace std::chrono_literals;

TEST_CASE("of tasks that are claimed apart each leaves its limit by itself, however it ends") {
    limit_fixture t;
    auto rescuer = t.join("rescuer");
    t.set("crm", t.at_most(3));
    t.submit_many(6, t.running("crm"));
    const auto first = t.claim_apart(t.worker, 6).claimed;
    REQUIRE(first.size() == 3);
    CHECK(t.claim_apart(t.worker, 6).claimed.empty());
    CHECK(t.check().empty());
    // One is reported.
    CHECK(t.work(t.worker, {t.done(first[0])}, {first[0].claim}).verdicts.at(0) == report_verdict::accepted);
    const auto second = t.claim_apart(t.worker, 6).claimed;
    REQUIRE(second.size() == 1);
    // One is cancelled while it runs, and leaves when its worker says that it has ended.
    t.cancel(first[1].id);
    CHECK(t.work(t.worker, {t.done(first[1])}, {first[1].claim}).verdicts.at(0) != report_verdict::accepted);
    const auto third = t.claim_apart(t.worker, 6).claimed;
    REQUIRE(third.size() == 1);
    // One is taken over, and keeps its place.
    extend_call over;
    over.claims = {first[2].claim};
    over.tasks = {{first[2].id, first[2].claim}};
    over.lease = 1ms;
    CHECK(await(t.io, t.worker->extend(over)).lost_claims.empty());
    std::vector<claimed_task> saved;
    REQUIRE(t.until([&] { return !(saved = await(t.io, rescuer->recover(100, 30s)).tasks).empty(); }));
    REQUIRE(saved.size() == 1);
    CHECK(t.claim_apart(t.worker, 6).claimed.empty());
    CHECK(t.check().empty());
    CHECK(t.work(rescuer, {t.done(saved[0])}, {saved[0].claim}).verdicts.at(0) == report_verdict::accepted);
    const auto last = t.claim_apart(t.worker, 6).claimed;
    REQUIRE(last.size() == 1);
    for (const auto& one : {second[0], third[0], last[0]})
        CHECK(t.work(t.worker, {t.done(one)}, {one.claim}).verdicts.at(0) == report_verdict::accepted);
    CHECK(t.state_of_limit("crm").running == 0);
    CHECK(t.check().empty());
}
