// Which shard is concerned by what, and how free slots are shared between shards.
#include "client/cross_shard_batch.hpp"
#include "store/shards/routes.hpp"

#include <catch2/catch_test_macros.hpp>

#include <numeric>
#include <set>

using namespace errand;

namespace {

task_id id_ending(unsigned char high, unsigned char low) {
    task_id id;
    id.bytes[14] = high;
    id.bytes[15] = low;
    return id;
}

submission_item after(unsigned char id, std::vector<unsigned char> parents) {
    submission_item item;
    item.id = id_ending(0, id);
    for (const auto one : parents) item.after.push_back({id_ending(0, one)});
    return item;
}

}  // namespace

TEST_CASE("the last two bytes of an id say which shard keeps it") {
    CHECK(shards::shard_of(id_ending(0, 7), 3) == 1);
    CHECK(shards::shard_of(id_ending(1, 0), 3) == 256 % 3);
    CHECK(shards::shard_of(id_ending(255, 255), 1) == 0);
}

TEST_CASE("equal claim numbers of two shards are told apart, and go on growing") {
    std::set<claim_number> seen;
    for (const claim_number inner : {claim_number{1}, claim_number{1'763'000'000'000'000}}) {
        for (std::size_t shard = 0; shard < 3; ++shard) {
            const auto outer = shards::outer_claim(inner, shard, 3);
            CHECK((seen.empty() || outer > *seen.rbegin()));
            seen.insert(outer);
            CHECK(shards::shard_of_claim(outer, 3) == shard);
            CHECK(shards::inner_claim(outer, 3) == inner);
        }
    }
}

TEST_CASE("a batch is split by shards in its own order") {
    const std::vector<int> all{5, 3, 4, 8, 1};
    const auto parts = shards::split(all, 3, [](int one) { return static_cast<std::size_t>(one % 3); });
    REQUIRE(parts.size() == 3);
    CHECK(parts[0].items == std::vector{3});
    CHECK(parts[1].items == std::vector{4, 1});
    CHECK(parts[1].indexes == std::vector<std::size_t>{2, 4});
    CHECK(parts[2].items == std::vector{5, 8});
    CHECK(shards::split(std::vector{3, 6}, 3, [](int) { return std::size_t{2}; }).size() == 1);
}

TEST_CASE("a claim takes no more than its limit, and all that there is up to it") {
    for (std::size_t limit = 0; limit < 9; ++limit) {
        for (std::size_t first = 0; first < 3; ++first) {
            for (int how = 0; how < 125; ++how) {
                std::vector<std::size_t> there{static_cast<std::size_t>(how % 5),
                                               static_cast<std::size_t>(how / 5 % 5),
                                               static_cast<std::size_t>(how / 25)};
                const auto all = std::accumulate(there.begin(), there.end(), std::size_t{0});
                std::vector<bool> found_short(3, false);
                shards::claim_shares shares{3, limit, first};
                std::size_t taken = 0;
                int rounds = 0;
                for (auto next = shares.next(); !next.empty(); next = shares.next()) {
                    REQUIRE(++rounds < 20);
                    REQUIRE(taken + std::accumulate(next.begin(), next.end(), std::size_t{0}) <= limit);
                    for (std::size_t at = 0; at < 3; ++at) {
                        if (next[at] == 0) continue;
                        const auto got = std::min(next[at], there[at]);
                        there[at] -= got;
                        taken += got;
                        found_short[at] = got < next[at];
                        shares.took(at, next[at], got);
                    }
                }
                REQUIRE(taken == std::min(limit, all));
                // Whoever has room left waits in every shard.
                REQUIRE((taken == limit || found_short == std::vector<bool>(3, true)));
            }
        }
    }
}

TEST_CASE("a claim for less than the shards begins with another one each time") {
    shards::claim_shares one{3, 1, 0};
    CHECK(one.next() == std::vector<std::size_t>{1, 0, 0});
    one.took(0, 1, 1);
    CHECK(one.next().empty());
    CHECK(one.first() == 1);
}

TEST_CASE("cycles among the items of a batch are found without a store") {
    const std::vector<submission_item> items{after(1, {2, 9}), after(2, {3}), after(3, {1}),
                                             after(4, {1, 5}), after(5, {}),  after(6, {6})};
    const auto found = cycles_among(items);
    CHECK(found[0].size() == 3);
    CHECK(found[0] == found[2]);
    CHECK(found[3].empty());
    CHECK(found[4].empty());
    CHECK(found[5] == std::vector{items[5].id});
    std::vector<submission_item> chain;
    for (int i = 0; i < 200; ++i) {
        chain.push_back(after(static_cast<unsigned char>(i), {static_cast<unsigned char>(i + 1)}));
    }
    for (const auto& one : cycles_among(chain)) CHECK(one.empty());
}
