// A change that replicas have to confirm before it counts: the store's URL with `wait`.
#include <errand/error.hpp>

#include "support/redis_fixture.hpp"
#include "support/replica.hpp"
#include "support/tcp_gate.hpp"

#include <catch2/matchers/catch_matchers_exception.hpp>
#include <catch2/matchers/catch_matchers_string.hpp>

using namespace errand;
using namespace errand::test;
using namespace std::chrono_literals;
using Catch::Matchers::ContainsSubstring;
using Catch::Matchers::MessageMatches;

namespace {

struct replicated_fixture : redis_fixture {
    replicated_fixture()
        : redis_fixture{
              redis_server::options{.tcp = true, .arguments = {"--repl-ping-replica-period", "3600"}}} {
        replicate(server, replica, [this](auto holds) { REQUIRE(until(holds)); });
    }

    template <class Condition>
    bool holds_soon(Condition holds) {
        return until(holds);
    }

    member join_confirmed(const std::string& name, std::optional<duration> patience) {
        auto with = settings(name);
        with.url += "?wait=1";
        with.patience = patience;
        return join(with);
    }

    // How often somebody waited for replicas.
    int waits() const {
        const auto text = redis({"INFO", "commandstats"});
        const std::string field = "cmdstat_wait:calls=";
        const auto at = text.find(field);
        return at == text.npos ? 0 : std::stoi(text.substr(at + field.size()));
    }
    bool replica_has(const std::string& part, const std::string& field) const {
        return replica.command({"HEXISTS", key(part), field}) == "1";
    }
    // A claim of a worker that takes what it is handed.
    awaitable<work_answer> wait_for_tasks(member& by) {
        work_call call;
        call.claim = {.queues = {"default"}, .limit = 5, .lease = 30s, .takes_given = true};
        co_return co_await by->work(call);
    }
    // From then on a lone task may be handed over.
    void submit_first(member& producer, member& worker) {
        submit(producer, item_of("first"));
        finish(worker, {success_of(claim(worker, 1).claimed.at(0))});
    }

    redis_server replica;
};

}  // namespace

TEST_CASE("with `wait` a submission that was answered is on a replica") {
    replicated_fixture redis;
    auto producer = redis.join_confirmed("p", 10s);
    const auto item = item_of("kept");
    CHECK(redis.submit(producer, item).verdict == submit_verdict::accepted);
    CHECK(redis.replica.command({"HEXISTS", redis.key("tasks"), std::string{item.id.view()}}) == "1");
}

TEST_CASE("with `wait` a change that no replica confirms is repeated, and refused when patience is used up") {
    replicated_fixture redis;
    auto producer = redis.join_confirmed("p", 5s);
    redis.replica.freeze();
    CHECK_THROWS_MATCHES(redis.submit(producer, item_of("a")), store_error,
                         MessageMatches(ContainsSubstring("0 of the 1 replicas") &&
                                        ContainsSubstring("it may have been done")));
    redis.replica.thaw();
    const auto item = item_of("b");
    CHECK(redis.submit(producer, item).verdict == submit_verdict::accepted);
    CHECK(redis.size_of("ready:default") == "2");
    CHECK(redis.replica.command({"HEXISTS", redis.key("tasks"), std::string{item.id.view()}}) == "1");
    // What only reads does not wait for replicas.
    redis.replica.freeze();
    CHECK(redis.state_of(producer, item.id) == state::ready);
    redis.replica.thaw();
}

TEST_CASE("with `wait` a repeat on a new connection is confirmed no more than the first call was") {
    replicated_fixture redis;
    tcp_gate gate{redis.server.port()};
    auto with = redis.settings("p");
    with.url = gate.url() + "?wait=1";
    with.patience = std::nullopt;
    auto producer = redis.join(with);
    redis.replica.freeze();
    const auto item = item_of("a");
    const std::vector items{item};
    bool done = false;
    boost::asio::co_spawn(redis.io, producer->submit(0, items, submit_mode::each),
                          [&](std::exception_ptr error, auto) { done = !error; });
    REQUIRE(redis.until([&] { return redis.size_of("ready:default") == "1"; }));
    const auto told = [&](const std::string& section, const std::string& field) {
        const auto text = redis.redis({"INFO", section});
        const auto at = text.find(field);
        return at == text.npos ? 0 : std::stoi(text.substr(at + field.size()));
    };
    const auto waits = [&] { return told("commandstats", "cmdstat_wait:calls="); };
    const auto written = [&] { return told("replication", "master_repl_offset:"); };
    const auto first = waits();
    gate.cut();
    // A connection writes something when it is made, too: what counts is what repeats write on it afterwards.
    REQUIRE(redis.until([&] { return done || waits() > first; }));
    const auto before = waits();
    const auto written_before = written();
    // The repeats have been answered, and wait again.
    REQUIRE(redis.until([&] { return done || waits() >= before + 3; }));
    CHECK_FALSE(done);
    // To some servers WAIT is for what this connection wrote last: a repeat, which changes nothing, writes something to wait
    // for. For each of them the server itself adds REPLCONF GETACK to what it sends.
    constexpr int of_each_wait = 37;
    CHECK(written() - written_before > of_each_wait * (waits() - before + 1));
    redis.replica.thaw();
    REQUIRE(redis.until([&] { return done; }));
    CHECK(redis.size_of("ready:default") == "1");
    CHECK(redis.replica.command({"HEXISTS", redis.key("tasks"), std::string{item.id.view()}}) == "1");
}

