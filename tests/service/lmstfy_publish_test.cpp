// How jobs are published by lmstfy's API: in place of others, many at once, with attributes, once.
#include "service/lmstfy/job_id.hpp"
#include "service/lmstfy_shop.hpp"
#include "support/shards.hpp"

#include <catch2/catch_test_macros.hpp>

#include <algorithm>
#include <string>
#include <utility>
#include <vector>

using service_test::data_of;
using service_test::job_id_of;
using service_test::lmstfy_shop;
namespace json = boost::json;

TEST_CASE("a job is published in place of another one, or not at all", "[service]") {
    lmstfy_shop shop;
    auto at = shop.connect();
    const auto old = at.publish("q", "old");
    for (const auto* bad : {"?tries=0", "?ttl=1&delay=2", "?ttl=x"}) {
        CHECK(at.ask("PUT", "q/job/" + old + bad, "new").status == 400);
        CHECK(at.ask("GET", "q/job/" + old).status == 200);
    }
    CHECK(at.ask("PUT", "q/job/" + old, std::string(1'048'577, 'x')).status == 413);
    auto again = shop.connect();
    CHECK(again.size("q") == 1);
    const auto held = job_id_of(again.consume("q?ttr=30"));
    CHECK(held == old);
    const auto id = again.publish("q/job/" + old + "?ttl=1000&tries=1&delay=0", "new");
    CHECK(id != old);
    CHECK(again.ask("GET", "q/job/" + old).status == 404);
    const auto job = again.consume("q");
    CHECK(job_id_of(job) == id);
    CHECK(data_of(job) == "bmV3");
    const auto seconds_left = job.at("ttl").to_number<int>();
    CHECK(seconds_left <= 1000);
    CHECK(seconds_left > 900);
    again.publish("q/job/unknown", "more");
    CHECK(again.size("q") == 1);
}

TEST_CASE("a job takes the place of one that is ready, delayed, held or dead, and is kept beside it",
          "[service]") {
    lmstfy_shop shop;
    auto at = shop.connect();
    const std::size_t shards = std::max<std::size_t>(errand::test::shards_of_tests(), 1);
    const auto shard_of = [&](const std::string& job) {
        const auto id = errand::lmstfy::read_job_id(job);
        REQUIRE(id);
        return errand::shard_of_id(*id, shards);
    };
    for (int round = 0; round < 6; ++round) {
        const auto ready = at.publish("ready", "old");
        const auto delayed = at.publish("delayed?delay=1000", "old");
        const auto held = at.publish("held", "old");
        at.consume("held?ttr=1000");
        const auto dead = at.publish("dead", "old");
        at.consume("dead?ttr=0");
        at.until_dead("dead");
        for (const auto& [queue, old] : {std::pair{"ready", ready}, std::pair{"delayed", delayed},
                                         std::pair{"held", held}, std::pair{"dead", dead}}) {
            INFO(queue);
            const auto id = at.publish(std::string{queue} + "/job/" + old, "new");
            CHECK(shard_of(id) == shard_of(old));
            CHECK(at.ask("GET", std::string{queue} + "/job/" + old).status == 404);
            CHECK(at.size(queue) == 1);
            CHECK(at.dead(queue) == 0);
            CHECK(job_id_of(at.consume(std::string{queue} + "?ttr=1000")) == id);
            at.acknowledge(queue, id);
            // Whoever held it is late.
            at.acknowledge(queue, old);
        }
    }
    CHECK(shop.t.run(shop.t.app.inspect().check()).found == 0);
}

TEST_CASE("what takes the place of another by a key does so once, however often it is said", "[service]") {
    lmstfy_shop shop;
    auto at = shop.connect();
    const auto old = at.publish("q?delay=1000", "old");
    const auto id = at.publish("q/job/" + old, "new", {"Idempotency-Key: k"});
    CHECK(at.publish("q/job/" + old, "new", {"Idempotency-Key: k"}) == id);
    CHECK(at.publish("q/job/" + id, "new", {"Idempotency-Key: k"}) == id);
    CHECK(at.ask("GET", "q/job/" + old).status == 404);
    CHECK(at.size("q") == 1);
    // The key is there already: the other ends all the same.
    const auto second = at.publish("q?delay=1000", "old");
    CHECK(at.publish("q/job/" + second, "new", {"Idempotency-Key: k"}) == id);
    CHECK(at.ask("GET", "q/job/" + second).status == 404);
    // Of other data nothing ends.
    const auto third = at.publish("q?delay=1000", "old");
    CHECK(at.ask("PUT", "q/job/" + third, "other", {"Idempotency-Key: k"}).status == 422);
    CHECK(at.ask("GET", "q/job/" + third).status == 200);
}

