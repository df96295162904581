// Shares of a limit over two servers, of which one is away: what it has stays with it, and it hears of changes when it is back.
#include "core/gates.hpp"
#include "support/away_shard.hpp"

#include <catch2/catch_test_macros.hpp>
#include <catch2/generators/catch_generators.hpp>

#include <optional>
#include <string>
#include <string_view>

using namespace away_test;
using errand::limits_balance;
using errand::test::run_until;

namespace {

const std::string of_queue = "queue:default";

struct shares_desk : store_desk {
    shares_desk() { await(io, worker.of->open()); }
    void set(std::optional<errand::limit_rule> rule) { await(io, worker.of->spread_limit(of_queue, rule)); }
    void submit_behind(std::size_t shard, int count) {
        for (; count > 0; --count) {
            auto item = errand::test::item_with(id_on(shard), "x");
            auto body = errand::decode_body(item.body);
            body.gates = errand::gate_of(errand::gate_kind::both, of_queue, "");
            item.body = errand::encode(body);
            item.gated = true;
            await(io, worker.of->submit(0, {&item, 1}, errand::submit_mode::each));
        }
    }
    std::size_t claim() { return work({}, 10).claimed.size(); }
    limits_balance balance(std::string_view by = "w") { return await(io, worker.of->balance_limits(by)); }
    // Shares follow the need meanwhile; never more than so many start.
    bool comes_to_start(std::size_t count) {
        std::size_t started = 0;
        const bool done = run_until(io, [&] {
            balance();
            return (started += claim()) >= count;
        });
        return done && started == count;
    }
    bool comes_to_be_even() {
        return run_until(io, [this] { return balance() == limits_balance::even; });
    }
};

}  // namespace

TEST_CASE("a share stays with a server that is away, and comes to others when it is back", "[shards]") {
    shares_desk t;
    t.set(errand::limit_rule{.max_running = 4});
    t.submit_behind(0, 5);
    const bool dies = GENERATE(true, false);
    if (dies)
        t.other.kill();
    else
        t.other.freeze();
    CHECK(t.claim() == 2);
    for (int i = 0; i < 3; ++i) CHECK(t.balance() == limits_balance::behind);
    CHECK(t.claim() == 0);
    if (dies)
        t.other.restart();
    else
        t.other.thaw();
    REQUIRE(t.comes_to_start(2));
    REQUIRE(t.comes_to_be_even());
    CHECK(t.claim() == 0);
}

TEST_CASE("a limit that is lowered while a server is away is kept by all together when it is back",
          "[shards]") {
    shares_desk t;
    t.set(errand::limit_rule{.max_running = 4});
    t.submit_behind(0, 6);
    t.submit_behind(away_shard, 6);
    t.other.kill();
    t.set(errand::limit_rule{.max_running = 2});
    // As many as are allowed may run there.
    CHECK(t.claim() == 0);
    t.other.restart();
    REQUIRE(t.comes_to_start(2));
    REQUIRE(t.comes_to_be_even());
    CHECK(t.claim() == 0);
    for (const auto& one : await(t.io, t.worker.of->limits())) {
        CHECK(one.running == 2);
        CHECK(one.set == errand::limit_rule{.max_running = 2});
    }
}

TEST_CASE("a limit that is cleared while a server is away holds there until it is back", "[shards]") {
    shares_desk t;
    t.set(errand::limit_rule{.max_running = 0});
    t.submit_behind(0, 2);
    t.submit_behind(away_shard, 2);
    CHECK(t.claim() == 0);
    t.other.kill();
    t.set(std::nullopt);
    CHECK(t.claim() == 2);
    t.other.restart();
    REQUIRE(t.comes_to_be_even());
    CHECK(t.claim() == 2);
}

TEST_CASE("one worker keeps shares in balance, and another one does when it has not for a while",
          "[shards]") {
    shares_desk t;
    t.set(errand::limit_rule{.max_running = 4});
    CHECK(t.balance("w") == limits_balance::even);
    CHECK(t.balance("v") == limits_balance::elsewhere);
    // Whoever gives no name looks this once.
    CHECK(t.balance("") == limits_balance::even);
    CHECK(run_until(t.io, [&] { return t.balance("v") == limits_balance::even; }));
    CHECK(t.balance("w") == limits_balance::elsewhere);
}
