// Where the shards of a cluster lie, and how a connection finds the server that has its own.
#include "store/redis/keys.hpp"
#include "store/redis/look_at_shard.hpp"
#include "store/redis/master_choice.hpp"
#include "store/redis/place.hpp"
#include "store/redis/refusal.hpp"
#include "store/redis/script_set.hpp"
#include "store/redis/sentinel_watch.hpp"
#include "store/redis/server_check.hpp"
#include "store/redis/slot.hpp"
#include "store/redis/slot_subscription.hpp"

#include <catch2/catch_test_macros.hpp>

#include <set>
#include <string>
#include <vector>

using namespace errand::redis;

TEST_CASE("a tag's slot is the one that all clients of a cluster compute") {
    // The CRC's own check value, and slots that Redis gives to these names (CLUSTER KEYSLOT).
    CHECK(slot_of("123456789") == 0x31C3);
    CHECK(slot_of("foo") == 12182);
    CHECK(slot_of("") == 0);
}

TEST_CASE(
    "each shard of a cluster lies in its own part of the slots, so that servers have as many as they have slots") {
    for (const unsigned shards : {1U, 3U, 16U, 64U}) {
        for (unsigned shard = 0; shard < shards; ++shard) {
            const auto tag = spread_tag("default", shard, shards);
            CAPTURE(tag, shards);
            CHECK(slot_of(tag) * shards / all_slots == shard);
            CHECK(tag.starts_with("default.~"));
            CHECK(tag.ends_with("." + std::to_string(shard)));
        }
    }
    for (const unsigned servers : {3U, 4U, 6U, 8U}) {
        std::vector<int> each(servers);
        for (unsigned shard = 0; shard < 16; ++shard)
            ++each[slot_of(spread_tag("shop", shard, 16)) * servers / all_slots];
        for (const auto count : each) {
            CHECK(count >= static_cast<int>(16 / servers));
            CHECK(count <= static_cast<int>(16 / servers) + 1);
        }
    }
}

TEST_CASE(
    "who asks for another number of shards finds the first one all the same, which says how many there are") {
    for (const auto* name : {"default", "shop", "mail", "n%7Ds", ""}) {
        for (unsigned shards = 1; shards <= most_shards_in_cluster; ++shards)
            CHECK(spread_tag(name, 0, shards) == spread_tag(name, 0, 1));
    }
}

TEST_CASE("keys are named after the shard's place on a cluster, and as ever on one server") {
    const keys spread{"n}s", 2, 4};
    CHECK(spread.in_cluster());
    CHECK(spread.shard_keys().front() == "errand:{" + spread_tag("n%7Ds", 2, 4) + "}:tasks");
    CHECK(spread.channel("w") == "errand:{" + spread_tag("n%7Ds", 2, 4) + "}:wake:w");
    const keys plain{"n}s", 2};
    CHECK_FALSE(plain.in_cluster());
    CHECK(plain.shard_keys().front() == "errand:{n%7Ds.2}:tasks");
}

TEST_CASE(
    "scripts for a cluster publish to the shard's own server and ask it who hears, and are the same otherwise") {
    const auto plain = all_scripts(), sharded = all_scripts(true);
    REQUIRE(plain.size() == sharded.size());
    int changed = 0;
    const auto back = [&changed](std::string text, const std::string& word, std::size_t prefix) {
        for (auto found = text.find(word); found != text.npos; found = text.find(word)) {
            text.erase(found + 1, prefix);
            ++changed;
        }
        return text;
    };
    for (std::size_t at = 0; at < plain.size(); ++at) {
        CAPTURE(plain[at].name);
        const auto& text = sharded[at].text;
        CHECK(text.find("'PUBLISH'") == std::string::npos);
        CHECK(text.find("'NUMSUB'") == std::string::npos);
        CHECK(back(back(text, "'SPUBLISH'", 1), "'SHARDNUMSUB'", 5) == plain[at].text);
        CHECK((sharded[at].sha == plain[at].sha) == (text == plain[at].text));
    }
    CHECK(changed > 10);
    CHECK(&script_of(script_name::submit_new) != &script_of(script_name::submit_new, true));
}

