// Jobs by lmstfy's API: published, taken, acknowledged, tried again, dead.
#include "service/lmstfy/job_id.hpp"
#include "service/lmstfy_shop.hpp"
#include "support/shards.hpp"

#include <boost/json/serialize.hpp>

#include <catch2/catch_test_macros.hpp>

#include <algorithm>
#include <chrono>
#include <memory>
#include <set>
#include <string>
#include <vector>

using namespace std::chrono_literals;
using service_test::client;
using service_test::data_of;
using service_test::job_id_of;
using service_test::lmstfy_client;
using service_test::lmstfy_shop;
using service_test::response;
namespace json = boost::json;

TEST_CASE("a job that is published is seen, taken once, acknowledged, and gone", "[service]") {
    lmstfy_shop shop;
    for (const auto& name : {shop.name(), shop.other()}) {
        INFO(name);
        auto at = shop.connect(name);
        const auto id = at.publish("q?delay=0&ttl=10&tries=2", "hello");
        CHECK(id.size() == 26);
        CHECK(id.find_first_not_of("0123456789ABCDEFGHJKMNPQRSTVWXYZ") == id.npos);
        CHECK(at.size("q") == 1);
        auto seen = at.ask("GET", "q/peek");
        CHECK(seen.status == 200);
        CHECK(seen.json().at("job_id") == json::string_view{id});
        CHECK(seen.json().at("remain_tries") == 2);
        CHECK_FALSE(seen.json().as_object().contains("msg"));
        const auto job = at.consume("q?ttr=30&timeout=1&freeze_tries=true");
        CHECK(job.at("namespace") == json::string_view{name});
        CHECK(job.at("queue") == "q");
        CHECK(job_id_of(job) == id);
        CHECK(data_of(job) == "aGVsbG8=");
        CHECK(job.at("ttl") == 10);
        CHECK(job.at("remain_tries") == 1);
        CHECK(job.at("elapsed_ms").to_number<std::int64_t>() >= 0);
        CHECK(job.at("attributes").is_null());
        CHECK(at.is_empty("q?timeout=0"));
        CHECK(at.size("q") == 0);
        CHECK(at.ask("GET", "q/peek").status == 404);
        CHECK(at.ask("GET", "q/job/" + id).json().at("data") == "aGVsbG8=");
        at.acknowledge("q", id);
        at.acknowledge("q", id);
        CHECK(at.ask("GET", "q/job/" + id).status == 404);
        CHECK(at.ask("GET", "q/job/" + id).json().at("error") == "job not found");
    }
}

TEST_CASE("jobs are any bytes up to a mebibyte, and keep them", "[service]") {
    lmstfy_shop shop;
    auto at = shop.connect();
    at.publish("q", "");
    CHECK(data_of(at.consume("q")).empty());
    at.publish("q", std::string{"\0\xff\"\\\n", 5});
    CHECK(data_of(at.consume("q")) == "AP8iXAo=");
    const std::string largest(1'048'576, 'x');
    at.publish("q", largest);
    CHECK(data_of(at.consume("q")).size() == (largest.size() + 2) / 3 * 4);
    const auto got = at.ask("PUT", "q", largest + 'x');
    CHECK(got.status == 413);
    CHECK(got.json().at("error").as_string().starts_with("body too large"));
    CHECK(got.closes());
    auto again = shop.connect();
    CHECK(again.size("q") == 0);
}

TEST_CASE("jobs of a queue are taken in the order in which they became ready", "[service]") {
    lmstfy_shop shop;
    auto at = shop.connect();
    std::vector<std::string> ids;
    for (int i = 0; i < 5; ++i) ids.push_back(at.publish("q", std::to_string(i)));
    for (const auto& id : ids) CHECK(job_id_of(at.consume("q")) == id);
}

TEST_CASE("a batch takes what is there, at most so many, and is an array also of one", "[service]") {
    lmstfy_shop shop;
    auto at = shop.connect();
    for (int i = 0; i < 4; ++i) at.publish("q", std::to_string(i));
    CHECK(at.ask("GET", "q?count=3").json().as_array().size() == 3);
    CHECK(at.ask("GET", "q?count=3").json().as_array().size() == 1);
    const auto begun = std::chrono::steady_clock::now();
    CHECK(at.is_empty("q?count=3&timeout=1"));
    CHECK(std::chrono::steady_clock::now() - begun >= 1s);
}

