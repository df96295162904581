// Queues that come and go: their counters go when nothing happens in them any more.
#include "support/sqlite_backing.hpp"
#include "support/store_fixture.hpp"

#include <catch2/catch_test_macros.hpp>
#include <catch2/generators/catch_generators.hpp>

#include <algorithm>

using namespace errand;
using namespace errand::test;
using namespace std::chrono_literals;

namespace {

struct quiet_file : store_fixture {
    explicit quiet_file(bool in_memory) : store_fixture{std::make_unique<sqlite_backing>(in_memory)} {}

    void advance(duration by) { static_cast<sqlite_backing&>(*behind).advance(by); }
    // Runs one task of it, which leaves so much.
    void run_one(member& by, const std::string& queue, duration retention) {
        submit(by, item_of("x", queue));
        const auto got = claim(by, 1, {queue}).claimed;
        REQUIRE(got.size() == 1);
        finish(by, {success_of(got[0], retention)});
    }
    // As a worker and its janitor would.
    void live(member& by, duration length, const std::vector<std::string>& queues) {
        for (duration passed{}; passed < length; passed += 5min) {
            advance(5min);
            await(io, by->beat("{}", 10s, queues));
            while (await(io, by->clean(100)) > 0) {
            }
        }
    }
    std::vector<std::string> names(member& by) {
        std::vector<std::string> all;
        for (const auto& one : await(io, by->overview()).queues) all.push_back(one.queue);
        return all;
    }
};

}  // namespace

TEST_CASE("the counters of a queue go when it is empty, nobody serves it and nothing happened for long",
          "[sqlite]") {
    quiet_file here{GENERATE(false, true)};
    auto worker = here.join("w");
    // More than are looked at in one step.
    for (int i = 0; i < 600; ++i) here.run_one(worker, "customer " + std::to_string(i), 0s);
    here.run_one(worker, "history", 24h);
    here.run_one(worker, "served", 0s);
    here.run_one(worker, "paused", 0s);
    await(here.io, worker->pause("paused"));
    const auto waits = item_of("x", "ready");
    here.submit(worker, waits);
    here.submit(worker, item_of("x", "working"));
    const auto held = here.claim(worker, 1, {"working"}, 10h).claimed;
    REQUIRE(held.size() == 1);
    await(here.io, worker->beat("{}", 10s, std::vector<std::string>{"served"}));
    const auto count = here.names(worker).size();

    here.live(worker, 15min, {"served"});
    CHECK(here.names(worker).size() == count);
    here.run_one(worker, "customer 7", 0s);
    here.live(worker, 25min, {"served"});
    CHECK(here.names(worker) ==
          std::vector<std::string>{"customer 7", "history", "paused", "ready", "served", "working"});
    here.live(worker, 20min, {"served"});
    CHECK(here.names(worker) == std::vector<std::string>{"history", "paused", "ready", "served", "working"});

    // What comes back begins anew, and all else is as it was.
    auto other = here.join("other");
    here.run_one(other, "customer 8", 0s);
    CHECK(await(here.io, worker->happened(0)).so_far.at("customer 8").success == 1);
    CHECK(await(here.io, worker->happened(0)).so_far.at("history").success == 1);
    CHECK(here.finish(worker, {success_of(held[0])}) == std::vector{report_verdict::accepted});
    CHECK(here.claim(worker, 1, {"ready"}).claimed.size() == 1);
    const auto checks = worker->audit(false);
    for (auto step = await(here.io, checks->next());; step = await(here.io, checks->next())) {
        CHECK(step.findings.empty());
        if (!step.more) break;
    }
}
