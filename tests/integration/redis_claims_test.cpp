// A claim is known by more than its number: a primary that knows nothing of what another did last may give that again.
#include "support/redis_fixture.hpp"

using namespace errand;
using namespace errand::test;
using namespace std::chrono_literals;

namespace {

// The clock was set back: numbers go on from the last one.
struct set_back : redis_fixture {
    set_back() { redis({"HSET", key("control"), "claim", std::to_string(last)}); }

    static constexpr claim_number last = 4'000'000'000'000'000;
    member first = join("first");
    member second = join("second");

    // As a replica holds it that heard nothing since before this claim.
    void fail_over_before(const claimed_task& one) {
        redis({"HSET", key("control"), "claim", std::to_string(last)});
        redis({"HDEL", key("own"), std::string{one.id.view()}});
        for (const auto& claim : {std::to_string(one.claim), redis::claim_text(one.claim)}) {
            redis({"ZREM", key("leases"), claim});
            redis({"HDEL", key("claims"), claim});
        }
        redis({"RPUSH", key("ready:default"), std::string{one.id.view()}});
    }
};

}  // namespace

TEST_CASE("a report from before a fail-over that lost its claim is refused, though the clock was set back") {
    set_back here;
    here.submit_all(here.first, {item_of("x")});
    const auto lost = here.claim(here.first, 1).claimed.at(0);
    CHECK(lost.claim == here.last + 1);
    here.fail_over_before(lost);
    const auto again = here.claim(here.second, 1).claimed.at(0);
    CHECK(again.id == lost.id);
    CHECK(again.claim != lost.claim);

    CHECK(here.finish(here.first, {success_of(lost)}) == std::vector{report_verdict::lease_lost});
    CHECK(await(here.io, here.first->note(lost.id, lost.claim, "n")) == report_verdict::lease_lost);
    extend_call call;
    call.claims = {lost.claim};
    call.tasks = {{lost.id, lost.claim}};
    const auto extended = await(here.io, here.first->extend(call));
    CHECK(extended.lost_claims.size() == 1);
    CHECK(extended.lost_tasks.size() == 1);
    // The new holder has its lease still, and its report counts.
    CHECK(here.redis({"ZSCORE", here.key("leases"), redis::claim_text(again.claim)}) != "(nil)");
    CHECK(here.finish(here.second, {success_of(again)}) == std::vector{report_verdict::accepted});
}

TEST_CASE("two processes that were given one number are told apart") {
    set_back here;
    here.submit_all(here.first, {item_of("x")});
    const auto mine = here.claim(here.first, 1).claimed.at(0);
    // The new primary gave it to a worker of another process, under the number that it had given already.
    const std::string id{mine.id.view()};
    const auto theirs = std::to_string(mine.claim) + ":0000000a";
    here.redis({"HSET", here.key("own"), id, theirs});
    here.redis({"ZREM", here.key("leases"), redis::claim_text(mine.claim)});
    here.redis({"HDEL", here.key("claims"), redis::claim_text(mine.claim)});
    here.redis({"ZADD", here.key("leases"), "9999999999999", theirs});
    here.redis({"HSET", here.key("claims"), theirs, "other\n" + id});
    CHECK(here.finish(here.first, {success_of(mine)}) == std::vector{report_verdict::lease_lost});
    CHECK(here.state_of(here.first, mine.id) == state::working);
    CHECK(await(here.io, here.first->find(mine.id))->worker == "other");
    CHECK(here.redis({"ZSCORE", here.key("leases"), theirs}) == "9999999999999");
}

TEST_CASE("nothing is handed over under a number that the clock has not reached") {
    set_back here;
    here.submit(here.second, item_of("before"));
    here.finish(here.first, {success_of(here.claim(here.first, 1).claimed.at(0))});
    work_call call;
    call.claim = {.queues = {"default"}, .limit = 5, .lease = 30s, .takes_given = true};
    await(here.io, here.first->work(call));
    const auto item = item_of("x");
    here.submit(here.second, item);
    REQUIRE(here.until([&] { return here.first.ear->wakes > 0; }));
    CHECK(here.first.ear->given.empty());
    CHECK(here.claim(here.first, 5).claimed.at(0).id == item.id);
}