TEST_CASE("a bulk keeps its elements byte for byte and is published whole or not at all", "[service]") {
    lmstfy_shop shop;
    auto at = shop.connect();
    const auto got = at.ask("PUT", "q/bulk?ttl=0&tries=2",
                            "  [ { \"a\" :  1 } ,12345678901234567890, 1.50e+2,\"x,]\\\"\" ,null,[ 1 ]] ");
    CHECK(got.status == 201);
    const auto ids = got.json().at("job_ids").as_array();
    REQUIRE(ids.size() == 6);
    const auto jobs = at.ask("GET", "q?count=100").json().as_array();
    REQUIRE(jobs.size() == 6);
    const std::vector<std::string> data{
        "eyAiYSIgOiAgMSB9", "MTIzNDU2Nzg5MDEyMzQ1Njc4OTA=", "MS41MGUrMg==", "IngsXVwiIg==", "bnVsbA==",
        "WyAxIF0="};
    for (std::size_t i = 0; i < jobs.size(); ++i) {
        CHECK(jobs[i].at("job_id") == ids[i]);
        CHECK(jobs[i].at("data") == json::string_view{data[i]});
        CHECK(jobs[i].at("ttl") == 0);
    }
    std::string many = "[0";
    for (int i = 0; i < 64; ++i) many += ",0";
    const std::string large = "\"" + std::string(1'048'576, 'x') + '"';
    for (const auto& bad : {std::string{}, std::string{"[]"}, std::string{"null"}, std::string{"{}"},
                            std::string{"[1"}, std::string{"[1,]"}, many + ']'}) {
        INFO(bad);
        CHECK(at.ask("PUT", "q/bulk", bad).status == 400);
    }
    CHECK(at.ask("PUT", "q/bulk", "[1," + large + "]").status == 413);
    CHECK(at.ask("PUT", "q/bulk?tries=0", "[1]").status == 400);
    CHECK(at.size("q") == 0);
    // The whole may be larger than one job.
    const std::string half = "\"" + std::string(600'000, 'x') + '"';
    CHECK(at.ask("PUT", "q/bulk", "[" + half + "," + half + "]").status == 201);
    CHECK(at.size("q") == 2);
}

TEST_CASE("attributes come with a job version, in small letters, cut and counted", "[service]") {
    lmstfy_shop shop;
    auto at = shop.connect();
    const std::vector<std::string> headers{
        "enable-job-version: yes", "Job-Attr-Trace-Id: AbC",
        "Job-Attr-Empty:", "Job-Attr-" + std::string(40, 'N') + ": " + std::string(200, 'v')};
    const auto id = at.publish("q", "x", headers);
    CHECK(id.size() == 27);
    CHECK(id.front() == '1');
    const json::value attributes{{"trace-id", "AbC"}, {std::string(32, 'n'), std::string(128, 'v')}};
    CHECK(at.ask("GET", "q/peek").json().at("attributes") == attributes);
    CHECK(at.ask("GET", "q/job/" + id).json().at("attributes") == attributes);
    const auto job = at.consume("q");
    CHECK(job.at("attributes") == attributes);
    CHECK(job_id_of(job) == id);
    at.acknowledge("q", id);
    CHECK(at.ask("GET", "q/job/" + id).status == 404);
    // Nobody speaks of versions.
    at.publish("q", "x", {"Job-Attr-Trace-Id: AbC"});
    CHECK(at.consume("q").at("attributes").is_null());
    std::vector<std::string> many{"Enable-Job-Version: YES"};
    for (int i = 0; i < 17; ++i) many.push_back("Job-Attr-a" + std::to_string(i) + ": v");
    CHECK(at.ask("PUT", "q", "x", many).status == 400);
    many.pop_back();
    CHECK(at.ask("PUT", "q", "x", many).status == 201);
    CHECK(at.ask("PUT", "q/bulk", "[1,2]", {"Enable-Job-Version: YES", "Job-Attr-A: b"}).status == 201);
    const auto bulk = at.ask("GET", "q?count=9").json().as_array();
    REQUIRE(bulk.size() == 3);
    CHECK(bulk[2].at("attributes") == json::value{{"a", "b"}});
}

TEST_CASE("publications with the same Idempotency-Key are one, as long as it is there", "[service]") {
    lmstfy_shop shop;
    auto at = shop.connect();
    const auto id = at.publish("q", "x", {"Idempotency-Key: k"});
    CHECK(at.publish("q", "x", {"Idempotency-Key: k"}) == id);
    CHECK(at.publish("q", "x", {"Idempotency-Key: l"}) != id);
    CHECK(at.size("q") == 2);
    CHECK(at.ask("PUT", "q/bulk", "[1,2]", {"Idempotency-Key: m"}).body ==
          at.ask("PUT", "q/bulk", "[1,2]", {"Idempotency-Key: m"}).body);
    CHECK(at.size("q") == 4);
}
