// A namespace on a Redis Cluster of three primaries and a replica of each.
#include <errand/error.hpp>

#include "store/redis/slot.hpp"
#include "support/cluster_backing.hpp"
#include "support/flow.hpp"
#include "support/three_shards.hpp"

#include <catch2/matchers/catch_matchers_exception.hpp>
#include <catch2/matchers/catch_matchers_string.hpp>

#include <algorithm>

using namespace errand;
using namespace errand::test;
using namespace std::chrono_literals;
using Catch::Matchers::ContainsSubstring;
using Catch::Matchers::MessageMatches;

namespace {

struct cluster_fixture : store_fixture {
    explicit cluster_fixture(std::chrono::milliseconds node_timeout = 4s)
        : store_fixture{std::make_unique<cluster_backing>("default",
                                                          std::make_unique<redis_cluster>(node_timeout))},
          inner{static_cast<cluster_backing&>(*behind)},
          servers{inner.servers()} {}

    std::size_t owner() const { return servers.owner_of(inner.slot()).value(); }
    member join_at(const std::string& url, const std::string& name,
                   std::optional<duration> patience = duration{20'000}) {
        auto with = settings(name);
        with.url = url;
        with.patience = patience;
        return join(with);
    }
    // The replica of the shard's server takes over, without a loss.
    void fail_over() { fail_over_to(servers.replica_of(owner()).value()); }
    void fail_over_to(std::size_t successor) {
        // The others vote for a successor of the same server only so often: it is asked again until it is one.
        auto asked = std::chrono::steady_clock::time_point{};
        REQUIRE(until([&] {
            if (servers.owner_of(inner.slot()) == successor) return servers.is_whole();
            if (std::chrono::steady_clock::now() - asked > 2s) {
                asked = std::chrono::steady_clock::now();
                servers.server(successor).command({"CLUSTER", "FAILOVER"});
            }
            return false;
        }));
    }
    std::string size_of(const std::string& part) const { return inner.size_of(part); }

    cluster_backing& inner;
    redis_cluster& servers;
};

}  // namespace

TEST_CASE("a store finds its shard from any server of the cluster, primary or replica") {
    cluster_fixture here;
    auto first = here.join_at(here.servers.url_of(0) + "?wait=1", "first");
    const auto item = item_of("[1]");
    CHECK(here.submit(first, item).verdict == submit_verdict::accepted);
    CHECK(here.inner.command({"HEXISTS", here.inner.key("tasks"), std::string{item.id.view()}}) == "1");
    for (std::size_t at = 0; at < here.servers.size(); ++at) {
        auto other = here.join_at(here.servers.url_of(at) + "?wait=1", "other-" + std::to_string(at));
        CHECK(here.state_of(other, item.id) == state::ready);
    }
    const auto got = here.claim(first, 1).claimed;
    REQUIRE(got.size() == 1);
    CHECK(here.finish(first, {success_of(got[0])}) == std::vector{report_verdict::accepted});
    CHECK(here.troubles.empty());
}

TEST_CASE("with `wait` what frees memory is confirmed on a cluster whose server is full") {
    cluster_fixture here;
    auto worker = here.join_at(here.servers.url() + "?wait=1", "w");
    here.submit(worker, item_of("[1]"));
    const auto got = here.claim(worker, 1).claimed;
    REQUIRE(got.size() == 1);
    const auto control = here.inner.key("control");
    here.inner.command({"HDEL", control, "confirm"});
    here.inner.command({"CONFIG", "SET", "maxmemory", "1"});
    CHECK(here.inner.command({"HSET", control, "more", "1"}).starts_with("-OOM"));
    // What is written so that replicas have something to confirm is written, too.
    CHECK(here.finish(worker, {success_of(got[0])}) == std::vector{report_verdict::accepted});
    CHECK(here.inner.command({"HGET", control, "confirm"}) == "1");
    here.inner.command({"CONFIG", "SET", "maxmemory", "0"});
}

TEST_CASE("the shards of a namespace are spread over a cluster's servers") {
    cluster_fixture here;
    auto with = here.settings("p");
    with.shards = 6;
    auto producer = here.join(with);
    std::vector<submission_item> items;
    for (int i = 0; i < 300; ++i) items.push_back(item_of("x"));
    for (const auto& one : here.submit_all(producer, items)) CHECK(one.verdict == submit_verdict::accepted);
    std::size_t all = 0;
    std::vector<int> shards_of(here.servers.size());
    for (unsigned shard = 0; shard < 6; ++shard) {
        const auto tag = redis::spread_tag("default", shard, 6);
        const auto slot = redis::slot_of(tag);
        ++shards_of[here.servers.owner_of(slot).value()];
        all += std::stoul(here.servers.command(slot, {"HLEN", "errand:{" + tag + "}:tasks"})) - 1;
    }
    CHECK(all == items.size());
    std::ranges::sort(shards_of);
    CHECK(shards_of == std::vector{0, 0, 0, 2, 2, 2});
}

TEST_CASE(
    "an idle worker on a cluster is woken by a submission, also when its shard's server was another meanwhile") {
    cluster_fixture here;
    auto worker = here.join("w");
    auto producer = here.join("p");
    REQUIRE(here.claim(worker, 5).claimed.empty());
    here.submit(producer, item_of("a"));
    REQUIRE(here.until([&] { return worker.ear->wakes > 0 || !worker.ear->given.empty(); }));
    for (const auto& task : here.claim(worker, 5).claimed) here.finish(worker, {success_of(task)});

    here.fail_over();
    REQUIRE(here.until([&] { return worker.ear->reconnects > 0 && producer.ear->reconnects > 0; }));
    REQUIRE(here.claim(worker, 5).claimed.empty());
    const auto before = worker.ear->wakes;
    here.submit(producer, item_of("b"));
    CHECK(here.until([&] { return worker.ear->wakes > before || !worker.ear->given.empty(); }));
}

TEST_CASE("CLUSTER FAILOVER under submissions loses none and accepts none twice") {
    cluster_fixture here;
    auto producer = here.join_at(here.servers.url() + "?wait=1", "p");
    auto plain = here.join_at(here.servers.url(), "plain");
    flow confirmed{here, producer}, quick{here, plain};
    for (int i = 0; i < 2; ++i) {
        REQUIRE(confirmed.goes_on(20));
        here.fail_over();
    }
    REQUIRE(confirmed.goes_on(20));
    REQUIRE(quick.goes_on(20));
    confirmed.stop();
    quick.stop();
    const auto all = std::to_string(confirmed.accepted() + quick.accepted());
    CHECK(here.size_of("ready:default") == all);
    CHECK(here.inner.kept("tasks") == std::stol(all));
}

TEST_CASE(
    "of a primary that is killed under submissions, with `wait` for its replica, nothing accepted is lost") {
    cluster_fixture here{1s};
    auto producer = here.join_at(here.servers.url() + "?wait=1", "p", 50s);
    flow all{here, producer};
    REQUIRE(all.goes_on(50));
    const auto killed = here.owner();
    here.servers.server(killed).kill();
    // The shard's only server is the successor, which no replica confirms anything until the one before is back.
    REQUIRE(here.until([&] { return here.servers.owner_of(here.inner.slot()).has_value(); }));
    CHECK(here.owner() != killed);
    here.servers.server(killed).restart();
    REQUIRE(all.goes_on(50));
    all.stop();
    CHECK(here.size_of("ready:default") == std::to_string(all.accepted()));
    CHECK(here.inner.kept("tasks") == static_cast<long>(all.accepted()));
}

TEST_CASE(
    "a process that is added as a replica and promoted takes a shard over under submissions, and the one before leaves for good") {
    cluster_fixture here;
    auto producer = here.join_at(here.servers.url() + "?wait=1", "p", std::nullopt);
    flow all{here, producer};
    REQUIRE(all.goes_on(20));
    const auto old = here.owner();
    const auto added = here.servers.add_replica_of(old);
    REQUIRE(here.until([&] { return here.servers.is_whole(); }));
    here.fail_over_to(added);
    REQUIRE(here.until([&] { return here.servers.remove(old); }));
    REQUIRE(all.goes_on(20));
    all.stop();
    CHECK(here.owner() == added);
    CHECK(here.size_of("ready:default") == std::to_string(all.accepted()));
    CHECK(here.inner.kept("tasks") == static_cast<long>(all.accepted()));
    // The URL still names the one that has left, first of all if it was the first.
    auto late = here.join_at(here.servers.url(), "late");
    CHECK(here.submit(late, item_of("[1]")).verdict == submit_verdict::accepted);
}

TEST_CASE("what is there moves with its slot, and submissions go on behind it") {
    cluster_fixture here;
    auto producer = here.join("p");
    for (int i = 0; i < 3; ++i) here.submit(producer, item_of("x"));
    flow all{here, producer};
    REQUIRE(all.goes_on(5));
    const auto from = here.owner();
    const auto to = (from + 1) % 3;
    // Key by key on all that know no other way: from the first key on a call that names one which is not there is told to try again.
    here.servers.move_slot(here.inner.slot(), to);
    REQUIRE(all.goes_on(20));
    all.stop();
    CHECK(here.owner() == to);
    CHECK(here.size_of("ready:default") == std::to_string(3 + all.accepted()));
}

TEST_CASE("a URL of the wrong kind of server is refused with the one to write") {
    cluster_fixture here;
    const auto owner = here.owner(), other = (owner + 1) % 3;
    for (const auto at : {owner, other}) {
        CHECK_THROWS_MATCHES(here.join_at(here.servers.server(at).tcp_url(), "p", 2s), store_error,
                             MessageMatches(ContainsSubstring("write redis+cluster://")));
    }
    CHECK_THROWS_MATCHES(here.join_at(here.servers.server(owner).tcp_url() + "/1", "p", 2s), store_error,
                         MessageMatches(ContainsSubstring("write redis+cluster://")));
    const redis_server alone{redis_server::options{.tcp = true}};
    CHECK_THROWS_MATCHES(here.join_at("redis+cluster://127.0.0.1:" + std::to_string(alone.port()), "p", 2s),
                         store_error, MessageMatches(ContainsSubstring("write redis://")));
}

TEST_CASE(
    "with `wait` on a cluster a repeat on a new connection is confirmed no more than the first call was") {
    cluster_fixture here;
    auto producer = here.join_at(here.servers.url() + "?wait=1", "p", std::nullopt);
    here.submit(producer, item_of("made"));
    auto& primary = here.servers.server(here.owner());
    auto& replica = here.servers.server(here.servers.replica_of(here.owner()).value());
    const auto told = [&](const std::string& section, const std::string& field) {
        const auto text = primary.command({"INFO", section});
        const auto at = text.find(field);
        return at == text.npos ? 0 : std::stoi(text.substr(at + field.size()));
    };
    const auto waits = [&] { return told("commandstats", "cmdstat_wait:calls="); };
    replica.freeze();
    const std::vector items{item_of("a")};
    bool done = false;
    boost::asio::co_spawn(here.io, producer->submit(0, items, submit_mode::each),
                          [&](std::exception_ptr error, auto) { done = !error; });
    const auto before = waits();
    REQUIRE(here.until([&] { return primary.command({"LLEN", here.inner.key("ready:default")}) == "2"; }));
    primary.command({"CLIENT", "KILL", "TYPE", "pubsub"});
    REQUIRE(here.until([&] { return done || waits() >= before + 3; }));
    CHECK_FALSE(done);
    replica.thaw();
    REQUIRE(here.until([&] { return done; }));
    CHECK(here.size_of("ready:default") == "2");
}

TEST_CASE("an app on a cluster runs each task once, over all its shards") {
    redis_cluster servers;
    auto settings = fresh_settings();
    settings.store = servers.url();
    settings.shards = 0;
    test_app t{settings};
    CHECK(t.app.settings().shards == 16);
    t.start();
    std::vector<handle<std::string>> all;
    for (int i = 0; i < 40; ++i) {
        const auto name = "task-" + std::to_string(i);
        all.push_back(t.run(t.app.handler<shards_test::step>().perform_async(name)));
    }
    for (int i = 0; i < 40; ++i)
        CHECK(t.wait(all[static_cast<std::size_t>(i)]) == "task-" + std::to_string(i));
    std::lock_guard lock{t.journal.guard};
    CHECK(t.journal.lines.size() == all.size());
    t.stop();
}
