// What scripts/fault says of limits, on journals in which each rule is broken once.
#include "trial/admissions.hpp"
#include "trial/limit_kinds.hpp"

#include <catch2/catch_test_macros.hpp>
#include <catch2/generators/catch_generators.hpp>

using namespace trial;
using errand::state;
using fault_test::entry;

namespace {

// The store's clock is so far ahead of the monotonic one.
constexpr std::int64_t shown_ahead = 1'000'000;

struct limits_teller {
    std::vector<entry> lines{};
    endings ended{};
    chronicle happened{.store_ahead = shown_ahead};
    std::int64_t now = 10'000;
    int number = 0;

    limits_teller& says(const std::string& what, const std::string& task, int attempt = 0,
                        std::uint64_t fence = 0, pid_t pid = 1) {
        lines.push_back({what, task, attempt, fence, pid, now});
        return *this;
    }
    limits_teller& after(std::int64_t ms) {
        now += ms;
        return *this;
    }
    // Claimed just now.
    std::uint64_t claim() const { return static_cast<std::uint64_t>((now + shown_ahead) * 1000); }
    limits_teller& accepts(const std::string& id, const std::string& where, pid_t producer = 9) {
        return says("behind:" + id, where, ++number, 0, producer).says("accepted", id, number, 0, producer);
    }
    limits_teller& enters(const std::string& id, const std::string& where, pid_t pid = 1, int attempt = 1) {
        return enters_by(claim(), id, where, pid, attempt);
    }
    limits_teller& enters_by(std::uint64_t fence, const std::string& id, const std::string& where,
                             pid_t pid = 1, int attempt = 1) {
        says("started", id, attempt, fence, pid).says("enters:" + id, where, 1, fence, pid);
        fences[{pid, id}] = fence;
        return *this;
    }
    limits_teller& leaves(const std::string& id, const std::string& where, pid_t pid = 1,
                          const std::string& verdict = "success") {
        says("leaves:" + id, where, 1, fences[{pid, id}], pid);
        if (!verdict.empty()) says(verdict, id, 0, 0, pid);
        return *this;
    }
    limits_teller& sets(int change, int most) {
        return says("sets", "shared", change, static_cast<std::uint64_t>(most));
    }
    limits_teller& set(int change, int most) {
        return says("set", "shared", change, static_cast<std::uint64_t>(most));
    }
    judgement judged() const {
        judgement found;
        check_limits(lines, ended, happened, lateness{lines, happened}, found);
        return found;
    }
    std::map<std::string, std::size_t> violated() const { return judged().violated; }

    std::map<std::pair<pid_t, std::string>, std::uint64_t> fences{};
};

using broken_limits = std::map<std::string, std::size_t>;

limits_teller two_of_one_key(const std::string& first_verdict, pid_t second_by = 2) {
    limits_teller tells;
    tells.accepts("a", "keyed/1").accepts("b", "keyed/1").after(10).enters("a", "keyed/1");
    tells.after(10).enters("b", "keyed/1", second_by).after(10).leaves("a", "keyed/1", 1, first_verdict);
    return tells.after(10).leaves("b", "keyed/1", second_by);
}

// So many starts at this pace.
limits_teller starts_at(std::int64_t pace_ms, int count) {
    limits_teller tells;
    for (int at = 0; at < count; ++at) {
        const auto id = "r" + std::to_string(at);
        tells.enters(id, "rate").leaves(id, "rate").after(pace_ms);
    }
    return tells;
}

}  // namespace

TEST_CASE("tasks that kept within their limits have nothing against them") {
    limits_teller tells;
    tells.accepts("a", "keyed/1").accepts("b", "keyed/1").accepts("c", "keyed/2").after(10);
    tells.enters("a", "keyed/1").enters("c", "keyed/2", 2).after(20).leaves("a", "keyed/1");
    tells.enters("b", "keyed/1", 2).after(20).leaves("b", "keyed/1", 2).leaves("c", "keyed/2", 2);
    const auto found = tells.judged();
    CHECK(found.violated.empty());
    CHECK(found.limited_starts == 3);
    CHECK(found.limited_held == 3);
    CHECK(found.limits_full == 3);
}

