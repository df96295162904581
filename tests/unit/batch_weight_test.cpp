// Plans that are too much for one step of the store.
#include "client/batch_weight.hpp"

#include <catch2/catch_test_macros.hpp>

#include <cstddef>
#include <vector>

using namespace errand;

namespace {

// How many tasks each step has, in the order in which they are submitted.
std::vector<std::size_t> steps_of(const std::vector<std::size_t>& dependencies) {
    std::vector<std::size_t> all;
    for (auto to = dependencies.size(); to > 0;) {
        const auto from = begin_of_step(dependencies, to);
        REQUIRE(from < to);
        all.push_back(to - from);
        to = from;
    }
    return all;
}

}  // namespace

TEST_CASE("what a plan submits in one step is bounded by tasks and by dependencies") {
    CHECK(steps_of(std::vector<std::size_t>(500, 0)) == std::vector<std::size_t>{500});
    CHECK(steps_of(std::vector<std::size_t>(1001, 0)) == std::vector<std::size_t>{500, 500, 1});
    // 1 + 10 * 100 each, of 20,000.
    CHECK(steps_of(std::vector<std::size_t>(40, 100)) == std::vector<std::size_t>{19, 19, 2});
    CHECK(steps_of({0, 100, 0}) == std::vector<std::size_t>{3});
}

TEST_CASE("a task of a plan with more dependencies than a call takes is the first of its step") {
    CHECK(steps_of({0, 101, 0, 0}) == std::vector<std::size_t>{3, 1});
    CHECK(steps_of({101, 101}) == std::vector<std::size_t>{1, 1});
    // Too heavy for any step, it has one of its own.
    CHECK(steps_of({0, 5000, 0}) == std::vector<std::size_t>{1, 1, 1});
}
