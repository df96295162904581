// Where the shards of a cluster lie, and how a connection finds the server that has its own.
#include "store/redis/keys.hpp"
#include "store/redis/place.hpp"
#include "store/redis/refusal.hpp"
#include "store/redis/script_set.hpp"
#include "store/redis/slot.hpp"

#include <catch2/catch_test_macros.hpp>

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

TEST_CASE("keys are named after the shard's place on a cluster, and as ever on one server") {
    const keys spread{"n}s", 2, 4};
    CHECK(spread.in_cluster());
    CHECK(spread.shard_keys().front() == "errand:{" + spread_tag("n%7Ds", 2, 4) + "}:tasks");
    CHECK(spread.channel("w") == "errand:{" + spread_tag("n%7Ds", 2, 4) + "}:wake:w");
    const keys plain{"n}s", 2};
    CHECK_FALSE(plain.in_cluster());
    CHECK(plain.shard_keys().front() == "errand:{n%7Ds.2}:tasks");
}

TEST_CASE("scripts for a cluster publish to the shard's own server, and are the same otherwise") {
    const auto plain = all_scripts(), sharded = all_scripts(true);
    REQUIRE(plain.size() == sharded.size());
    int publishing = 0;
    for (std::size_t at = 0; at < plain.size(); ++at) {
        CAPTURE(plain[at].name);
        CHECK(plain[at].text.find("SPUBLISH") == std::string::npos);
        CHECK(sharded[at].text.find("'PUBLISH'") == std::string::npos);
        auto back = sharded[at].text;
        for (auto found = back.find("'SPUBLISH'"); found != back.npos; found = back.find("'SPUBLISH'")) {
            back.erase(found + 1, 1);
            ++publishing;
        }
        CHECK(back == plain[at].text);
        CHECK((sharded[at].sha == plain[at].sha) == (sharded[at].text == plain[at].text));
    }
    CHECK(publishing > 10);
    CHECK(&script_of(script_name::submit_new) != &script_of(script_name::submit_new, true));
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
    std::vector<endpoint> round;
    for (int i = 0; i < 4; ++i) {
        at.leave();
        round.push_back(at.at());
    }
    CHECK(round == std::vector{b, c, d, a});
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
    CHECK(judge("CLUSTERDOWN The cluster is down").what == remedy::wait);
}
