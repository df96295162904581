// What becomes of a task when one that it depends on fails, is cancelled or begins anew.
#include "conformance/depend_bench.hpp"

#include <catch2/catch_test_macros.hpp>
#include <catch2/matchers/catch_matchers_exception.hpp>
#include <catch2/matchers/catch_matchers_string.hpp>

using namespace std::chrono_literals;
using namespace depend_test;
using Catch::Matchers::ContainsSubstring;
using Catch::Matchers::MessageMatches;
using errand::state;
using errand::test::eventually;

TEST_CASE("who depends on a failed task is cancelled with it, and revived with it", "[depend]") {
    bench t;
    broken = true;
    t.start();
    auto a = t.submit("a", {}, true);
    auto b = t.submit("b", {.after = {a}});
    auto c = t.submit("c", {.after = {b}});
    CHECK_THROWS_MATCHES(t.wait(c), errand::task_failed,
                         MessageMatches(ContainsSubstring(b.id()) && ContainsSubstring("cancelled")));
    CHECK_THROWS_MATCHES(t.wait(b), errand::task_failed,
                         MessageMatches(ContainsSubstring(a.id()) && ContainsSubstring("dead")));
    broken = false;
    CHECK(t.run(a.revive()));
    eventually([&] { return t.state_of(c) == state::success; });
    CHECK(t.lines() == std::vector<std::string>{"a", "b", "c"});
    CHECK(t.info(a).attempt == 1);
    CHECK_FALSE(t.run(a.revive()));
}

TEST_CASE("when revive returns, those that were cancelled because of it can be awaited", "[depend]") {
    bench t;
    broken = true;
    t.start();
    auto a = t.submit("a", {}, true);
    auto other = t.submit("other", {}, true);
    std::vector<step_handle> all;
    for (int i = 0; i < 60; ++i) all.push_back(t.submit("b" + std::to_string(i), {.after = {a}}));
    auto last = t.submit("last", {.after = {all.front(), all.back()}});
    auto of_two = t.submit("of two", {.after = {a, other}});
    t.ends_as(last, state::cancelled);
    eventually([&] { return t.info(of_two).failed_dependencies == 2; });
    t.ends_as(of_two, state::cancelled);
    for (const auto& h : all) t.ends_as(h, state::cancelled);
    // Nobody is there who would tell them.
    t.stop();
    broken = false;
    CHECK(t.run(a.revive()));
    for (const auto& h : all) CHECK(t.state_of(h) == state::waiting);
    CHECK(t.state_of(last) == state::waiting);
    CHECK(t.state_of(of_two) == state::cancelled);
    CHECK_THROWS_AS(t.run(last.result(0s)), errand::timed_out);
    CHECK(t.run(t.app.inspect().revive(other.id())));
    CHECK(t.state_of(of_two) == state::waiting);
    t.start();
    CHECK(t.wait(last) == "last!");
    CHECK(t.wait(of_two) == "of two!");
    eventually([&] { return t.run(t.app.inspect().check()).found == 0; });
}

TEST_CASE("when all that match have been revived, those that were cancelled because of them can be awaited",
          "[depend]") {
    // Over several shards the resolvers may have yet to tell some of them.
    auto settings = errand::test::fresh_settings();
    settings.shards = 1;
    bench t{settings};
    broken = true;
    t.start();
    std::vector<step_handle> parents, all;
    for (int i = 0; i < 60; ++i) {
        const auto n = std::to_string(i);
        parents.push_back(t.submit("a" + n, {}, true));
        all.push_back(t.submit("b" + n, {.after = {parents.back()}}));
    }
    auto of_two = t.submit("of two", {.after = {parents.front(), parents.back()}});
    auto last = t.submit("last", {.after = {all.front(), of_two}});
    for (const auto& h : all) t.ends_as(h, state::cancelled);
    t.ends_as(last, state::cancelled);
    eventually([&] { return t.info(of_two).failed_dependencies == 2; });
    eventually([&] { return t.info(last).failed_dependencies == 2; });
    // Nobody is there who would tell them.
    t.stop();
    broken = false;
    CHECK(t.run(t.app.inspect().repair_all({.state = state::dead}, errand::repair::revive)).changed == 60);
    for (const auto& h : all) CHECK(t.state_of(h) == state::waiting);
    CHECK(t.state_of(of_two) == state::waiting);
    CHECK_THROWS_AS(t.run(last.result(0s)), errand::timed_out);
    t.start();
    CHECK(t.wait(last) == "last!");
    for (const auto& h : all) t.wait(h);
    eventually([&] { return t.run(t.app.inspect().check()).found == 0; });
}

