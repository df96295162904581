// What is set at run time, what is seen, and what is refused.
#include "limits/handlers.hpp"
#include "support/await.hpp"
#include "support/redis_server.hpp"
#include "support/shards.hpp"
#include "support/store_kind.hpp"

#include <catch2/catch_test_macros.hpp>
#include <catch2/matchers/catch_matchers_string.hpp>

using namespace limits_test;
using Catch::Matchers::ContainsSubstring;
using errand::test::eventually;

TEST_CASE("a limit that is set at run time goes before the declared one until it is cleared") {
    bench t;
    t.start();
    t.run(t.app.set_limit("crm-api", {.max_running = 0}));
    std::vector<errand::handle<void>> handles;
    for (int i = 0; i < 6; ++i) handles.push_back(t.run(t.app.handler<read_crm>().perform_async()));
    eventually([&] { return t.limit("crm-api").waiting == 6; });
    CHECK(t.limit("crm-api").rule().max_running == 0);
    CHECK(t.info(handles[0]).state == state::ready);
    CHECK(t.info(handles[0]).blocked_by == std::vector<std::string>{"crm-api: 0 of 0 running"});
    t.run(t.app.set_limit("crm-api", {.max_running = 3}));
    eventually([&] { return t.in.now("crm") == 3; });
    CHECK(t.limit("crm-api").running == 3);
    // What runs goes on.
    t.run(t.app.clear_limit("crm-api"));
    const auto seen = t.limit("crm-api");
    CHECK(seen.set == std::nullopt);
    CHECK(seen.declared == crm.rule());
    CHECK(t.in.now("crm") == 3);
    t.in.release = true;
    t.all_end(handles);
    CHECK(t.in.most_at_once("crm") == 3);
}

TEST_CASE("a limit that is opened lets all go on") {
    bench t;
    t.start();
    std::vector<errand::handle<void>> handles;
    for (int i = 0; i < 4; ++i) handles.push_back(t.run(t.app.handler<single>().perform_async()));
    eventually([&] { return t.in.now("single") == 1; });
    CHECK(t.info(handles[3]).blocked_by == std::vector<std::string>{"handler:single: 1 of 1 running"});
    t.run(t.app.set_limit("handler:single", {}));
    eventually([&] { return t.in.now("single") == 4; });
    t.in.release = true;
    t.all_end(handles);
}

TEST_CASE("what was set outlives the worker that declares", "[shared_by_apps]") {
    bench t;
    t.run(t.app.set_limit("crm-api", {.max_running = 1}));
    t.start();
    CHECK(t.limit("crm-api").rule().max_running == 1);
    t.stop();
    bench other{t.app.settings()};
    other.start();
    CHECK(other.limit("crm-api").rule().max_running == 1);
    CHECK(other.limit("crm-api").declared == crm.rule());
}

TEST_CASE("all limits are listed by name") {
    bench t;
    t.start();
    std::vector<std::string> names;
    for (const auto& one : t.run(t.app.limits())) names.push_back(one.name);
    CHECK(names == std::vector<std::string>{"crm-api", "handler:impatient", "handler:moody", "handler:nest",
                                            "handler:nightly", "handler:pair_of", "handler:post",
                                            "handler:single", "handler:visit", "slow-api"});
    CHECK(t.limit("handler:post").declared == errand::limit_rule{.rate = errand::per_second(5)});
}

TEST_CASE("a limit that nobody declares is refused with the nearest one") {
    bench t;
    CHECK_THROWS_WITH(
        t.run(t.app.set_limit("crm_api", {.max_running = 1})),
        ContainsSubstring("\"crm_api\": there is none of that name; the nearest is \"crm-api\""));
    CHECK_THROWS_AS(t.run(t.app.clear_limit("handler:singel")), errand::usage_error);
    CHECK_THROWS_WITH(t.run(t.app.set_limit("crm-api", {.max_running = -1})),
                      ContainsSubstring(".max_running = -1: must be 0.."));
    CHECK_THROWS_WITH(t.run(t.app.set_limit("crm-api", {.rate = errand::per_second(0)})),
                      ContainsSubstring(".rate.count = 0: must be 1.."));
}

TEST_CASE("a Redis that was emptied hears of the limits again", "[goes_away]") {
    errand::test::redis_server server{};
    auto settings = errand::test::fresh_settings();
    settings.store = server.url();
    bench t{settings};
    t.start();
    server.command({"FLUSHALL"});
    t.wait(t.run(t.app.handler<moody>().perform_async("is well")));
    eventually([&] { return t.limit("crm-api").declared == crm.rule(); });
    CHECK(t.limit("handler:single").declared == errand::limit_rule{.max_running = 1});
}

TEST_CASE("a worker that declares limits otherwise than they were says so, and they are in force",
          "[concurrent]") {
    std::mutex guard;
    std::vector<std::string> said;
    bench t;
    boost::asio::io_context io{1};
    auto older = errand::test::opened_store(io, t.app, "older");
    const std::vector<errand::named_limit> before{
        {"handler:single", {.max_running = 3}},
        {"handler:foreman", {.max_running = 7, .rate = errand::rate_limit{5, 1s, 2}}},
        {"crm-api", crm.rule()}};
    errand::test::await(io, older->declare_limits(before));
    t.app.on_event([&](const errand::event& what) {
        if (what.kind != errand::event_kind::limit_differs) return;
        std::lock_guard lock{guard};
        said.push_back(what.text);
    });
    t.start();
    std::lock_guard lock{guard};
    std::ranges::sort(said);
    CHECK(said == std::vector<std::string>{
                      "handler:foreman: nothing, before 7 at once, 5 starts in 1 s in bursts of 2",
                      "handler:single: 1 at once, before 3 at once"});
    CHECK(t.limit("handler:single").rule().max_running == 1);
}
