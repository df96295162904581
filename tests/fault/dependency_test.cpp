// Tasks that depend on others, submitted in every order by several processes while workers, submitters and Redis are
// killed at random. A ledger outside of Redis says whether each ran after those it depends on.
//
// As many orders and kills as one has time for (300 s: 51,000 pairs, some 700 kills; a graph of 51,000 tasks):
//   ERRAND_FAULT_SECONDS=300 build/test/tests/errand_fault_tests "[dependency]"
#include "fault/site.hpp"

#include <catch2/catch_test_macros.hpp>

#include <algorithm>
#include <thread>

using namespace fault_test;
using errand::state;
using errand::test::holds_within;

namespace {

constexpr std::size_t each_second = 170;

std::size_t how_many() { return each_second * static_cast<std::size_t>(seconds_of_fire()); }

}  // namespace

TEST_CASE("tasks run after those they depend on, whichever is submitted first and whatever is killed",
          "[dependency][any_store]") {
    dice random{std::random_device{}()};
    const std::chrono::seconds length{seconds_of_fire()};
    site building{make_pairs(how_many(), length, random), {}};
    building.burn(length, {}, random);
    const auto found = building.audit();
    building.print("pairs in every order", found);
    CHECK(found.wrong() == 0);
    CHECK(found.edges >= how_many());
}

TEST_CASE("the tasks of a random graph run after all their parents, whatever is killed",
          "[dependency][any_store]") {
    dice random{std::random_device{}()};
    const std::chrono::seconds length{seconds_of_fire()};
    site building{make_graph(how_many(), length, random), {.append_only = true}};
    building.burn(length, {.redis_restarts = 2 + seconds_of_fire() / 30}, random);
    const auto found = building.audit();
    building.print("a random graph", found);
    CHECK(found.wrong() == 0);
}

TEST_CASE("what fails takes along what depends on it, and what is revived brings it back, whatever is killed",
          "[dependency][any_store]") {
    dice random{std::random_device{}()};
    const std::chrono::seconds length{std::max(4, seconds_of_fire() / 4)};
    const auto families = 40 * static_cast<std::size_t>(length.count());
    site building{make_families(families, length, random), {}};
    building.burn(length, {}, random);
    CHECK(holds_within(patience, [&] { return building.count(state::cancelled) == 4 * families; }));
    CHECK(building.count(state::dead) == families);
    CHECK(holds_within(patience, [&] { return building.count(state::success) == families; }));
    std::size_t refused = 0;
    std::thread mending{[&] { refused = building.mend(length); }};
    building.burn(length, {}, random);
    mending.join();
    CHECK(refused == 0);
    CHECK(holds_within(patience, [&] { return building.count(state::success) == 6 * families; }));
    const auto found = building.audit();
    building.print("families of a broken one", found);
    CHECK(found.wrong() == 0);
}

TEST_CASE("tasks that are submitted without what they depend on run too early, and the ledger shows it") {
    dice random{std::random_device{}()};
    site building{make_pairs(100, 1s, random), {}, false};
    building.burn(1s, {}, random);
    const auto found = building.audit();
    CHECK(found.too_early > 10);
    CHECK(found.wrong() == found.too_early);
}
