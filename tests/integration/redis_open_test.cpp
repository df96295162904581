// Opening: what is refused, in one sentence that says what to do; and a Redis that is full.
#include <errand/error.hpp>

#include "support/redis_fixture.hpp"
#include "support/tcp_gate.hpp"

#include <catch2/matchers/catch_matchers_exception.hpp>
#include <catch2/matchers/catch_matchers_string.hpp>

using namespace errand;
using namespace errand::test;
using namespace std::chrono_literals;
using Catch::Matchers::ContainsSubstring;
using Catch::Matchers::MessageMatches;

namespace {

store_settings settings_for(const std::string& url, duration patience = 500ms) {
    store_settings with;
    with.url = url;
    with.name = "w";
    with.patience = patience;
    return with;
}

// From now on Redis holds more than it may.
void fill_up(redis_fixture& redis) { redis.redis({"CONFIG", "SET", "maxmemory", "100kb"}); }

}  // namespace

TEST_CASE("a store works over TCP, with a database, a user and a password") {
    redis_fixture redis{{.tcp = true}};
    redis.redis({"ACL", "SETUSER", "anna", "on", ">s%cret", "~*", "&*", "+@all"});
    auto with = redis.settings("w");
    with.url = "redis://anna:s%25cret@127.0.0.1:" + std::to_string(redis.server.port()) + "/3";
    auto worker = redis.join(with);
    redis.submit(worker, item_of("a"));
    CHECK(redis.redis({"EXISTS", redis.key("tasks")}) == "0");
    CHECK(redis.claim(worker, 1).claimed.size() == 1);
}

TEST_CASE("a store works over TLS and does not trust a certificate it cannot verify") {
    redis_fixture redis{{.tls = true}};
    auto with = redis.settings("w");
    with.url = redis.server.tcp_url() + "?ca=" + (redis.server.folder() / "cert.pem").string();
    auto worker = redis.join(with);
    redis.submit(worker, item_of("a"));
    CHECK(redis.claim(worker, 1).claimed.size() == 1);

    with.url = redis.server.tcp_url();
    with.patience = 500ms;
    CHECK_THROWS_AS(redis.join(with), store_error);
    with.url = redis.server.tcp_url() + "?ca=/no/such/file";
    CHECK_THROWS_MATCHES(redis.join(with), usage_error, MessageMatches(ContainsSubstring("/no/such/file")));
}

TEST_CASE("an unreachable Redis is an error that names it and the cause") {
    redis_fixture redis;
    CHECK_THROWS_MATCHES(redis.join(settings_for("redis+unix:///no/such/socket")), store_error,
                         MessageMatches(ContainsSubstring("/no/such/socket") &&
                                        ContainsSubstring("No such file")));
    CHECK_THROWS_MATCHES(redis.join(settings_for("redis://127.0.0.1:1")), store_error,
                         MessageMatches(ContainsSubstring("127.0.0.1:1") && ContainsSubstring("refused")));
}

TEST_CASE("a wrong password is refused at once, and never shown") {
    redis_fixture redis{{.tcp = true}};
    redis.redis({"CONFIG", "SET", "requirepass", "right"});
    const auto at = "127.0.0.1:" + std::to_string(redis.server.port());
    CHECK_THROWS_MATCHES(redis.join(settings_for("redis://:wr0ng@" + at, 1h)), store_error,
                         MessageMatches(ContainsSubstring("password") && !ContainsSubstring("wr0ng")));
    CHECK_THROWS_MATCHES(redis.join(settings_for("redis://" + at, 1h)), store_error,
                         MessageMatches(ContainsSubstring("wants a password")));
}

TEST_CASE("a user who may not subscribe is refused, and no answer goes to the wrong call") {
    redis_fixture redis;
    redis.redis({"ACL", "SETUSER", "default", "resetchannels"});
    CHECK_THROWS_MATCHES(redis.join(settings_for(redis.server.url(), 1h)), store_error,
                         MessageMatches(ContainsSubstring("channels") && ContainsSubstring("NOPERM")));
}

TEST_CASE("a Redis that would delete tasks when it is full is refused") {
    redis_fixture redis{{.arguments = {"--maxmemory", "100mb", "--maxmemory-policy", "allkeys-lru"}}};
    CHECK_THROWS_MATCHES(redis.join("w"), store_error,
                         MessageMatches(ContainsSubstring("allkeys-lru") && ContainsSubstring("noeviction")));
}

TEST_CASE("a user who may not call INFO is told that the checks were left out") {
    redis_fixture redis;
    redis.redis({"ACL", "SETUSER", "default", "-info"});
    auto worker = redis.join("w");
    REQUIRE(redis.troubles.size() == 1);
    CHECK_THAT(redis.troubles[0], ContainsSubstring("INFO"));
    CHECK(redis.submit(worker, item_of("a")).verdict == submit_verdict::accepted);
}

