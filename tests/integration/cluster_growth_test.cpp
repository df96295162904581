// Clusters of other sizes, and one that grows by moving slots, under a namespace of sixteen shards.
#include "store/redis/slot.hpp"
#include "support/cluster_backing.hpp"
#include "support/flow.hpp"

#include <algorithm>

using namespace errand;
using namespace errand::test;
using namespace std::chrono_literals;

namespace {

constexpr unsigned all_shards = 16;

struct sixteen_shards : store_fixture {
    explicit sixteen_shards(std::size_t primaries)
        : store_fixture{std::make_unique<cluster_backing>(
              "default", std::make_unique<redis_cluster>(15s, primaries, 0))},
          servers{static_cast<cluster_backing&>(*behind).servers()} {}

    member join_all(const std::string& name) {
        auto with = settings(name);
        with.shards = all_shards;
        with.patience = std::nullopt;
        return join(with);
    }
    static std::string tag(unsigned shard) { return redis::spread_tag("default", shard, all_shards); }
    std::size_t owner_of(unsigned shard) const {
        return servers.owner_of(redis::slot_of(tag(shard))).value();
    }
    // How many each server has.
    std::vector<unsigned> spread() const {
        std::vector<unsigned> each(servers.size());
        for (unsigned shard = 0; shard < all_shards; ++shard) ++each[owner_of(shard)];
        return each;
    }
    std::size_t kept(const char* what, const char* part) const {
        std::size_t all = 0;
        for (unsigned shard = 0; shard < all_shards; ++shard)
            all += std::stoul(servers.command(redis::slot_of(tag(shard)),
                                              {what, "errand:{" + tag(shard) + "}:" + part}));
        return all;
    }

    redis_cluster& servers;
};

}  // namespace

TEST_CASE("sixteen shards are on 3, 4, 6 or 8 primaries as evenly as they can be, and all are written to") {
    for (const std::size_t primaries : {3U, 4U, 6U, 8U}) {
        CAPTURE(primaries);
        sixteen_shards here{primaries};
        auto producer = here.join_all("p");
        std::vector<submission_item> items;
        for (int i = 0; i < 400; ++i) items.push_back(item_of("x"));
        for (const auto& one : here.submit_all(producer, items))
            CHECK(one.verdict == submit_verdict::accepted);
        const auto each = here.spread();
        const auto [least, most] = std::ranges::minmax(each);
        CHECK(most - least <= 1);
        CHECK(here.kept("LLEN", "ready:default") == items.size());
    }
}

TEST_CASE(
    "a primary that is added takes its share of the shards under submissions, and none is lost or there twice") {
    sixteen_shards here{3};
    auto producer = here.join_all("p");
    auto worker = here.join_all("w");
    flow all{here, producer};
    REQUIRE(all.goes_on(100));
    const auto added = here.servers.add_primary();
    REQUIRE(all.goes_on(20));
    // From those that have most.
    for (unsigned shard = 0; here.spread()[added] < all_shards / 4; ++shard) {
        REQUIRE(shard < all_shards);
        if (here.spread()[here.owner_of(shard)] <= all_shards / 4) continue;
        here.servers.move_slot(redis::slot_of(here.tag(shard)), added);
        REQUIRE(all.goes_on(20));
    }
    all.stop();
    CHECK(here.spread() == std::vector<unsigned>(4, all_shards / 4));
    const auto accepted = all.accepted();
    CHECK(here.kept("LLEN", "ready:default") == accepted);
    // What moved is claimed where it is now, each once.
    std::size_t claimed = 0;
    REQUIRE(here.until([&] {
        for (const auto& task : here.claim(worker, 1000).claimed) {
            ++claimed;
            CHECK(here.finish(worker, {success_of(task)}) == std::vector{report_verdict::accepted});
        }
        return claimed >= accepted;
    }));
    CHECK(claimed == accepted);
    CHECK(here.kept("LLEN", "ready:default") == 0);
}