TEST_CASE(
    "with `wait` a request is counted once all the same, and taken back once: a repeat would count again") {
    replicated_fixture redis;
    auto producer = redis.join_confirmed("p", 5s);
    redis.replica.freeze();
    const request_count rule{.name = "r", .most = 2, .per = 1h};
    const auto asked = [&] { return await(redis.io, producer->count_request(rule)).mark; };
    const auto first = asked();
    CHECK(first != 0);
    CHECK(asked() != 0);
    CHECK(asked() == 0);
    await(redis.io, producer->take_back_request(rule, first));
    CHECK(asked() != 0);
    CHECK(asked() == 0);
    redis.replica.thaw();
}

TEST_CASE("a request is not counted again when its answer is lost") {
    replicated_fixture redis;
    tcp_gate gate{redis.server.port()};
    auto with = redis.settings("p");
    with.url = gate.url();
    with.patience = 5s;
    auto producer = redis.join(with);
    const request_count rule{.name = "r", .most = 3, .per = 1h};
    CHECK(await(redis.io, producer->count_request(rule)).mark != 0);
    gate.cut_reply();
    CHECK_THROWS_MATCHES(await(redis.io, producer->count_request(rule)), store_error,
                         MessageMatches(ContainsSubstring("it may have been done")));
    CHECK(await(redis.io, producer->count_request({.name = "r", .most = 3, .per = 1h})).mark != 0);
    CHECK(await(redis.io, producer->count_request({.name = "r", .most = 3, .per = 1h})).mark == 0);
}

TEST_CASE("a worker with `wait` is handed nothing, and has what it claims when a replica has the claim") {
    replicated_fixture redis;
    auto producer = redis.join("p");
    auto worker = redis.join_confirmed("w", std::nullopt);
    redis.submit_first(producer, worker);
    REQUIRE(await(redis.io, redis.wait_for_tasks(worker)).claimed.empty());
    const auto item = item_of("x");
    redis.submit(producer, item);
    REQUIRE(redis.until([&] { return worker.ear->wakes > 0 || !worker.ear->given.empty(); }));
    CHECK(worker.ear->given.empty());
    CHECK(redis.state_of(producer, item.id) == state::ready);

    redis.replica.freeze();
    work_answer got;
    bool done = false;
    boost::asio::co_spawn(redis.io, redis.wait_for_tasks(worker),
                          [&](const std::exception_ptr&, work_answer answer) {
                              got = std::move(answer);
                              done = true;
                          });
    const auto before = redis.waits();
    REQUIRE(redis.until([&] { return done || redis.waits() >= before + 2; }));
    CHECK_FALSE(done);
    CHECK(redis.state_of(producer, item.id) == state::working);
    redis.replica.thaw();
    REQUIRE(redis.until([&] { return done; }));
    REQUIRE(got.claimed.size() == 1);
    CHECK(got.claimed[0].id == item.id);
    CHECK(redis.replica_has("own", std::string{item.id.view()}));
    CHECK(redis.replica_has("claims", redis::claim_text(got.claimed[0].claim)));
}

TEST_CASE(
    "a submission with `wait` that is handed to a worker without it is answered when a replica has both, and may run before") {
    replicated_fixture redis;
    auto producer = redis.join_confirmed("p", std::nullopt);
    auto worker = redis.join("w");
    redis.submit_first(producer, worker);
    REQUIRE(await(redis.io, redis.wait_for_tasks(worker)).claimed.empty());
    redis.replica.freeze();
    const std::vector items{item_of("x")};
    const std::string id{items[0].id.view()};
    std::vector<submit_answer> answers;
    const auto before = redis.waits();
    boost::asio::co_spawn(redis.io, producer->submit(0, items, submit_mode::each),
                          [&](const std::exception_ptr&, std::vector<submit_answer> got) {
                              answers = std::move(got);
                          });
    REQUIRE(redis.until([&] { return worker.ear->given.size() == 1; }));
    const auto task = worker.ear->given.front();
    CHECK(task.id == items[0].id);
    REQUIRE(redis.until([&] { return !answers.empty() || redis.waits() >= before + 2; }));
    CHECK(answers.empty());
    redis.replica.thaw();
    REQUIRE(redis.until([&] { return !answers.empty(); }));
    CHECK(answers[0].verdict == submit_verdict::accepted);
    CHECK(redis.replica_has("tasks", id));
    CHECK(redis.replica_has("own", id));
    CHECK(redis.replica_has("claims", redis::claim_text(task.claim)));
    CHECK(redis.finish(worker, {success_of(task)}) == std::vector{report_verdict::accepted});
}
