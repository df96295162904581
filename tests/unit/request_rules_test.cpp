// How many requests are let through.
#include "core/request_rules.hpp"

#include <catch2/catch_test_macros.hpp>
#include <catch2/generators/catch_generators.hpp>

#include <algorithm>
#include <random>
#include <vector>

using errand::request_count;
using errand::request_entry;
using namespace std::chrono_literals;

namespace {

constexpr std::int64_t asked_first = 1'700'000'000'000'123;  // us

// What a store keeps.
struct kept_requests {
    request_count rule;
    std::vector<request_entry> kept{};

    errand::request_answer ask(std::int64_t now) {
        std::erase_if(kept, [&](const request_entry& one) { return is_over(one, rule, now); });
        const auto got = count_request(kept, rule, now);
        if (got.mark == 0) return got;
        const auto at = std::ranges::lower_bound(kept, got.mark, {}, &request_entry::till);
        if (at != kept.end() && at->till == got.mark) {
            ++at->times;
        } else {
            kept.insert(at, {.till = got.mark, .times = 1});
        }
        return got;
    }
    bool passes(std::int64_t now) { return ask(now).mark != 0; }
};

}  // namespace

TEST_CASE(
    "as many requests pass as the rule says, and the next one when the first of them is no longer in that time") {
    kept_requests t{{.name = "a", .most = 3, .per = 1s}};
    CHECK(t.passes(asked_first));
    CHECK(t.passes(asked_first + 400'000));
    CHECK(t.passes(asked_first + 500'000));
    const auto refused = t.ask(asked_first + 600'000);
    CHECK(refused.mark == 0);
    CHECK(refused.opens_in == 400'000);
    CHECK_FALSE(t.passes(asked_first + 999'999));
    CHECK(t.passes(asked_first + 1'000'000));
    CHECK_FALSE(t.passes(asked_first + 1'399'999));
    CHECK(t.passes(asked_first + 1'400'000));
}

TEST_CASE("in no time that is as long as the rule says are there more requests than it says") {
    const auto most = GENERATE(1, 7, 128, 129, 1000);
    INFO(most);
    kept_requests t{{.name = "a", .most = most, .per = 100ms}};
    std::mt19937_64 random{20'261'126};
    std::uniform_int_distribution<std::int64_t> pause{0, 2 * 100'000 / most};
    std::vector<std::int64_t> passed;
    std::size_t refused = 0;
    for (auto now = asked_first; passed.size() < 5'000; now += pause(random)) {
        const auto got = t.ask(now);
        if (got.mark != 0) {
            passed.push_back(now);
            continue;
        }
        ++refused;
        REQUIRE(got.opens_in > 0);
        // What it says holds: one us earlier there is no room yet.
        auto later = t;
        CHECK_FALSE(later.passes(now + got.opens_in - 1));
        CHECK(later.passes(now + got.opens_in));
    }
    CHECK(refused > 0);
    for (std::size_t at = static_cast<std::size_t>(most); at < passed.size(); ++at)
        REQUIRE(passed[at] - passed[at - static_cast<std::size_t>(most)] >= 100'000);
    CHECK(std::ssize(t.kept) <= errand::most_request_entries + 2);
}

TEST_CASE("who always asks is let through nearly as often as the rule says") {
    kept_requests t{{.name = "a", .most = 1000, .per = 100ms}};
    int passed = 0;
    for (std::int64_t at = 0; at < 1'000'000; at += 20) passed += t.passes(asked_first + at) ? 1 : 0;
    CHECK(passed >= 9'900);
    CHECK(passed <= 10'000);
}

TEST_CASE("requests of a clock that was set back by more than that time do not count") {
    kept_requests t{{.name = "a", .most = 1, .per = 1s}};
    CHECK(t.passes(asked_first));
    CHECK_FALSE(t.passes(asked_first - 1'000'000));
    CHECK(t.passes(asked_first - 1'000'001));
}