TEST_CASE("a subscription to a slot's channels is written as SSUBSCRIBE, and no answer to it is waited for") {
    boost::redis::request to;
    to.push("PING");
    const auto answers = to.get_expected_responses();
    const std::string before{to.payload()};
    push_slot_subscription(to, "a", "SUBSCRIBE");
    CHECK(std::string{to.payload()} == before + "*3\r\n$10\r\nSSUBSCRIBE\r\n$1\r\na\r\n$9\r\nSUBSCRIBE\r\n");
    CHECK(to.get_expected_responses() == answers);
}

TEST_CASE("the place that has the keys is read from what a server says of it") {
    CHECK(moved_to("MOVED 916 10.0.0.7:7001") == endpoint{"10.0.0.7", "7001"});
    CHECK(moved_to("Setup request execution failed: MOVED 916 redis-2.example:6379 [x]") ==
          endpoint{"redis-2.example", "6379"});
    CHECK(moved_to("MOVED 916 ::1:7001") == endpoint{"::1", "7001"});
    CHECK(moved_to("MOVED 916 :7001") == endpoint{"", "7001"});
    CHECK(moved_to("MOVED 916 ?:7001") == endpoint{"", "7001"});
    for (const auto* wrong : {"REMOVED 1 h:1", "MOVED", "MOVED 916", "MOVED 916 host", "MOVED 916 h:0",
                              "MOVED 916 h:", "MOVED 916 h:x", "CLUSTERDOWN The cluster is down"}) {
        CAPTURE(wrong);
        CHECK_FALSE(moved_to(wrong));
    }
}

TEST_CASE("the servers of a cluster are read from what one says of all") {
    CHECK(nodes_in("07c3 127.0.0.1:7001@17001 myself,master - 0 0 1 connected 0-5460\n"
                   "a1 10.0.0.2:7002@17002,two.example slave 07c3 0 1 1 connected\n"
                   "a2 10.0.0.3:7003@17003,,shard-id=69bc master - 0 1 2 connected 5461-9000 [5461->-07c3]\n"
                   "a3 ::1:7004@17004 master,fail - 1 1 3 disconnected\n"
                   "a4 :0@0 master,noaddr - 1 1 3 disconnected\n"
                   "a5 10.0.0.6:7006@17006 handshake - 0 0 0 connected\n") ==
          std::vector<endpoint>{{"127.0.0.1", "7001"},
                                {"10.0.0.2", "7002"},
                                {"two.example", "7002"},
                                {"10.0.0.3", "7003"},
                                {"::1", "7004"}});
    CHECK(nodes_in("").empty());
    CHECK(nodes_in("nothing of the kind").empty());
}

