// A check that cannot fail is worth nothing: wrong ledgers, made by hand, must be found wrong.
#include "fault/ledger.hpp"

#include <catch2/catch_test_macros.hpp>

using namespace fault_test;

namespace {

// b depends on a; each was done by one attempt.
const accepted_tasks a_then_b{.tasks = {"a", "b"}, .edges = {{"b", "a"}}, .results = {{"a", 1}, {"b", 2}}};

std::vector<entry> good_lines() {
    return {{"started", "a", 1, 1, 7}, {"ended", "a", 1, 1, 7}, {"success", "a", 0, 0, 7},
            {"started", "b", 1, 2, 8}, {"ended", "b", 1, 2, 8}, {"success", "b", 0, 0, 8}};
}

}  // namespace

TEST_CASE("a ledger in which everything is in order is found right") {
    const auto found = judge(a_then_b, good_lines());
    CHECK(found.wrong() == 0);
    CHECK(found.edges == 1);
    CHECK(found.executions == 2);
}

TEST_CASE("a ledger is right when a killed attempt was repeated before the next task began") {
    auto lines = good_lines();
    lines.insert(lines.begin(), {"started", "a", 1, 0, 6});
    CHECK(judge(a_then_b, lines).wrong() == 0);
}

TEST_CASE("a child that started before its parent's result stood is found") {
    auto lines = good_lines();
    std::swap(lines[1], lines[3]);
    CHECK(judge(a_then_b, lines).too_early == 1);

    // The end that the child waited for was that of an attempt whose report was refused.
    auto refused = a_then_b;
    refused.results["a"] = 3;
    auto later = good_lines();
    later.push_back({"ended", "a", 2, 3, 9});
    CHECK(judge(refused, later).too_early == 1);
}

TEST_CASE("a child that ran although its parent never ended is found") {
    auto lines = good_lines();
    lines.erase(lines.begin() + 1);
    const auto found = judge(a_then_b, lines);
    CHECK(found.too_early == 1);
    CHECK(found.unfounded == 1);
}

TEST_CASE("a task without a result is found") {
    auto waits = a_then_b;
    waits.results.erase("b");
    CHECK(judge(waits, good_lines()).unfinished == 1);
}

TEST_CASE("a task whose end was accepted twice is found") {
    auto lines = good_lines();
    lines.push_back({"success", "a", 0, 0, 9});
    CHECK(judge(a_then_b, lines).doubled == 1);
}

TEST_CASE("a task that was started again after its end is found") {
    auto lines = good_lines();
    lines.push_back({"started", "a", 2, 5, 9});
    CHECK(judge(a_then_b, lines).again == 1);
}
