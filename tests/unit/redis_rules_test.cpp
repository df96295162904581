// The pure rules of the Redis store: which servers are refused, what an error reply means, how keys are named.
#include "store/redis/keys.hpp"
#include "store/redis/refusal.hpp"
#include "store/redis/script_set.hpp"
#include "store/redis/script_text.hpp"
#include "store/redis/server_check.hpp"

#include <catch2/catch_test_macros.hpp>
#include <catch2/matchers/catch_matchers_string.hpp>

#include <set>

using namespace errand::redis;
using Catch::Matchers::ContainsSubstring;

TEST_CASE("Redis before 6.2 is refused with its version, Valkey and newer ones are taken") {
    for (const char* version : {"2.8.24", "5.0.14", "6.0.16"}) {
        const auto wrong =
            check_version("# Server\r\nredis_version:" + std::string{version} + "\r\nos:Linux\r\n");
        REQUIRE(wrong);
        CHECK_THAT(*wrong, ContainsSubstring(version) && ContainsSubstring("6.2"));
    }
    for (const char* version : {"6.2.0", "7.0.15", "8.2.1", "10.0.0"}) {
        CHECK_FALSE(check_version("redis_version:" + std::string{version} + "\r\n"));
    }
    CHECK_FALSE(check_version("redis_version:7.2.4\r\nserver_name:valkey\r\nvalkey_version:8.0.1\r\n"));
    CHECK_FALSE(check_version("nothing of the kind"));
}

TEST_CASE("only a Redis with a memory limit and an eviction policy is refused") {
    CHECK_FALSE(check_eviction("maxmemory:0\r\nmaxmemory_policy:allkeys-lru\r\n"));
    CHECK_FALSE(check_eviction("maxmemory:100\r\nmaxmemory_policy:noeviction\r\n"));
    CHECK_FALSE(check_eviction(""));
    CHECK_THAT(check_eviction("maxmemory:100\r\nmaxmemory_policy:volatile-ttl\r\n").value(),
               ContainsSubstring("volatile-ttl"));
}

TEST_CASE("a stamp of another format or number of shards is refused") {
    CHECK_FALSE(check_stamp("3", "1", 1));
    CHECK_FALSE(check_stamp("4", "1", 1));
    CHECK_THAT(check_stamp("5", "1", 1).value(), ContainsSubstring("knows only 4: use a newer"));
    CHECK_THAT(check_stamp("1", "1", 1).value(), ContainsSubstring("no longer knows formats before 3"));
    CHECK_THAT(check_stamp("3", "8", 1).value(), ContainsSubstring("8 shard"));
    CHECK(refused_stamp("STAMP 5 1", 1) == check_stamp("5", "1", 1));
    CHECK(refused_stamp("STAMP 3 8", 1) == check_stamp("3", "8", 1));
    CHECK_FALSE(refused_stamp("LOADING Redis is loading the dataset in memory", 1));
}

TEST_CASE("an error reply says whether repeating helps") {
    CHECK(judge("NOSCRIPT No matching script.").what == remedy::load_script);
    CHECK(judge("OOM command not allowed when used memory > 'maxmemory'.").what == remedy::free_memory);
    CHECK(judge("ERR Error running script: @user_script: 1: -OOM command not allowed").what ==
          remedy::free_memory);
    CHECK(judge("LOADING Redis is loading the dataset in memory").what == remedy::wait);
    CHECK(judge("READONLY You can't write against a read only replica.").what == remedy::reconnect);
    CHECK(judge("MASTERDOWN Link with MASTER is down and replica-serve-stale-data is set to 'no'.").what ==
          remedy::reconnect);
    CHECK(judge("MISCONF Redis is configured to save RDB snapshots").what == remedy::wait);
    CHECK(judge("BUSY Redis is busy running a script.").what == remedy::wait);
    CHECK(judge("NOAUTH Authentication required.").what == remedy::give_up);
    CHECK(judge("ERR wrong type").what == remedy::give_up);
    CHECK(judge("BUSYKEY Target key name already exists").what == remedy::give_up);
    CHECK_THAT(judge("ERR wrong type").sentence, ContainsSubstring("ERR wrong type"));
}

