// Jobs by lmstfy's API: taken, acknowledged, tried again, dead.
#include "service/lmstfy_shop.hpp"

#include <catch2/catch_test_macros.hpp>

#include <chrono>
#include <memory>
#include <set>
#include <string>
#include <vector>

using namespace std::chrono_literals;
using service_test::client;
using service_test::data_of;
using service_test::job_id_of;
using service_test::lmstfy_shop;
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
    const auto held = at.publish("h?ttl=2&tries=5", "held");
    at.consume("h?ttr=3");
    errand::test::eventually([&] { return at.ask("GET", "q/job/" + waiting).status == 404; });
    // It is over by its own time as soon as it is asked for, and counted until the store has seen so.
    errand::test::eventually([&] { return at.size("q") == 1; });
    CHECK(at.ask("GET", "q/peek").json().at("job_id") == json::string_view{stays});
    CHECK(job_id_of(at.consume("q?ttr=30")) == stays);
    errand::test::eventually([&] { return at.ask("GET", "h/job/" + held).status == 404; });
    CHECK(at.is_empty("h?timeout=3"));
    CHECK(at.dead("h") == 0);
    // One that was given back after its time is passed over, and the others are not.
    const auto back = at.publish("r?ttl=2&tries=3", "1");
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
