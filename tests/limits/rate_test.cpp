// How many start in a time. When exactly is shown by the harness, whose clock stands still.
#include "limits/handlers.hpp"

#include <catch2/catch_test_macros.hpp>

#include <algorithm>
#include <cstdint>
#include <string>
#include <vector>

using namespace limits_test;
using errand::test::eventually;

namespace {

using steady = std::chrono::steady_clock;

}  // namespace

TEST_CASE("tasks start no faster than their rate") {
    bench t;
    t.start();
    const auto begin = steady::now();
    std::vector<int> values(8, 0);
    t.all_end(t.run(t.app.handler<call_slowly>().perform_bulk(values)));
    // The first at once, the others 100 ms apart.
    CHECK(steady::now() - begin >= 700ms);
    CHECK(t.in.done("slow") == 8);
}

TEST_CASE("three workers together start no more in a second than a rate allows, by the clock of the store",
          "[shared_by_apps][concurrent]") {
    bench t;
    bench second{t.app.settings()}, third{t.app.settings()};
    for (auto* one : {&t, &second, &third}) one->start();
    constexpr std::size_t tasks = 25;
    t.all_end(t.run(t.app.handler<call_slowly>().perform_bulk(std::vector<int>(tasks, 0))));
    std::vector<std::uint64_t> claims;
    for (auto* one : {&t, &second, &third}) {
        for (const auto& claim : one->in.said()) claims.push_back(std::stoull(claim));
    }
    std::ranges::sort(claims);
    REQUIRE(claims.size() == tasks);
    for (std::size_t at = 10; at < tasks; ++at) CHECK(claims[at] - claims[at - 10] >= 1'000'000);
}

TEST_CASE("each key has a rate of its own") {
    bench t;
    t.start();
    const auto begin = steady::now();
    std::vector<errand::handle<void>> handles;
    for (const auto* sender : {"anna", "bert", "carl"}) {
        for (int i = 0; i < 3; ++i) handles.push_back(t.run(t.app.handler<post>().perform_async(sender)));
    }
    t.all_end(handles);
    CHECK(steady::now() - begin >= 400ms);
    for (const auto* sender : {"anna", "bert", "carl"}) CHECK(t.in.done(sender) == 3);
}

TEST_CASE("a rate that is closed says when it opens") {
    bench t;
    t.start();
    t.run(t.app.set_limit("slow-api",
                          {.rate = errand::rate_limit{.count = 1, .per = std::chrono::hours{1}}}));
    t.wait(t.run(t.app.handler<call_slowly>().perform_async(1)));
    const auto second = t.run(t.app.handler<call_slowly>().perform_async(2));
    eventually([&] { return t.limit("slow-api").waiting == 1; });
    const auto blocked = t.info(second).blocked_by;
    REQUIRE(blocked.size() == 1);
    CHECK(blocked[0].starts_with("slow-api: next start in "));
    CHECK(t.limit("slow-api").opens_at.has_value());
    t.run(t.app.clear_limit("slow-api"));
    t.wait(second);
}
