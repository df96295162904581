#include "core/queue_choice.hpp"

#include <catch2/catch_test_macros.hpp>

#include <algorithm>
#include <random>

using errand::queue_choice;

namespace {

std::function<double()> draws_of(unsigned seed) {
    return [engine = std::mt19937{seed}]() mutable {
        return std::uniform_real_distribution<double>{0, 1}(engine);
    };
}

}  // namespace

TEST_CASE("strict queues stand by falling weight, equal ones by name") {
    const queue_choice choice{{{"low", 1}, {"b", 5}, {"a", 5}, {"high", 9}}, true};
    CHECK(choice.order(draws_of(1)) == std::vector<std::string>{"high", "a", "b", "low"});
}

TEST_CASE("every order holds every queue once") {
    const queue_choice choice{{{"a", 1}, {"b", 10}, {"c", 100}}, false};
    auto random = draws_of(2);
    for (int round = 0; round < 100; ++round) {
        auto order = choice.order(random);
        std::ranges::sort(order);
        CHECK(order == std::vector<std::string>{"a", "b", "c"});
    }
}

TEST_CASE("the first place is drawn by weight") {
    const queue_choice choice{{{"mail", 3}, {"default", 1}}, false};
    auto random = draws_of(3);
    int mail = 0;
    constexpr int rounds = 10'000;
    for (int round = 0; round < rounds; ++round) mail += choice.order(random).front() == "mail";
    CHECK(mail > rounds * 72 / 100);
    CHECK(mail < rounds * 78 / 100);
}

TEST_CASE("draws at either end of their range order queues as well") {
    const queue_choice choice{{{"a", 1}, {"b", 1000}}, false};
    CHECK(choice.order([] { return 0.0; }).size() == 2);
    CHECK(choice.order([] { return 0.9999999999999999; }).size() == 2);
}
