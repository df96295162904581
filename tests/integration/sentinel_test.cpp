// A namespace on a Redis that a Sentinel watches over, with a replica.
#include <errand/error.hpp>

#include "support/flow.hpp"
#include "support/redis_parts.hpp"
#include "support/replica.hpp"
#include "support/tcp_gate.hpp"

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

// What REPLICAOF is called on a server that no Sentinel may make a replica.
constexpr const char* hidden_word = "FOLLOW";

redis_server::options member_of_pair(bool can_be_deposed) {
    redis_server::options how{.tcp = true, .arguments = {"--repl-diskless-sync-delay", "0"}};
    if (!can_be_deposed) {
        how.arguments.insert(how.arguments.end(), {"--rename-command", "SLAVEOF", "", "--rename-command",
                                                   "REPLICAOF", hidden_word});
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
        REQUIRE(until([this] { return sees_replica(*pair.sentinel); }));
    }
    member join_with(const std::string& options, const std::string& name) {
        auto with = settings(name);
        with.url += options;
        // A Sentinel that had to wait for its turn does nothing for 30 seconds.
        with.patience = std::nullopt;
        return join(with);
    }
    bool second_is_master(const redis_server& says) const {
        return says.command({"SENTINEL", "GET-MASTER-ADDR-BY-NAME", "shop"}) ==
               "127.0.0.1\n" + std::to_string(pair.second.port());
    }
    void takes_over(const redis_server& says) {
        REQUIRE(until([&] { return second_is_master(says); }));
        pair.second_leads = true;
    }
    void takes_over() { takes_over(*pair.sentinel); }
    // It knows the replica, and can make it the master.
    bool sees_replica(const redis_server& sentinel, int replicas = 1) const {
        const auto all = sentinel.command({"SENTINEL", "REPLICAS", "shop"});
        for (std::size_t at = 0; replicas > 0; --replicas, ++at) {
            at = all.find("master-link-status\nok", at);
            if (at == std::string::npos) return false;
        }
        return true;
    }
    void copied(int tasks) {
        REQUIRE(until([&] {
            return pair.second.command({"LLEN", pair.key("ready:default")}) == std::to_string(tasks);
        }));
    }
    void goes_to_second(member& producer) {
        const auto item = item_of("b");
        CHECK(submit(producer, item).verdict == submit_verdict::accepted);
        CHECK(pair.second.command({"HEXISTS", pair.key("tasks"), std::string{item.id.view()}}) == "1");
    }
    // How often the first server was asked for its role, or refused to change anything.
    int counted(const std::string& section, const std::string& field) const {
        const auto text = pair.first.command({"INFO", section});
        const auto at = text.find(field);
        return at == text.npos ? 0 : std::stoi(text.substr(at + field.size()));
    }
    int roles() const { return counted("commandstats", "cmdstat_role:calls="); }
    int refusals() const { return counted("errorstats", "errorstat_READONLY:count="); }

    watched_pair& pair;
};

}  // namespace