TEST_CASE("a task cancelled because of two is revived when the second one is", "[depend]") {
    bench t;
    broken = true;
    t.start();
    auto a = t.submit("a", {}, true);
    auto b = t.submit("b", {}, true);
    auto c = t.submit("c", {.after = {a, b}});
    t.ends_as(a, state::dead);
    t.ends_as(b, state::dead);
    eventually([&] { return t.info(c).failed_dependencies == 2; });
    // Over several shards it may hear of both while it is registered, and is cancelled a moment later.
    t.ends_as(c, state::cancelled);
    broken = false;
    t.run(a.revive());
    t.ends_as(a, state::success);
    eventually([&] { return t.info(c).failed_dependencies == 1; });
    CHECK(t.state_of(c) == state::cancelled);
    t.run(b.revive());
    t.ends_as(c, state::success);
}

TEST_CASE("a cancelled dependent that is revived by name runs", "[depend]") {
    bench t;
    broken = true;
    t.start();
    auto a = t.submit("a", {}, true);
    auto b = t.submit("b", {.after = {a}});
    t.ends_as(b, state::cancelled);
    CHECK(t.run(b.revive()));
    t.ends_as(b, state::success);
}

TEST_CASE("the rule wait waits for the revived one, and run goes on", "[depend]") {
    bench t;
    broken = true;
    t.start();
    auto a = t.submit("a", {}, true);
    auto waits = t.submit("waits", {.after = {a}, .on_failed_dependency = errand::wait});
    auto runs = t.submit("runs", {.after = {a}, .on_failed_dependency = errand::run});
    CHECK(t.wait(runs) == "runs!");
    eventually([&] { return t.info(waits).failed_dependencies == 1; });
    CHECK(t.state_of(waits) == state::waiting);
    broken = false;
    t.run(a.revive());
    CHECK(t.wait(waits) == "waits!");
}

TEST_CASE("rules hold also for what had failed before the submission", "[depend]") {
    bench t;
    broken = true;
    t.start();
    auto a = t.submit("a", {}, true);
    t.ends_as(a, state::dead);
    auto cancelled = t.submit("cancelled", {.after = {a}});
    auto waits = t.submit("waits", {.after = {a}, .on_failed_dependency = errand::wait});
    auto runs = t.submit("runs", {.after = {a}, .on_failed_dependency = errand::run});
    t.ends_as(cancelled, state::cancelled);
    CHECK(t.wait(runs) == "runs!");
    CHECK(t.state_of(waits) == state::waiting);
    broken = false;
    t.run(a.revive());
    CHECK(t.wait(waits) == "waits!");
    t.ends_as(cancelled, state::success);
}

TEST_CASE("a submission anew fulfils what the failed one did not", "[depend]") {
    bench t;
    broken = true;
    t.start();
    auto a = t.submit("a", {.delay = 20ms}, true);
    auto before = t.submit("before", {.after = {a}, .on_failed_dependency = errand::wait});
    t.ends_as(a, state::dead);
    auto after = t.submit("after", {.after = {a}, .on_failed_dependency = errand::wait});
    broken = false;
    t.submit("a");
    CHECK(t.wait(before) == "before!");
    CHECK(t.wait(after) == "after!");
}
