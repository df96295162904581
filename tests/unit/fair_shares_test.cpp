#include "core/fair_shares.hpp"

#include <catch2/catch_test_macros.hpp>

#include <algorithm>
#include <random>

using namespace errand;

namespace {

// Tenants with so much to do each: one claim of a worker with so many free slots.
class tenants {
public:
    tenants(const std::vector<int>& weights, std::vector<std::size_t> backlog)
        : shares_{weights}, backlog_{std::move(backlog)}, served_(weights.size()) {}

    // How many slots were used; counts who was asked, and how often.
    std::size_t claim(std::size_t slots) {
        std::size_t used = 0;
        asked_ = 0;
        shares_.give(slots);
        for (auto now = shares_.next(); !now.empty(); now = shares_.next()) {
            for (const auto& share : now) {
                const auto taken = std::min(share.slots, backlog_[share.whose]);
                backlog_[share.whose] -= taken;
                served_[share.whose] += taken;
                used += taken;
                ++asked_;
                shares_.took(share, taken);
            }
        }
        return used;
    }

    std::size_t served(std::size_t whose) const { return served_[whose]; }
    std::size_t asked() const { return asked_; }
    void add(std::size_t whose, std::size_t n) { backlog_[whose] += n; }

private:
    fair_shares shares_;
    std::vector<std::size_t> backlog_, served_;
    std::size_t asked_ = 0;
};

}  // namespace

TEST_CASE("tenants who have enough to do get slots by their weights, whatever the size of a claim") {
    std::mt19937_64 random{3};
    for (const int most : {1, 2, 7, 100}) {
        tenants all{{1, 2, 5}, {1'000'000, 1'000'000, 1'000'000}};
        std::size_t slots = 0;
        while (slots < 8'000) {
            const auto now =
                std::uniform_int_distribution<std::size_t>{1, static_cast<std::size_t>(most)}(random);
            CHECK(all.claim(now) == now);
            slots += now;
        }
        for (const auto& [whose, weight] : {std::pair{0U, 1U}, {1U, 2U}, {2U, 5U}}) {
            CHECK(all.served(whose) + weight >= slots * weight / 8);
            CHECK(all.served(whose) <= slots * weight / 8 + weight);
        }
    }
}

TEST_CASE("a single task waits for one claim at most behind a tenant with a million") {
    tenants all{{1, 1}, {1'000'000, 0}};
    for (int n = 0; n < 100; ++n) {
        CHECK(all.claim(10) == 10);
        all.add(1, 1);
        const auto before = all.served(1);
        all.claim(10);
        CHECK(all.served(1) == before + 1);
    }
    // One slot at a time: it is its turn after the other one's.
    all.add(1, 1);
    const auto before = all.served(1);
    all.claim(1);
    all.claim(1);
    CHECK(all.served(1) == before + 1);
}

TEST_CASE("what a tenant leaves goes to the others, and it saves nothing up") {
    tenants all{{3, 1}, {0, 1'000'000}};
    for (int n = 0; n < 100; ++n) CHECK(all.claim(8) == 8);
    CHECK(all.served(1) == 800);
    all.add(0, 1'000'000);
    for (int n = 0; n < 100; ++n) CHECK(all.claim(8) == 8);
    CHECK(all.served(0) <= 603);
    CHECK(all.served(0) >= 597);
}

TEST_CASE("with nothing to do anywhere each tenant is asked once a claim") {
    tenants none{{1, 2, 3, 4}, {0, 0, 0, 0}};
    for (const std::size_t slots : {1U, 4U, 100U}) {
        CHECK(none.claim(slots) == 0);
        CHECK(none.asked() <= 4);
        CHECK(none.asked() >= 1);
    }
    CHECK(tenants({}, {}).claim(5) == 0);
}