TEST_CASE("more attempts at once than a limit allows are told, when none of them had lost its claim") {
    CHECK(two_of_one_key("success").violated() == broken_limits{{"limit_exceeded", 1}});
    // A retry gives its places back, too.
    CHECK(two_of_one_key("retry").violated() == broken_limits{{"limit_exceeded", 1}});
}

TEST_CASE("what is limited at run time alone counts over all shards, each with claims of its own") {
    limits_teller tells;
    tells.happened.shards = 3;
    const auto enter = [&](int number, std::uint64_t shard) {
        const auto id = "s" + std::to_string(number);
        tells.after(1).enters_by(3 * tells.claim() + shard, id, "spread", static_cast<pid_t>(number));
    };
    for (int at = 1; at <= most_of_spread; ++at) enter(at, static_cast<std::uint64_t>(at % 3));
    const int more = GENERATE(0, 1);
    if (more > 0) enter(most_of_spread + 1, 0);
    for (int at = 1; at <= most_of_spread + more; ++at)
        tells.after(1).leaves("s" + std::to_string(at), "spread", static_cast<pid_t>(at));
    CHECK(tells.violated() == (more > 0 ? broken_limits{{"limit_exceeded", 1}} : broken_limits{}));
}

TEST_CASE("an attempt that lost its claim, or was not heard of again, proves nothing of its limit") {
    CHECK(two_of_one_key("refused").violated().empty());
    CHECK(two_of_one_key("").violated().empty());
    CHECK(two_of_one_key("given_back").violated().empty());
    // The first attempt of this worker was lost, and its second one was taken.
    auto tells = two_of_one_key("");
    tells.after(10).enters("a", "keyed/1", 1, 2).after(10).leaves("a", "keyed/1");
    CHECK(tells.violated().empty());
}

TEST_CASE("what was under way when the shared limit was lowered may end, and nothing more starts") {
    limits_teller tells;
    tells.enters("a", "shared").enters("b", "shared").after(1000).sets(1, 1).set(1, 1).after(1000);
    SECTION("two go on") { tells.leaves("a", "shared").leaves("b", "shared"); }
    SECTION("one starts when both have ended") {
        tells.leaves("a", "shared").leaves("b", "shared").enters("c", "shared").leaves("c", "shared");
    }
    CHECK(tells.violated().empty());
}

TEST_CASE("a start through a limit that was lowered or closed is told") {
    limits_teller tells;
    tells.enters("a", "shared").after(1000).sets(1, 1).set(1, 1).after(1000);
    SECTION("lowered") {
        tells.enters("b", "shared", 2).after(10).leaves("a", "shared").leaves("b", "shared", 2);
    }
    SECTION("closed") {
        tells.leaves("a", "shared")
            .sets(2, 0)
            .set(2, 0)
            .after(1000)
            .enters("b", "both/1")
            .leaves("b", "both/1");
    }
    CHECK(tells.violated() == broken_limits{{"limit_exceeded", 1}});
}