TEST_CASE("of several queues the first that has a job is served, and empty names are passed over",
          "[service]") {
    lmstfy_shop shop;
    auto at = shop.connect();
    at.publish("q1", "1");
    at.publish("q2", "2");
    at.publish("q2", "3");
    CHECK(at.consume("q2,q1?timeout=0").at("queue") == "q2");
    const auto got = at.ask("GET", ",q1,,q2%2Cq3,?count=10").json().as_array();
    REQUIRE(got.size() == 2);
    CHECK(got[0].at("queue") == "q1");
    CHECK(got[1].at("queue") == "q2");
    CHECK(at.ask("GET", ",,").status == 400);
}

TEST_CASE("who waits gets a job as soon as one is there, whichever of his queues it is in", "[service]") {
    lmstfy_shop shop;
    auto at = shop.connect();
    auto waiter = shop.connect();
    waiter.line().send("GET /api/" + shop.name() +
                       "/a,b?timeout=50&count=10 HTTP/1.1\r\nHost: x\r\nX-Token:" + at.token() + "\r\n\r\n");
    at.publish("b", "now");
    const auto got = waiter.line().receive();
    CHECK(got.status == 200);
    CHECK(got.json().as_array().size() == 1);
    // A delay of a second, and not less.
    const auto id = at.publish("late?delay=1", "later");
    CHECK(at.is_empty("late"));
    CHECK(at.ask("GET", "late/peek").status == 404);
    CHECK(at.size("late") == 0);
    const auto job = at.consume("late?timeout=50");
    CHECK(job_id_of(job) == id);
    CHECK(job.at("elapsed_ms").to_number<std::int64_t>() >= 1000);
}