TEST_CASE("a store behind a Sentinel is on the master, and leaves it as soon as another one is made that") {
    // No Sentinel can tell the first that it is deposed: it would take whatever is asked of it.
    sentinel_fixture here{false};
    auto producer = here.join("p");
    here.submit(producer, item_of("a"));
    CHECK(here.pair.first.command({"LLEN", here.pair.key("ready:default")}) == "1");
    here.copied(1);
    CHECK(here.pair.sentinel->command({"SENTINEL", "FAILOVER", "shop"}) == "OK");
    here.takes_over();
    REQUIRE(here.until([&] { return producer.ear->reconnects > 0; }));
    here.goes_to_second(producer);
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

TEST_CASE(
    "when one of two replicas that knows less takes over, what only the other one confirmed is lost, and what both had to is not") {
    for (const int asked : {1, 2}) {
        CAPTURE(asked);
        sentinel_fixture here;
        auto& pair = here.pair;
        auto how = member_of_pair(true);
        // Never made the master, although it knows most.
        how.arguments.insert(how.arguments.end(), {"--replica-priority", "0"});
        const redis_server third{how};
        const auto has = [&](const redis_server& server, const submission_item& one) {
            return server.command({"HEXISTS", pair.key("tasks"), std::string{one.id.view()}}) == "1";
        };
        replicate(pair.first, third, [&](auto holds) { REQUIRE(here.until(holds)); });
        REQUIRE(here.until([&] { return here.sees_replica(*pair.sentinel, 2); }));
        auto producer = here.join_with("?wait=" + std::to_string(asked), "p");
        const auto seen = item_of("a"), late = item_of("b");
        here.submit(producer, seen);
        REQUIRE(here.until([&] { return has(pair.second, seen); }));
        // Nothing comes to it any more, not even what would lie in its socket.
        pair.second.freeze();
        pair.first.command({"CLIENT", "KILL", "TYPE", "replica"});
        bool accepted = false;
        const std::vector items{late};
        boost::asio::co_spawn(here.io, producer->submit(0, items, submit_mode::each),
                              [&](std::exception_ptr error, auto) { accepted = !error; });
        REQUIRE(here.until([&] { return has(third, late) && (accepted || asked == 2); }));
        CHECK(accepted == (asked == 1));
        pair.first.kill();
        pair.second.thaw();
        here.takes_over();
        if (asked == 2) pair.first.restart();
        REQUIRE(here.until([&] { return accepted; }));
        CHECK(has(pair.second, seen));
        CHECK(has(pair.second, late) == (asked == 2));
    }
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

TEST_CASE("a server that a Sentinel still calls the master is not used while it is a replica") {
    sentinel_fixture here;
    auto& sentinel = *here.pair.sentinel;
    // It does nothing by itself.
    CHECK(sentinel.command({"SENTINEL", "SET", "shop", "quorum", "2"}) == "OK");
    CHECK(sentinel.command({"SENTINEL", "SET", "shop", "down-after-milliseconds", "600000"}) == "OK");
    auto producer = here.join_with("", "p");
    here.submit(producer, item_of("a"));
    here.copied(1);
    CHECK(here.pair.second.command({"REPLICAOF", "NO", "ONE"}) == "OK");
    CHECK(here.pair.first.command({"REPLICAOF", "127.0.0.1", std::to_string(here.pair.second.port())}) ==
          "OK");

    const auto item = item_of("b");
    const std::vector items{item};
    bool done = false;
    boost::asio::co_spawn(here.io, producer->submit(0, items, submit_mode::each),
                          [&](const std::exception_ptr& failed, const auto&) { done = !failed; });
    REQUIRE(here.until([&] { return here.refusals() > 0; }));
    // It is connected to again and again, and asked for nothing but its role.
    const auto first_role = here.roles();
    REQUIRE(here.until([&] { return here.roles() > first_role + 1; }));
    const auto refused = here.refusals();
    REQUIRE(here.until([&] { return here.roles() > first_role + 8; }));
    CHECK(here.refusals() == refused);
    CHECK(producer.ear->reconnects == 0);
    CHECK_FALSE(done);

    CHECK(sentinel.command({"SENTINEL", "REMOVE", "shop"}) == "OK");
    CHECK(sentinel.command({"SENTINEL", "MONITOR", "shop", "127.0.0.1",
                            std::to_string(here.pair.second.port()), "2"}) == "OK");
    REQUIRE(here.until([&] { return done; }));
    CHECK(producer.ear->reconnects == 1);
    CHECK(here.pair.second.command({"HEXISTS", here.pair.key("tasks"), std::string{item.id.view()}}) == "1");
}

TEST_CASE("each Sentinel of the URL is heard: another master is gone to although the first Sentinel hangs") {
    // The first server would take whatever is asked of it.
    sentinel_fixture here{false};
    const redis_server other{sentinel_over(here.pair.first)};
    REQUIRE(here.until([&] { return here.sees_replica(other); }));
    auto with = here.settings("p");
    with.url = "redis+sentinel://127.0.0.1:" + std::to_string(here.pair.sentinel->port()) +
               ",127.0.0.1:" + std::to_string(other.port()) + "/shop";
    with.patience = std::nullopt;
    auto producer = here.join(with);
    here.submit(producer, item_of("a"));
    here.copied(1);
    here.pair.sentinel->freeze();
    // One that believes itself to be failing over already says so, and does.
    other.command({"SENTINEL", "FAILOVER", "shop"});
    here.takes_over(other);
    REQUIRE(here.until([&] { return producer.ear->reconnects > 0; }));
    here.goes_to_second(producer);
    here.pair.sentinel->thaw();
}

TEST_CASE("what a Sentinel said while it could not be heard is found when it can be again") {
    sentinel_fixture here{false};
    tcp_gate gate{here.pair.sentinel->port()};
    auto with = here.settings("p");
    with.url = "redis+sentinel://127.0.0.1:" + std::to_string(gate.port()) + "/shop";
    with.patience = std::nullopt;
    auto producer = here.join(with);
    here.submit(producer, item_of("a"));
    here.copied(1);
    gate.refuse(true);
    CHECK(here.pair.sentinel->command({"SENTINEL", "FAILOVER", "shop"}) == "OK");
    here.takes_over();
    CHECK(producer.ear->reconnects == 0);
    gate.refuse(false);
    REQUIRE(here.until([&] { return producer.ear->reconnects > 0; }));
    here.goes_to_second(producer);
}

TEST_CASE("Sentinels with users of their own are asked and heard as the one that the URL's options name") {
    sentinel_fixture here{false};
    auto& sentinel = *here.pair.sentinel;
    CHECK(sentinel.command({"ACL", "SETUSER", "looks", "on", ">a/b&c", "allchannels", "+@all"}) == "OK");
    CHECK(sentinel.command({"ACL", "SETUSER", "default", "-subscribe", "-sentinel|get-master-addr-by-name",
                            "-sentinel|master"}) == "OK");
    auto with = here.settings("p");
    const auto plain = with.url;
    with.patience = 2s;
    CHECK_THROWS_MATCHES(here.join(with), store_error, MessageMatches(ContainsSubstring("NOPERM")));
    with.url = plain + "?sentinel_user=looks&sentinel_password=wrong";
    CHECK_THROWS_MATCHES(here.join(with), store_error,
                         MessageMatches(ContainsSubstring("WRONGPASS") && !ContainsSubstring("=wrong")));
    auto producer = here.join_with("?sentinel_user=looks&sentinel_password=a%2Fb%26c", "p");
    here.submit(producer, item_of("a"));
    here.copied(1);
    CHECK(sentinel.command({"SENTINEL", "FAILOVER", "shop"}) == "OK");
    REQUIRE(here.until([&] { return producer.ear->reconnects > 0; }));
    here.goes_to_second(producer);
}