TEST_CASE("a change of the shared limit that was not answered may be carried out at any time") {
    limits_teller tells;
    tells.sets(1, 0).set(1, 0).after(1000).sets(2, 4).after(60'000);
    tells.enters("a", "shared").enters("b", "shared").leaves("a", "shared").leaves("b", "shared");
    CHECK(tells.violated().empty());
}

TEST_CASE("what was claimed before a change is not held to it") {
    limits_teller tells;
    const auto before = tells.claim();
    tells.after(500).sets(1, 0).set(1, 0).after(500).enters_by(before, "a", "shared").leaves("a", "shared");
    CHECK(tells.violated().empty());
}

TEST_CASE("more starts in a second of the store's clock than a rate allows are told") {
    CHECK(starts_at(50, 60).violated().empty());
    CHECK(starts_at(40, 21).violated() == broken_limits{{"rate_exceeded", 1}});
}

TEST_CASE("starts that a worker was slow to begin are judged by the time of their claim") {
    limits_teller tells;
    const auto first = tells.claim();
    tells.after(2000);
    for (std::uint64_t at = 0; at < 21; ++at)
        tells.enters_by(first + at * 50'000, "r" + std::to_string(at), "rate");
    CHECK(tells.violated().empty());
}

TEST_CASE("no rate is judged over a moment at which the store's clock was set back") {
    auto tells = starts_at(50, 20);
    // Numbers of claims only count on until the clock has caught up.
    auto fence = tells.fences.at({1, "r19"});
    SECTION("just after a claim") {}
    SECTION("long after the last claim") { tells.after(900); }
    tells.happened.jumps.push_back({tells.now, -5000});
    for (int at = 0; at < 10; ++at) tells.after(50).enters_by(++fence, "s" + std::to_string(at), "rate");
    CHECK(tells.violated().empty());
}

TEST_CASE("a rate is judged again once a store's clock that was set back has caught up") {
    auto tells = starts_at(50, 20);
    tells.happened.jumps.push_back({tells.now, -500});
    tells.after(3000);
    const auto first = tells.claim();
    for (std::uint64_t at = 0; at < 21; ++at)
        tells.enters_by(first + at * 45'000, "s" + std::to_string(at), "rate");
    CHECK(tells.violated() == broken_limits{{"rate_exceeded", 1}});
}

TEST_CASE("tasks of one key and one producer start in the order of their submission") {
    limits_teller tells;
    tells.accepts("a", "both/1").accepts("b", "both/1");
    SECTION("of two producers nothing is known") {
        tells.accepts("c", "both/1", 8);
        tells.enters("c", "both/1").after(10).leaves("c", "both/1").enters("a", "both/1");
        tells.after(10).leaves("a", "both/1").enters("b", "both/1").after(10).leaves("b", "both/1");
        CHECK(tells.violated().empty());
    }
    SECTION("the second one first") {
        tells.enters("b", "both/1").after(10).leaves("b", "both/1").enters("a", "both/1");
        CHECK(tells.violated() == broken_limits{{"out_of_order", 1}});
    }
    SECTION("the first one had lost an attempt") {
        tells.enters("b", "both/1").after(10).leaves("b", "both/1").enters("a", "both/1", 1, 2);
        CHECK(tells.violated().empty());
    }
}

TEST_CASE("a task that waits although nothing stirs under its limit, and a worker has room, is held back") {
    limits_teller tells;
    tells.says("up", "-").accepts("a", "keyed/1").after(10);
    SECTION("for too long") {
        tells.after(starts_within + 100).enters("a", "keyed/1");
        CHECK(tells.violated() == broken_limits{{"held_back", 1}});
    }
    SECTION("to the end") {
        tells.after(starts_within + 100).says("up", "-", 0, 0, 2);
        CHECK(tells.violated() == broken_limits{{"held_back", 1}});
    }
    SECTION("behind others") {
        tells.after(4000).enters("b", "keyed/1").leaves("b", "keyed/1").after(4000).enters("a", "keyed/1");
        CHECK(tells.violated().empty());
    }
    SECTION("others of another key do not count") {
        tells.after(4000).enters("b", "keyed/2").leaves("b", "keyed/2").after(4000).enters("a", "keyed/1");
        CHECK(tells.violated() == broken_limits{{"held_back", 1}});
    }
    SECTION("cancelled") {
        tells.after(100).says("cancelled", "a").after(starts_within).says("up", "-", 0, 0, 2);
        CHECK(tells.violated().empty());
    }
}

TEST_CASE("a task may wait for as long as its limit is closed") {
    limits_teller tells;
    tells.says("up", "-").sets(1, 0).set(1, 0).accepts("a", "shared");
    tells.after(starts_within + 100).sets(2, 4).set(2, 4).after(10).enters("a", "shared");
    CHECK(tells.violated().empty());
}

TEST_CASE("a limit under which something runs or waits when all has ended has lost count") {
    limits_teller tells;
    tells.happened.limits_held.push_back({.name = "handler:a", .running = 1});
    CHECK(tells.violated() == broken_limits{{"limit_held", 1}});
}

TEST_CASE("of limits that were lost with all the store kept nothing is said") {
    auto tells = two_of_one_key("success");
    tells.happened.emptyings.push_back(10'005);
    CHECK(tells.violated().empty());
}
