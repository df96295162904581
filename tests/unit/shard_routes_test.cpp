// Which shard is concerned by what.
#include "client/cross_shard_batch.hpp"
#include "store/shards/routes.hpp"

#include <catch2/catch_test_macros.hpp>

#include <set>
#include <string>
#include <utility>
#include <vector>

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

TEST_CASE("the answers of shards come back in the order of the batch") {
    const std::vector<int> all{5, 3, 4, 8, 1};
    const auto parts = shards::split(all, 3, [](int one) { return static_cast<std::size_t>(one % 3); });
    std::vector<std::vector<std::string>> answers;
    for (const auto& part : parts) {
        auto& some = answers.emplace_back();
        for (const auto one : part.items) some.push_back(std::to_string(one));
    }
    CHECK(shards::in_order(parts, answers, all.size()) == std::vector<std::string>{"5", "3", "4", "8", "1"});
    answers[1].pop_back();
    CHECK(shards::in_order(parts, std::move(answers), all.size(), std::string{"none"}).back() == "none");
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