TEST_CASE("a namespace of another format or number of shards is refused, and left as it is") {
    redis_fixture redis;
    {
        auto first = redis.join("w");
    }
    redis.redis({"HSET", redis.key("control"), "format", "5"});
    CHECK_THROWS_MATCHES(redis.join("w"), store_error,
                         MessageMatches(ContainsSubstring("format 5") && ContainsSubstring("newer errand")));
    redis.redis({"HSET", redis.key("control"), "format", "3", "shards", "4"});
    CHECK_THROWS_MATCHES(redis.join("w"), store_error, MessageMatches(ContainsSubstring("4 shard")));
}

TEST_CASE("namespaces share nothing") {
    redis_fixture redis;
    auto one = redis.join("w");
    auto with = redis.settings("w");
    with.name_space = "other}:{";
    auto other = redis.join(with);
    redis.submit(one, item_of("a"));
    CHECK(redis.claim(other, 1).claimed.empty());
    CHECK(redis.claim(one, 1).claimed.size() == 1);
}

TEST_CASE("a full Redis refuses submissions, and still takes every report, extension and cancellation") {
    redis_fixture redis;
    auto worker = redis.join("w");
    redis.submit_all(worker, {item_of("a"), item_of("b"), item_of("c"), item_of("d"), item_of("e")});
    auto watched = item_of("f");
    redis.submit(worker, watched);
    const auto got = redis.claim(worker, 4).claimed;
    fill_up(redis);

    const auto refused = item_of("x");
    CHECK_THROWS_MATCHES(redis.submit_all(worker, {refused, item_of("y", "default", 2)}), store_error,
                         MessageMatches(ContainsSubstring("Redis is full") &&
                                        ContainsSubstring("it was not done")));
    CHECK_FALSE(await(redis.io, worker->find(refused.id)));
    CHECK(redis.size_of("urgent:default") == "0");

    const std::vector waited{watched_task{watched.id}};
    CHECK(await(redis.io, worker->watch(waited)).unknown.empty());
    extend_call extension;
    extension.claims = {got[0].claim};
    CHECK(await(redis.io, worker->extend(extension)).lost_claims.empty());
    CHECK(redis.finish(worker, {success_of(got[0]), report_of(got[1], report::kind::give_back),
                                report_of(got[2], report::kind::later, 1h), success_of(got[3], 0ms)}) ==
          std::vector(4, report_verdict::accepted));
    CHECK(await(redis.io, worker->cancel(watched.id, 0, outcome_of(state::cancelled))).cancelled);
    CHECK(await(redis.io, worker->beat("{}", 30s, {})).alive == 1);
    const auto more = redis.claim(worker, 5).claimed;
    REQUIRE(more.size() == 2);
    CHECK(args_of(more[0]) == "b");
    const std::vector<std::string> queues{"default"};
    await(redis.io, worker->promote(queues, 10, outcome_of(state::expired)));
    // Another process can still come.
    auto other = redis.join("o");
    CHECK(redis.finish(other, {success_of(more[0]), success_of(more[1])}) ==
          std::vector(2, report_verdict::accepted));
}

TEST_CASE("a worker whose queues are all paused reports and waits on a full Redis") {
    redis_fixture redis;
    auto worker = redis.join("w");
    redis.submit_all(worker, {item_of("a"), item_of("b")});
    const auto got = redis.claim(worker, 2).claimed;
    await(redis.io, worker->pause("default"));
    fill_up(redis);
    const auto work = [&](std::vector<report> reports) {
        work_call call;
        call.reports = std::move(reports);
        call.claim = {.queues = {"default"}, .limit = 5};
        return await(redis.io, worker->work(call));
    };
    CHECK(work({}).claimed.empty());
    CHECK(redis.size_of("idle:default") == "1");
    CHECK(work({success_of(got[0]), report_of(got[1], report::kind::give_back)}).verdicts ==
          std::vector(2, report_verdict::accepted));
    await(redis.io, worker->resume("default"));
    CHECK(work({}).claimed.size() == 1);
}

TEST_CASE("an idle store sends fewer than one command a second") {
    redis_fixture redis;
    auto worker = redis.join("w");
    redis.claim(worker, 1);
    const auto count = [&] {
        const auto info = redis.redis({"INFO", "stats"});
        return std::stoi(info.substr(info.find("total_commands_processed:") + 25));
    };
    const auto before = count();
    const auto end = std::chrono::steady_clock::now() + 2500ms;
    redis.until([&] { return std::chrono::steady_clock::now() > end; });
    // This count itself is one.
    CHECK(count() - before - 1 <= 2);
}
