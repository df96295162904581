#include "core/fair_shares.hpp"

#include <catch2/catch_test_macros.hpp>

#include <algorithm>
#include <random>
#include <utility>
#include <vector>

using namespace errand;

namespace {

// Tenants with so much to do each, served by a worker whose slots become free so many at a time.
class tenants {
public:
    tenants(const std::vector<int>& weights, std::vector<std::size_t> backlog)
        : shares_{weights}, backlog_{std::move(backlog)}, served_(weights.size()) {}

    // How many slots were used; counts the claims that were made for it, and those that found nothing.
    std::size_t free(std::size_t slots) {
        std::size_t used = 0;
        asked_ = 0;
        shares_.give(slots);
        while (shares_.given() > 0) {
            for (std::size_t who = 0; who < shares_.size(); ++who) {
                if (shares_.given(who) > 0) used += claim(who, slots - used);
            }
        }
        return used;
    }

    std::size_t served(std::size_t who) const { return served_[who]; }
    std::size_t asked() const { return asked_; }
    void add(std::size_t who, std::size_t n) {
        backlog_[who] += n;
        if (n > 0) shares_.wants(who, true);
    }

private:
    // As many as it was given; who gets fewer has nothing more to do, and what is left over goes on.
    std::size_t claim(std::size_t who, std::size_t there) {
        const auto some = shares_.given(who);
        const auto got = std::min(some, backlog_[who]);
        shares_.take(who, some);
        backlog_[who] -= got;
        served_[who] += got;
        ++asked_;
        if (got < some) shares_.wants(who, false);
        shares_.give(there - got - shares_.given());
        return got;
    }

    fair_shares shares_;
    std::vector<std::size_t> backlog_, served_;
    std::size_t asked_ = 0;
};

// Whose each slot is, of one after the other.
std::vector<std::size_t> one_by_one(fair_shares& shares, std::size_t count) {
    std::vector<std::size_t> all;
    for (std::size_t n = 0; n < count; ++n) {
        shares.give(1);
        for (std::size_t who = 0; who < shares.size(); ++who) {
            if (shares.given(who) == 0) continue;
            shares.take(who, 1);
            all.push_back(who);
        }
    }
    return all;
}

}  // namespace

TEST_CASE("tenants who have enough to do get slots by their weights, however many are free at once") {
    std::mt19937_64 random{3};
    for (const int most : {1, 2, 7, 100}) {
        tenants all{{1, 2, 5}, {1'000'000, 1'000'000, 1'000'000}};
        std::size_t slots = 0;
        while (slots < 8'000) {
            const auto now =
                std::uniform_int_distribution<std::size_t>{1, static_cast<std::size_t>(most)}(random);
            CHECK(all.free(now) == now);
            slots += now;
        }
        for (const auto& [who, weight] : {std::pair{0U, 1U}, {1U, 2U}, {2U, 5U}}) {
            CHECK(all.served(who) + weight >= slots * weight / 8);
            CHECK(all.served(who) <= slots * weight / 8 + weight);
        }
    }
}

TEST_CASE("slots that become free one by one go round, to each as many in a row as it weighs") {
    fair_shares shares{{3, 1, 2}};
    CHECK(one_by_one(shares, 12) == std::vector<std::size_t>{0, 0, 0, 1, 2, 2, 0, 0, 0, 1, 2, 2});
}

TEST_CASE("weights that have a divisor in common count without it") {
    fair_shares shares{{300, 100}};
    CHECK(one_by_one(shares, 8) == std::vector<std::size_t>{0, 0, 0, 1, 0, 0, 0, 1});
}

TEST_CASE("a single task waits for one turn of the others at most behind a tenant with a million") {
    tenants all{{1, 1}, {1'000'000, 0}};
    for (int n = 0; n < 100; ++n) {
        CHECK(all.free(10) == 10);
        all.add(1, 1);
        const auto before = all.served(1);
        CHECK(all.free(10) == 10);
        CHECK(all.served(1) == before + 1);
    }
    // One slot at a time: it is its turn after the other one's.
    all.add(1, 1);
    const auto before = all.served(1);
    CHECK(all.free(1) == 1);
    CHECK(all.free(1) == 1);
    CHECK(all.served(1) == before + 1);
}

TEST_CASE("what a tenant leaves goes to the others, and it saves nothing up") {
    tenants all{{3, 1}, {0, 1'000'000}};
    for (int n = 0; n < 100; ++n) CHECK(all.free(8) == 8);
    CHECK(all.served(1) == 800);
    all.add(0, 1'000'000);
    for (int n = 0; n < 100; ++n) CHECK(all.free(8) == 8);
    CHECK(all.served(0) <= 603);
    CHECK(all.served(0) >= 597);
}

TEST_CASE("what was given to a tenant that has nothing to do after all is there for the others") {
    fair_shares shares{{5, 1}};
    shares.give(6);
    CHECK(shares.given(0) == 5);
    shares.take(0, 2);
    shares.wants(0, false);
    CHECK(shares.given(0) == 0);
    CHECK(shares.given() == 1);
    shares.give(3);
    CHECK(shares.given(1) == 4);
    CHECK(shares.given() == 4);
}

TEST_CASE("who had nothing to do for a moment waits for its next turn, and then has a whole one") {
    fair_shares shares{{3, 1}};
    CHECK(one_by_one(shares, 1) == std::vector<std::size_t>{0});
    shares.wants(0, false);
    shares.wants(0, true);
    CHECK(one_by_one(shares, 5) == std::vector<std::size_t>{1, 0, 0, 0, 1});
}

TEST_CASE("with nothing to do anywhere each tenant is asked once, and then none until there is") {
    tenants none{{1, 2, 3, 4}, {0, 0, 0, 0}};
    CHECK(none.free(100) == 0);
    CHECK(none.asked() == 4);
    CHECK(none.free(100) == 0);
    CHECK(none.asked() == 0);
    none.add(2, 7);
    CHECK(none.free(100) == 7);
    fair_shares nobody{{}};
    nobody.give(5);
    CHECK(nobody.given() == 0);
}