TEST_CASE("an error that Redis 6.2 wraps in one of the script's means what the inner one means") {
    const auto wrapped = [](const std::string& error) {
        return "ERR Error running script (call to f_7d9b61b0e8a8d0f2ed3a29f1f7d7a3b1b6a3c5f0): @user_script:12: "
               "@user_script: 12: -" +
               error + " ";
    };
    CHECK(judge(wrapped("READONLY You can't write against a read only replica.")).what == remedy::reconnect);
    CHECK(judge(wrapped("MISCONF Redis is configured to save RDB snapshots, but it is currently not able to "
                        "persist on disk."))
              .what == remedy::wait);
    CHECK(judge(wrapped("OOM command not allowed when used memory > 'maxmemory'.")).what ==
          remedy::free_memory);
    CHECK(judge(wrapped("NOREPLICAS Not enough good replicas to write.")).what == remedy::wait);
    CHECK(judge(wrapped("ERR wrong number of arguments")).what == remedy::give_up);
    CHECK(judge("ERR Error running script (call to f_7d9b): @user_script:3: user_script:3: a READONLY word")
              .what == remedy::give_up);
    // Redis 7 puts the error first.
    CHECK(judge("MISCONF Errors writing to the AOF file: No space left on device script: 5ba9, on "
                "@user_script:12.")
              .what == remedy::wait);
    CHECK(judge("ERR unknown command script: 5ba9, on @user_script:12.").what == remedy::give_up);
}

TEST_CASE("no user's name reaches into another key") {
    CHECK(escaped("mail.high-prio_1") == "mail.high-prio_1");
    CHECK(escaped("a:b{c}/d e%\n") == "a%3Ab%7Bc%7D%2Fd%20e%25%0A");
    const keys all{"n}s", 0};
    CHECK(all.shard_keys().front() == "errand:{n%7Ds.0}:tasks");
    CHECK(all.of_queue("a:b")[0] == "errand:{n%7Ds.0}:ready:a%3Ab");
    CHECK(all.history("q:1", std::chrono::seconds{2}) == "errand:{n%7Ds.0}:history:q%3A1:2000");
}

TEST_CASE("each script is put together from its files and has a name of its own") {
    std::set<std::string> digests;
    for (const auto& script : all_scripts()) {
        CHECK(script.sha.size() == 40);
        CHECK(digests.insert(script.sha).second);
    }
    CHECK(script_of(script_name::leave).name == "leave");
    CHECK(script_of(script_name::open).name == "open");
    CHECK(script_of(script_name::work).name == "work");
}

namespace {

std::string script_of_files(std::vector<errand::embedded_text> files) {
    return script_text_of(files.front().name, files);
}

}  // namespace

TEST_CASE("a script has what its files need, each once, what only defines first") {
    CHECK(
        script_of_files({{"last", "-- Needs:   lib_b step\nlast\n"},
                         {"step", "-- What it does.\n-- Needs: lib_a\nstep\n"},
                         {"lib_b", "-- Needs: lib_a\nb\n"},
                         {"lib_a", "-- A.\na\n"}}) ==
        "-- A.\na\n-- Needs: lib_a\nb\n-- What it does.\n-- Needs: lib_a\nstep\n-- Needs:   lib_b step\nlast\n");
    // What a function holds is not there twice, and nothing behind the first lines counts.
    CHECK(script_of_files({{"last", "-- Needs: lib_a\n-- Within: seldom more\nlast\n-- Needs: nothing\n"},
                           {"more", "-- Needs: lib_a lib_b\nreturn b\n"},
                           {"lib_b", "b\n"},
                           {"lib_a", "a\n"}}) ==
          "a\nlocal function seldom()\nb\n-- Needs: lib_a lib_b\nreturn b\nend\n"
          "-- Needs: lib_a\n-- Within: seldom more\nlast\n-- Needs: nothing\n");
    // What a file keeps to itself ends with its block.
    CHECK(script_of_files({{"last", "-- Needs: lib_a step\nlast\n"},
                           {"step", "-- Gives: d\nd = 1\n"},
                           {"lib_a", "-- A.\n-- Gives: a\n-- Gives:  b c\na, b, c = 1\n"}}) ==
          "local a, b, c\ndo\n-- A.\n-- Gives: a\n-- Gives:  b c\na, b, c = 1\nend\n"
          "local d\ndo\n-- Gives: d\nd = 1\nend\n-- Needs: lib_a step\nlast\n");
    CHECK_THROWS_AS(script_of_files({{"last", "-- Needs: lib_a\n"}}), std::logic_error);
    CHECK_THROWS_AS(script_of_files({{"lib_a", "-- Needs: lib_b\n"}, {"lib_b", "-- Needs: lib_a\n"}}),
                    std::logic_error);
}
