// Another server, or other data, behind the address that was connected to.
#include <errand/error.hpp>

#include "support/redis_fixture.hpp"
#include "support/replica.hpp"
#include "support/tcp_gate.hpp"

#include <catch2/matchers/catch_matchers_exception.hpp>
#include <catch2/matchers/catch_matchers_string.hpp>

#include <algorithm>

using namespace errand;
using namespace errand::test;
using namespace std::chrono_literals;
using Catch::Matchers::ContainsSubstring;
using Catch::Matchers::MessageMatches;

namespace {

struct switch_fixture : redis_fixture {
    switch_fixture() : redis_fixture{redis_server::options{.tcp = true}} {}
    redis_server other{redis_server::options{.tcp = true}};
    tcp_gate gate{server.port()};

    member join_gated(const std::string& name, std::optional<duration> patience) {
        auto with = settings(name);
        with.url = gate.url();
        with.patience = patience;
        return join(with);
    }
};

}  // namespace

TEST_CASE("a switch that moves only new connections is followed by those that are there") {
    switch_fixture redis;
    replicate(redis.server, redis.other, [&](auto holds) { REQUIRE(redis.until(holds)); });
    auto producer = redis.join_gated("p", 20s);
    const auto there = [&redis](const submission_item& one) {
        return redis.other.command({"HEXISTS", redis.key("tasks"), std::string{one.id.view()}}) == "1";
    };
    const auto a = item_of("a"), b = item_of("b");
    redis.submit(producer, a);
    REQUIRE(redis.until([&] { return there(a); }));
    redis.gate.lead_new_to(redis.other.port());
    redis.other.command({"REPLICAOF", "NO", "ONE"});
    redis.server.command({"REPLICAOF", "127.0.0.1", std::to_string(redis.other.port())});
    CHECK(redis.submit(producer, b).verdict == submit_verdict::accepted);
    CHECK(there(b));
}

TEST_CASE("a replica that stays one is told of once, however often it is connected to") {
    switch_fixture redis;
    auto producer = redis.join_gated("p", 2s);
    redis.server.command({"REPLICAOF", "127.0.0.1", std::to_string(redis.other.port())});
    CHECK_THROWS_MATCHES(redis.submit(producer, item_of("a")), store_error,
                         MessageMatches(ContainsSubstring("read-only replica")));
    CHECK(redis.gate.connections() > 2);
    CHECK(redis.troubles.size() == 1);
    redis.server.command({"REPLICAOF", "NO", "ONE"});
    CHECK(redis.submit(producer, item_of("b")).verdict == submit_verdict::accepted);
    REQUIRE(redis.troubles.size() == 2);
    CHECK_THAT(redis.troubles[1], ContainsSubstring("again"));
}

TEST_CASE("a store of another format that is met on the way is refused as at opening, and left as it is") {
    switch_fixture redis;
    redis.other.command({"HSET", redis.key("control"), "format", "9", "shards", "1"});
    auto producer = redis.join_gated("p", 20s);
    redis.submit(producer, item_of("a"));
    redis.gate.lead_to(redis.other.port());
    CHECK_THROWS_MATCHES(redis.submit(producer, item_of("b")), store_error,
                         MessageMatches(ContainsSubstring("format 9") && ContainsSubstring("newer errand")));
    CHECK(redis.other.command({"DBSIZE"}) == "1");
    redis.gate.lead_to(redis.server.port());
    REQUIRE(redis.until([&] { return producer.ear->reconnects > 0; }));
    CHECK(redis.submit(producer, item_of("c")).verdict == submit_verdict::accepted);
}

TEST_CASE("who waits for ever waits for the store of its format to come back") {
    switch_fixture redis;
    redis.other.command({"HSET", redis.key("control"), "format", "3", "shards", "4"});
    auto worker = redis.join_gated("w", std::nullopt);
    redis.gate.lead_to(redis.other.port());
    bool done = false;
    const std::vector items{item_of("a")};
    boost::asio::co_spawn(redis.io, worker->submit(0, items, submit_mode::each),
                          [&](std::exception_ptr error, auto) { done = !error; });
    REQUIRE(redis.until([&] {
        return std::ranges::any_of(redis.troubles, [](const std::string& said) {
            return said.find("4 shard(s)") != std::string::npos;
        });
    }));
    CHECK_FALSE(done);
    redis.gate.lead_to(redis.server.port());
    REQUIRE(redis.until([&] { return done; }));
    CHECK(redis.other.command({"DBSIZE"}) == "1");
}
