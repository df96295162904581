// Dependencies that would close a cycle are refused, however long it is.
#include "conformance/depend_bench.hpp"

#include <catch2/catch_test_macros.hpp>
#include <catch2/matchers/catch_matchers_exception.hpp>
#include <catch2/matchers/catch_matchers_string.hpp>

#include <algorithm>
#include <set>

using namespace std::chrono_literals;
using namespace depend_test;
using Catch::Matchers::ContainsSubstring;
using Catch::Matchers::MessageMatches;
using errand::state;
using errand::test::eventually;
using errand::test::keeps_no;

TEST_CASE("a cycle is refused, naming the tasks on it", "[depend]") {
    bench t{queues({"one", "two"})};
    t.submit("a", in("one", {t.ref("b")}));
    t.submit("b", in("two", {t.ref("c")}));
    CHECK_THROWS_MATCHES(t.submit("c", in("one", {t.ref("a")})), errand::dependency_cycle,
                         MessageMatches(ContainsSubstring("\"a\"") && ContainsSubstring("\"b\"") &&
                                        ContainsSubstring("\"c\"")));
    CHECK_THROWS_AS(t.submit("self", {.after = {t.ref("self")}}), errand::dependency_cycle);
    // It left no trace, and a submission without the edge goes through.
    CHECK_FALSE(t.run(t.app.find(t.ref("c").id())));
    t.start();
    t.submit("c", in("one"));
    eventually([&] { return t.lines() == std::vector<std::string>{"c", "b", "a"}; });
}

TEST_CASE("a cycle through a task that failed is refused as well", "[depend]") {
    bench t;
    broken = true;
    t.start();
    auto a = t.submit("a", {}, true);
    t.ends_as(a, state::dead);
    auto x = t.submit("x", {.after = {t.ref("a")}, .on_failed_dependency = errand::wait});
    CHECK_THROWS_AS(t.submit("a", {.after = {x}}), errand::dependency_cycle);
    auto b = t.submit("b", {.after = {a}});
    t.ends_as(b, state::cancelled);
    auto c = t.submit("c", {.after = {b}, .on_failed_dependency = errand::wait});
    CHECK_THROWS_AS(t.submit("a", {.after = {c}}), errand::dependency_cycle);
    CHECK_THROWS_AS(t.submit("a", {.after = {b}, .on_failed_dependency = errand::wait}),
                    errand::dependency_cycle);
    broken = false;
    t.submit("a");
    CHECK(t.wait(x) == "x!");
    CHECK(t.wait(c) == "c!");
}

TEST_CASE("a cycle among the submissions of one transaction rolls all of it back", "[depend]") {
    bench t;
    CHECK_THROWS_AS(
        t.run(errand::transaction(t.app,
                                  [&]() -> errand::awaitable<void> {
                                      auto steps = t.app.handler<step>();
                                      co_await steps.perform_async("z", false);
                                      co_await steps.with({.after = {t.ref("y")}}).perform_async("x", false);
                                      co_await steps.with({.after = {t.ref("x")}}).perform_async("y", false);
                                  })),
        errand::dependency_cycle);
    for (const auto* name : {"x", "y", "z"}) CHECK_FALSE(t.run(t.app.find(t.ref(name).id())));
}

TEST_CASE("tasks of one transaction may depend on each other by handle", "[depend]") {
    bench t;
    t.start();
    std::optional<step_handle> last;
    t.run(errand::transaction(t.app, [&]() -> errand::awaitable<void> {
        auto steps = t.app.handler<step>();
        auto a = co_await steps.perform_async("a", false);
        auto b = co_await steps.with({.after = {a}}).perform_async("b", false);
        last = co_await steps.with({.after = {b, a}}).perform_async("c", false);
    }));
    CHECK(t.wait(*last) == "c!");
    CHECK(t.lines() == std::vector<std::string>{"a", "b", "c"});
}

TEST_CASE("a long way round is found to be a cycle as well", "[depend]") {
    bench t;
    constexpr int length = 1500;
    for (int i = 0; i < length; ++i) {
        t.submit("n" + std::to_string(i), {.after = {t.ref("n" + std::to_string(i + 1))}});
    }
    CHECK_THROWS_MATCHES(t.submit("n" + std::to_string(length), {.after = {t.ref("n0")}}),
                         errand::dependency_cycle,
                         MessageMatches(ContainsSubstring("\"n0\"") && ContainsSubstring("more")));
    CHECK_FALSE(t.run(t.app.find(t.ref("n1500").id())));
    t.start();
    t.submit("n" + std::to_string(length));
    eventually([&] { return t.lines().size() == length + 1; });
    CHECK(t.lines().back() == "n0");
}
