// A namespace on a Redis that a Sentinel watches over, with a replica.
#include <errand/error.hpp>

#include "support/flow.hpp"
#include "support/redis_parts.hpp"
#include "support/replica.hpp"

#include <catch2/matchers/catch_matchers_exception.hpp>
#include <catch2/matchers/catch_matchers_string.hpp>

#include <array>
#include <memory>

using namespace errand;
using namespace errand::test;
using namespace std::chrono_literals;
using Catch::Matchers::ContainsSubstring;
using Catch::Matchers::MessageMatches;

namespace {

redis_server::options member_of_pair(bool can_be_deposed) {
    redis_server::options how{.tcp = true, .arguments = {"--repl-diskless-sync-delay", "0"}};
    if (!can_be_deposed) {
        how.arguments.insert(how.arguments.end(),
                             {"--rename-command", "SLAVEOF", "", "--rename-command", "REPLICAOF", ""});
    }
    return how;
}

redis_server::options sentinel_over(const redis_server& primary) {
    redis_server::options how{.tcp = true};
    how.files = {{"sentinel", "sentinel monitor shop 127.0.0.1 " + std::to_string(primary.port()) +
                                  " 1\nsentinel down-after-milliseconds shop 2000\n"
                                  "sentinel failover-timeout shop 3000\n"}};
    how.configuration = "sentinel";
    how.arguments = {"--sentinel"};
    return how;
}

class watched_pair final : public redis_parts {
public:
    explicit watched_pair(bool can_be_deposed)
        : first{member_of_pair(can_be_deposed)}, second{member_of_pair(true)} {
        // A Sentinel looks for replicas when it begins, and then every ten seconds.
        boost::asio::io_context io;
        replicate(first, second, [&io](auto holds) { REQUIRE(run_until(io, holds)); });
        sentinel = std::make_unique<redis_server>(sentinel_over(first));
    }

    void place(store_settings& with) override {
        with.url = "redis+sentinel://127.0.0.1:" + std::to_string(sentinel->port()) + "/shop";
    }
    std::string key(const std::string& part) const override { return "errand:{default.0}:" + part; }
    std::string command(const std::vector<std::string>& words) const override {
        return (second_leads ? second : first).command(words);
    }

    redis_server first, second;
    std::unique_ptr<redis_server> sentinel;
    bool second_leads = false;
};

struct sentinel_fixture : store_fixture {
    explicit sentinel_fixture(bool can_be_deposed = true)
        : store_fixture{std::make_unique<watched_pair>(can_be_deposed)},
          pair{static_cast<watched_pair&>(*behind)} {
        REQUIRE(until([this] {
            return pair.sentinel->command({"SENTINEL", "REPLICAS", "shop"}).find("master-link-status\nok") !=
                   std::string::npos;
        }));
    }
    member join_with(const std::string& options, const std::string& name) {
        auto with = settings(name);
        with.url += options;
        // A Sentinel that had to wait for its turn does nothing for 30 seconds.
        with.patience = std::nullopt;
        return join(with);
    }
    bool second_is_master() const {
        return pair.sentinel->command({"SENTINEL", "GET-MASTER-ADDR-BY-NAME", "shop"}) ==
               "127.0.0.1\n" + std::to_string(pair.second.port());
    }
    void takes_over() {
        REQUIRE(until([this] { return second_is_master(); }));
        pair.second_leads = true;
    }

    watched_pair& pair;
};

}  // namespace

TEST_CASE("a store behind a Sentinel is on the master, and leaves it as soon as another one is made that") {
    // No Sentinel can tell the first that it is deposed: it would take whatever is asked of it.
    sentinel_fixture here{false};
    auto producer = here.join("p");
    here.submit(producer, item_of("a"));
    CHECK(here.pair.first.command({"LLEN", here.pair.key("ready:default")}) == "1");
    REQUIRE(here.until([&] {
        return here.pair.second.command({"LLEN", here.pair.key("ready:default")}) == "1";
    }));
    CHECK(here.pair.sentinel->command({"SENTINEL", "FAILOVER", "shop"}) == "OK");
    here.takes_over();
    REQUIRE(here.until([&] { return producer.ear->reconnects > 0; }));
    const auto item = item_of("b");
    CHECK(here.submit(producer, item).verdict == submit_verdict::accepted);
    CHECK(here.pair.second.command({"HEXISTS", here.pair.key("tasks"), std::string{item.id.view()}}) == "1");
    CHECK(here.pair.first.command({"INFO", "replication"}).find("role:master") != std::string::npos);
}

TEST_CASE(
    "with `wait` for the only replica nothing accepted is lost when a Sentinel deposes a master that lives") {
    sentinel_fixture here;
    auto producer = here.join_with("?wait=1", "p");
    flow all{here, producer};
    REQUIRE(all.goes_on(50));
    CHECK(here.pair.sentinel->command({"SENTINEL", "FAILOVER", "shop"}) == "OK");
    here.takes_over();
    REQUIRE(all.goes_on(50));
    all.stop();
    CHECK(here.pair.size_of("ready:default") == std::to_string(all.accepted()));
    CHECK(here.pair.kept("tasks") == static_cast<long>(all.accepted()));
}

TEST_CASE(
    "with `wait` for the only replica nothing accepted is lost when a master behind a Sentinel is killed") {
    sentinel_fixture here;
    auto producer = here.join_with("?wait=1", "p");
    flow all{here, producer};
    REQUIRE(all.goes_on(50));
    here.pair.first.kill();
    here.takes_over();
    here.pair.first.restart();
    REQUIRE(all.goes_on(50));
    all.stop();
    CHECK(here.pair.size_of("ready:default") == std::to_string(all.accepted()));
    CHECK(here.pair.kept("tasks") == static_cast<long>(all.accepted()));
}

TEST_CASE("a name that no Sentinel knows, and Sentinels that are away, are told of in one line") {
    sentinel_fixture here;
    const auto port = std::to_string(here.pair.sentinel->port());
    for (const auto& [url, said] :
         std::array{std::pair{"redis+sentinel://127.0.0.1:" + port + "/other", "doesn't know about"},
                    std::pair{std::string{"redis+sentinel://127.0.0.1:1/shop"}, "Failed to resolve"}}) {
        auto with = here.settings("p");
        with.url = url;
        with.patience = 2s;
        CHECK_THROWS_MATCHES(here.join(with), store_error, MessageMatches(ContainsSubstring(said)));
    }
    for (const auto& line : here.troubles) CHECK(line.find('\n') == std::string::npos);
}