TEST_CASE("of those who ask together for jobs of which one answer carries only one each gets one",
          "[service]") {
    lmstfy_shop shop;
    constexpr int askers = 6;
    for (const auto& name : {shop.name(), shop.other()}) {
        INFO(name);
        auto at = shop.connect(name);
        const auto request = "GET /api/" + name + "/q?ttr=600 HTTP/1.1\r\nHost: " + at.line().host() +
                             "\r\nX-Token: " + at.token() + "\r\n\r\n";
        std::vector<std::unique_ptr<client>> lines;
        for (int i = 0; i < askers; ++i) lines.push_back(std::make_unique<client>(shop.at->api.front()));
        for (int round = 0; round < 3; ++round) {
            std::set<std::string> published;
            std::set<std::string> got;
            for (int i = 0; i < askers; ++i) published.insert(at.publish("q", std::string(400'000, 'x')));
            for (const auto& one : lines) one->send(request);
            for (const auto& one : lines) {
                const auto answer = one->receive();
                CHECK(answer.status == 200);
                if (answer.status == 200) got.insert(job_id_of(answer.json().as_object()));
            }
            CHECK(got == published);
        }
    }
}

TEST_CASE("who hangs up while it waits takes no job and costs none a try", "[service]") {
    lmstfy_shop shop;
    for (const auto& name : {shop.name(), shop.other()}) {
        auto at = shop.connect(name);
        for (int i = 0; i < 3; ++i) {
            auto waiter = shop.connect(name);
            waiter.line().send("GET /api/" + std::string{name} +
                               "/q?timeout=50 HTTP/1.1\r\nHost: x\r\nX-Token: " + at.token() + "\r\n\r\n");
            waiter.line().close();
        }
        at.publish("q", "x");
        const auto job = at.consume("q?timeout=50");
        CHECK(job.at("remain_tries") == 0);
        CHECK(at.dead("q") == 0);
    }
}

TEST_CASE("a job has as many deliveries as tries, each for its ttr, and is dead after the last",
          "[service]") {
    lmstfy_shop shop;
    auto at = shop.connect();
    const auto id = at.publish("q?tries=3", "x");
    for (int left = 2; left >= 0; --left) {
        const auto job = at.consume("q?ttr=1&timeout=50");
        CHECK(job_id_of(job) == id);
        CHECK(job.at("remain_tries") == left);
    }
    at.until_dead("q");
    CHECK(at.is_empty("q"));
    const auto head = at.ask("GET", "q/deadletter").json();
    CHECK(head ==
          json::value{
              {"namespace", shop.name()}, {"queue", "q"}, {"deadletter_size", 1}, {"deadletter_head", id}});
    const auto dead = at.ask("GET", "q/job/" + id).json();
    CHECK(dead.at("data") == "eA==");
    CHECK(dead.at("ttl") == 0);
    CHECK(dead.at("remain_tries") == 0);
}

TEST_CASE("a ttr of nothing is a delivery, and a retry goes to the tail", "[service]") {
    lmstfy_shop shop;
    auto at = shop.connect();
    const auto first = at.publish("q?tries=2", "1");
    const auto second = at.publish("q?tries=2", "2");
    CHECK(job_id_of(at.consume("q?ttr=0")) == first);
    errand::test::eventually([&] { return at.size("q") == 2; });
    CHECK(job_id_of(at.consume("q?ttr=30")) == second);
    CHECK(job_id_of(at.consume("q?ttr=0&timeout=50")) == first);
    at.until_dead("q");
}

TEST_CASE("what depends on a dead job waits for it again when it has been respawned", "[service]") {
    lmstfy_shop shop;
    auto at = shop.connect();
    at.publish("q", "x");
    auto& app = shop.t.app;
    const auto jobs = shop.t.run(app.inspect().list({.state = errand::state::ready, .queue = "q"})).tasks;
    REQUIRE(jobs.size() == 1);
    const auto job = shop.t.run(app.find<json::value>(jobs[0].id));
    REQUIRE(job.has_value());
    const std::vector<std::tuple<json::value>> items(300, std::tuple{json::value("x")});
    const auto heirs =
        shop.t.run(app.handler<service_test::parcel>().with({.after = {*job}}).perform_bulk(items));
    at.consume("q?ttr=0");
    at.until_dead("q");
    for (const auto& one : heirs)
        errand::test::eventually([&] { return shop.t.info(one).state == errand::state::cancelled; });
    CHECK(at.ask("PUT", "q/deadletter").json().at("count") == 1);
    CHECK(shop.t.tasks_in(errand::state::waiting) == heirs.size());
}

TEST_CASE("dead jobs get one try more, the oldest first, or are deleted", "[service]") {
    lmstfy_shop shop;
    auto at = shop.connect();
    std::vector<std::string> ids;
    for (int i = 0; i < 4; ++i) {
        ids.push_back(at.publish("q", std::to_string(i)));
        at.consume("q?ttr=0");
        at.until_dead("q", i + 1);
    }
    CHECK(at.ask("GET", "q/deadletter").json().at("deadletter_head") == json::string_view{ids[0]});
    const auto one = at.ask("PUT", "q/deadletter");
    CHECK(one.status == 200);
    CHECK(one.json() == json::value{{"msg", "respawned"}, {"count", 1}});
    auto job = at.consume("q?ttr=30");
    CHECK(job_id_of(job) == ids[0]);
    CHECK(job.at("ttl") == 86400);
    CHECK(job.at("remain_tries") == 0);
    at.acknowledge("q", ids[0]);
    CHECK(at.ask("PUT", "q/deadletter?limit=1&ttl=0").json().at("count") == 1);
    job = at.consume("q?ttr=0");
    CHECK(job_id_of(job) == ids[1]);
    CHECK(job.at("ttl") == 0);
    at.until_dead("q", 3);
    // It died last.
    CHECK(at.ask("DELETE", "q/deadletter").status == 204);
    CHECK(at.ask("GET", "q/job/" + ids[2]).status == 404);
    CHECK(at.ask("PUT", "q/deadletter?limit=100").json().at("count") == 2);
    CHECK(at.ask("PUT", "q/deadletter?limit=100").json().at("count") == 0);
    CHECK(at.ask("GET", "q/deadletter").json().at("deadletter_head") == "");
    for (const auto* bad : {"limit=0", "limit=-1", "limit=", "limit=x", "ttl=-1"}) {
        CHECK(at.ask("PUT", "q/deadletter?" + std::string{bad}).status == 400);
    }
    CHECK(at.ask("DELETE", "q/deadletter?limit=0").status == 400);
}

TEST_CASE("a dead job that is acknowledged counts no more", "[service]") {
    lmstfy_shop shop;
    auto at = shop.connect();
    const auto id = at.publish("q", "x");
    at.consume("q?ttr=0");
    at.until_dead("q");
    at.acknowledge("q", id);
    CHECK(at.dead("q") == 0);
    CHECK(at.ask("PUT", "q/deadletter").json().at("count") == 0);
}

TEST_CASE("from the end of its ttl on a job is nowhere, whatever it was doing", "[service]") {
    lmstfy_shop shop;
    auto at = shop.connect();
    const auto waiting = at.publish("q?ttl=1", "waiting");
    const auto stays = at.publish("q", "stays");
    const auto held = at.publish("h?ttl=1&tries=5", "held");
    at.consume("h?ttr=2");
    errand::test::eventually([&] { return at.ask("GET", "q/job/" + waiting).status == 404; });
    // It is over by its own time as soon as it is asked for, and counted until the store has seen so.
    errand::test::eventually([&] { return at.size("q") == 1; });
    CHECK(at.ask("GET", "q/peek").json().at("job_id") == json::string_view{stays});
    CHECK(job_id_of(at.consume("q?ttr=30")) == stays);
    errand::test::eventually([&] { return at.ask("GET", "h/job/" + held).status == 404; });
    CHECK(at.is_empty("h?timeout=2"));
    CHECK(at.dead("h") == 0);
    // One that was given back after its time is passed over, and the others are not.
    const auto back = at.publish("r?ttl=1&tries=3", "1");
    at.consume("r?ttr=0");
    errand::test::eventually([&] { return at.ask("GET", "r/job/" + back).status == 404; });
    at.publish("r", "2");
    CHECK(data_of(at.consume("r?count=1")) == "Mg==");
}

TEST_CASE("an acknowledgement ends a job whoever holds it, and none of another queue", "[service]") {
    lmstfy_shop shop;
    auto at = shop.connect();
    const auto id = at.publish("q?tries=5", "x");
    at.acknowledge("other", id);
    CHECK(at.size("q") == 1);
    at.consume("q?ttr=0");
    at.consume("q?ttr=30&timeout=50");
    // The first consumer is late.
    at.acknowledge("q", id);
    CHECK(at.ask("GET", "q/job/" + id).status == 404);
    // Nobody has it: its publisher takes it back.
    for (const auto* how : {"q", "q?delay=100"}) {
        const auto mine = at.publish(how, "mine");
        at.acknowledge("q", mine);
        CHECK(at.ask("GET", "q/job/" + mine).status == 404);
    }
    CHECK(at.is_empty("q"));
    CHECK(at.size("q") == 0);
    at.acknowledge("q", "nonsense");
    at.acknowledge("q", "01ARZ3NDEKTSV4RRFFQ69G5FAV");
}

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
    const auto id = again.publish("q/job/" + old + "?ttl=10&tries=1&delay=0", "new");
    CHECK(id != old);
    CHECK(again.ask("GET", "q/job/" + old).status == 404);
    const auto job = again.consume("q");
    CHECK(job_id_of(job) == id);
    CHECK(data_of(job) == "bmV3");
    CHECK(job.at("ttl") == 10);
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

TEST_CASE("a queue that is destroyed loses what is ready and nothing else", "[service]") {
    lmstfy_shop shop;
    auto at = shop.connect();
    const auto held = at.publish("q?tries=2", "held");
    at.consume("q?ttr=100");
    const auto later = at.publish("q?delay=100", "later");
    const auto ready = at.publish("q", "ready");
    CHECK(at.ask("DELETE", "q").status == 204);
    CHECK(at.size("q") == 0);
    CHECK(at.ask("GET", "q/job/" + ready).status == 404);
    CHECK(at.ask("GET", "q/job/" + held).status == 200);
    CHECK(at.ask("GET", "q/job/" + later).status == 200);
}

TEST_CASE("a worker publishes its answer to the queue that is named like the job", "[service]") {
    lmstfy_shop shop;
    auto at = shop.connect();
    const auto id = at.publish("calls", "question");
    at.publish(id, "answer");
    CHECK(data_of(at.consume(id + "?timeout=1")) == "YW5zd2Vy");
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