TEST_CASE(
    "pauses before the next try of a server grow to a second or so, and differ; who is sent on goes at once") {
    using errand::duration;
    CHECK(pause_of_tries(0, false, 0.5) == duration{80});
    CHECK(pause_of_tries(1, false, 0.5) == duration{80});
    CHECK(pause_of_tries(2, false, 0.5) == duration{160});
    CHECK(pause_of_tries(8, false, 0.5) == duration{1280});
    CHECK(pause_of_tries(4'000'000'000U, false, 0.5) == duration{1280});
    CHECK(pause_of_tries(8, false, 0) == duration{960});
    CHECK(pause_of_tries(8, false, 0.999'999) == duration{1599});
    CHECK(pause_of_tries(7, true, 0.5) == duration{20});
    // Two servers send on to each other.
    CHECK(pause_of_tries(8, true, 0.5) == duration{1280});
}

TEST_CASE("a message of Sentinels is of one master, whatever the others are called") {
    CHECK(is_switch_of("shop", "shop 10.0.0.1 6379 10.0.0.2 6379"));
    CHECK_FALSE(is_switch_of("shop", "shop-2 10.0.0.1 6379 10.0.0.2 6379"));
    CHECK_FALSE(is_switch_of("shop", "sho 10.0.0.1 6379 10.0.0.2 6379"));
}

TEST_CASE("of what several Sentinels say the latest counts, and who knows less is not asked first any more") {
    const endpoint a{"a", "1"}, b{"b", "1"}, c{"c", "1"};
    const named_master old{.server = {"one", "6379"}, .epoch = 4}, now{.server = {"two", "6379"}, .epoch = 5};
    master_choice all{{a, b, c}};
    CHECK_FALSE(all.right());
    auto news = all.hear(1, old);
    CHECK(news.of_master);
    // The first may know as much.
    CHECK_FALSE(news.of_order);
    CHECK(all.right() == old);
    news = all.hear(0, old);
    CHECK_FALSE(news.of_master);
    CHECK_FALSE(news.of_order);

    news = all.hear(2, now);
    CHECK(news.of_master);
    CHECK(news.of_order);
    CHECK(all.right() == now);
    CHECK(all.order() == std::vector{c, a, b});
    // The others follow, one after the other, and one that does not changes nothing.
    news = all.hear(0, now);
    CHECK_FALSE(news.of_master);
    CHECK_FALSE(news.of_order);
    news = all.hear(1, old);
    CHECK_FALSE(news.of_master);
    CHECK_FALSE(news.of_order);
    CHECK(all.order() == std::vector{c, a, b});
}

TEST_CASE("a Sentinel that is asked first and turns out to know less is asked first no more") {
    const endpoint a{"a", "1"}, b{"b", "1"};
    const named_master old{.server = {"one", "6379"}, .epoch = 4}, now{.server = {"two", "6379"}, .epoch = 5};
    master_choice all{{a, b}};
    CHECK(all.hear(1, now).of_master);
    const auto news = all.hear(0, old);
    CHECK_FALSE(news.of_master);
    CHECK(news.of_order);
    CHECK(all.order() == std::vector{b, a});
    CHECK(all.right() == now);
}

TEST_CASE(
    "a server of a cluster behind redis://, and another behind redis+cluster://, are refused with what to write") {
    const std::string of_cluster = "# Cluster\r\ncluster_enabled:1\r\n",
                      alone = "# Cluster\r\ncluster_enabled:0\r\n";
    using enum server_kind;
    CHECK(check_kind(of_cluster, single).value().find("write redis+cluster://") != std::string::npos);
    CHECK(check_kind(of_cluster, sentinels).value().find("write redis+cluster://") != std::string::npos);
    CHECK(check_kind(alone, cluster).value().find("write redis://") != std::string::npos);
    CHECK_FALSE(check_kind(of_cluster, cluster));
    CHECK_FALSE(check_kind(alone, single));
    CHECK_FALSE(check_kind(alone, sentinels));
    CHECK_FALSE(check_kind("nothing of the kind", single));
}

namespace {

std::string master_with(std::vector<std::string> replicas) {
    auto info =
        "# Replication\r\nrole:master\r\nconnected_slaves:" + std::to_string(replicas.size()) + "\r\n";
    for (std::size_t at = 0; at < replicas.size(); ++at) {
        info += "slave" + std::to_string(at) + ":ip=10.0.0.1,port=6379,state=" + replicas[at] +
                ",offset=1,lag=0\r\n";
    }
    return info;
}

}  // namespace

TEST_CASE(
    "a number of replicas that is above or below those that are there is warned of, with the one to write") {
    using enum server_kind;
    const auto one = master_with({"online"}), two = master_with({"online", "online"}), none = master_with({});
    for (const auto kind : {single, cluster, sentinels}) {
        CHECK_FALSE(warn_of_replicas(one, 1, kind));
        CHECK_FALSE(warn_of_replicas(two, 2, kind));
        CHECK(warn_of_replicas(one, 2, kind).value().find("1 replica, and the URL asks for wait=2") !=
              std::string::npos);
        CHECK(warn_of_replicas(none, 1, kind).value().find("no replica, and the URL asks for wait=1") !=
              std::string::npos);
        CHECK(warn_of_replicas(two, 1, kind).value().ends_with("write wait=2"));
        CHECK_FALSE(warn_of_replicas("role:slave\r\nconnected_slaves:0\r\n", 1, kind));
        CHECK_FALSE(warn_of_replicas("nothing of the kind", 1, kind));
    }
    // One that loads its first copy confirms nothing.
    CHECK(warn_of_replicas(master_with({"online", "wait_bgsave"}), 2, cluster).value().find("1 replica,") !=
          std::string::npos);
    CHECK_FALSE(warn_of_replicas(one, 0, single));
    CHECK_FALSE(warn_of_replicas(none, 0, single));
    CHECK(warn_of_replicas(two, 0, cluster).value().ends_with("write ?wait=2"));
    CHECK(warn_of_replicas(none, 0, sentinels).value().ends_with("when it is lost, its tasks are"));
}

TEST_CASE("how far the replicas of a server are is read from what it says of them") {
    errand::shard_look seen;
    read_replicas("role:master\r\nconnected_slaves:3\r\n"
                  "slave0:ip=a,port=1,state=online,offset=900,lag=0\r\n"
                  "slave1:ip=b,port=1,state=wait_bgsave,offset=0,lag=0\r\n"
                  "slave2:ip=c,port=1,state=online,offset=1000,lag=0\r\nmaster_repl_offset:1000\r\n",
                  seen);
    CHECK(seen.replicas == 2);
    CHECK(seen.lag == 100);
    errand::shard_look alone;
    read_replicas("role:master\r\nconnected_slaves:0\r\nmaster_repl_offset:1000\r\n", alone);
    CHECK(alone.replicas == 0);
    CHECK(alone.lag == 0);
}

TEST_CASE("a cluster that takes longer for a successor than calls are repeated is warned of") {
    using namespace std::chrono_literals;
    CHECK(warn_of_node_timeout("15000", 10s));
    CHECK(warn_of_node_timeout("15001", 30s));
    CHECK_FALSE(warn_of_node_timeout("15000", 30s));
    CHECK_FALSE(warn_of_node_timeout("15000", std::nullopt));
    CHECK_FALSE(warn_of_node_timeout("nothing of the kind", 10s));
}

TEST_CASE("a connection goes where it is sent, and else to the next server that is known") {
    const endpoint a{"a", "1"}, b{"b", "1"}, c{"c", "1"}, d{"d", "1"};
    place at{{a, b}};
    CHECK(at.at() == a);
    at.follow(c);
    CHECK(at.at() == c);
    at.leave();
    CHECK(at.at() == b);
    at.leave();
    CHECK(at.at() == a);
    at.learn({b, c, d});
    std::set<std::string> round;
    for (int i = 0; i < 4; ++i) {
        at.leave();
        round.insert(at.at().host);
    }
    CHECK(round == std::set<std::string>{"a", "b", "c", "d"});
}

TEST_CASE("a server that names no host means its own, and one that names itself is left") {
    place at{{endpoint{"a", "1"}, endpoint{"b", "1"}}};
    at.follow({"", "2"});
    CHECK(at.at() == endpoint{"a", "2"});
    at.follow({"a", "2"});
    CHECK(at.at() != endpoint{"a", "2"});
    place only{{endpoint{"a", "1"}}};
    only.leave();
    CHECK(only.at() == endpoint{"a", "1"});
    only.follow({"a", "1"});
    CHECK(only.at() == endpoint{"a", "1"});
}

TEST_CASE("what a cluster answers while keys move and servers fail says whether waiting helps") {
    CHECK(judge("MOVED 916 10.0.0.7:7001").what == remedy::follow);
    CHECK(judge("MOVED 916 10.0.0.7:7001").sentence.find("redis+cluster://") != std::string::npos);
    CHECK(judge("ERR SELECT is not allowed in cluster mode").sentence.find("redis+cluster://") !=
          std::string::npos);
    CHECK(judge("ASK 916 10.0.0.7:7001").what == remedy::wait);
    CHECK(judge("TRYAGAIN Multiple keys request during rehashing of slot").what == remedy::wait);
    // One that is cut off from the others says so for as long as it is asked.
    CHECK(judge("CLUSTERDOWN The cluster is down").what == remedy::reconnect);
}
