// Shares of a limit over two servers, of which one is away: what it has stays with it, and it hears of changes when it is back.
#include "core/gates.hpp"
#include "support/away_shard.hpp"
#include "support/tcp_gate.hpp"

#include <boost/asio/co_spawn.hpp>

#include <catch2/catch_test_macros.hpp>
#include <catch2/generators/catch_generators.hpp>

#include <algorithm>
#include <exception>
#include <memory>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

using namespace away_test;
using errand::limits_balance;
using errand::test::run_until;
using errand::yield_verdict;

namespace {

const std::string of_queue = "queue:default";

struct shares_desk : store_desk {
    shares_desk() { await(io, worker.of->open()); }
    void set(std::optional<errand::limit_rule> rule) { await(io, worker.of->spread_limit(of_queue, rule)); }
    void submit_behind(std::size_t shard, int count) {
        for (; count > 0; --count) {
            auto item = errand::test::item_with(id_on(shard), "x");
            auto body = errand::decode_body(item.body);
            body.gates = errand::gate_of(errand::gate_kind::both, of_queue, "");
            item.body = errand::encode(body);
            item.gated = true;
            await(io, worker.of->submit(0, {&item, 1}, errand::submit_mode::each));
        }
    }
    std::vector<errand::claimed_task> take() { return work({}, 10).claimed; }
    std::size_t claim() { return take().size(); }
    // The first that starts while shares follow the need.
    errand::claimed_task take_one() {
        std::vector<errand::claimed_task> got;
        REQUIRE(run_until(io, [&] {
            balance();
            got = take();
            return !got.empty();
        }));
        REQUIRE(got.size() == 1);
        return got[0];
    }
    yield_verdict say(const errand::claimed_task& task, bool back) {
        const std::vector<errand::yield_wish> one{{task.id, task.claim, back}};
        return await(io, worker.of->yield_gates(one)).at(0);
    }
    yield_verdict leave(const errand::claimed_task& task) { return say(task, false); }
    yield_verdict come_back(const errand::claimed_task& task) { return say(task, true); }
    void finish(const errand::claimed_task& task) {
        auto done = errand::test::success_of(task);
        done.gated = true;
        CHECK(work({done}).verdicts == std::vector{errand::report_verdict::accepted});
    }
    limits_balance balance(std::string_view by = "w") { return await(io, worker.of->balance_limits(by)); }
    // Shares follow the need meanwhile; never more than so many start.
    bool comes_to_start(std::size_t count) {
        std::size_t started = 0;
        const bool done = run_until(io, [&] {
            balance();
            return (started += claim()) >= count;
        });
        return done && started == count;
    }
    bool comes_to_be_even() {
        return run_until(io, [this] { return balance() == limits_balance::even; });
    }
};

}  // namespace

TEST_CASE("a share stays with a server that is away, and comes to others when it is back", "[shards]") {
    shares_desk t;
    t.set(errand::limit_rule{.max_running = 4});
    t.submit_behind(0, 5);
    const bool dies = GENERATE(true, false);
    if (dies)
        t.other.kill();
    else
        t.other.freeze();
    CHECK(t.claim() == 2);
    for (int i = 0; i < 3; ++i) CHECK(t.balance() == limits_balance::behind);
    CHECK(t.claim() == 0);
    if (dies)
        t.other.restart();
    else
        t.other.thaw();
    REQUIRE(t.comes_to_start(2));
    REQUIRE(t.comes_to_be_even());
    CHECK(t.claim() == 0);
}

TEST_CASE("a limit that is lowered while a server is away is kept by all together when it is back",
          "[shards]") {
    shares_desk t;
    t.set(errand::limit_rule{.max_running = 4});
    t.submit_behind(0, 6);
    t.submit_behind(away_shard, 6);
    t.other.kill();
    t.set(errand::limit_rule{.max_running = 2});
    // As many as are allowed may run there.
    CHECK(t.claim() == 0);
    t.other.restart();
    REQUIRE(t.comes_to_start(2));
    REQUIRE(t.comes_to_be_even());
    CHECK(t.claim() == 0);
    for (const auto& one : await(t.io, t.worker.of->limits())) {
        CHECK(one.running == 2);
        CHECK(one.set == errand::limit_rule{.max_running = 2});
    }
}

TEST_CASE("a limit that is cleared while a server is away holds there until it is back", "[shards]") {
    shares_desk t;
    t.set(errand::limit_rule{.max_running = 0});
    t.submit_behind(0, 2);
    t.submit_behind(away_shard, 2);
    CHECK(t.claim() == 0);
    t.other.kill();
    t.set(std::nullopt);
    CHECK(t.claim() == 2);
    t.other.restart();
    REQUIRE(t.comes_to_be_even());
    CHECK(t.claim() == 2);
}

TEST_CASE("one worker keeps shares in balance, and another one does when it has not for a while",
          "[shards]") {
    shares_desk t;
    t.set(errand::limit_rule{.max_running = 4});
    CHECK(t.balance("w") == limits_balance::even);
    CHECK(t.balance("v") == limits_balance::elsewhere);
    // Whoever gives no name looks this once.
    CHECK(t.balance("") == limits_balance::even);
    CHECK(run_until(t.io, [&] { return t.balance("v") == limits_balance::even; }));
    CHECK(t.balance("w") == limits_balance::elsewhere);
}

TEST_CASE("a server that was started anew lets nothing through before it has heard of its share again",
          "[shards]") {
    shares_desk t;
    t.set(errand::limit_rule{.max_running = 4});
    t.other.kill();
    t.other.restart();
    t.submit_behind(away_shard, 5);
    CHECK(t.claim() == 0);
    REQUIRE(t.comes_to_start(4));
    REQUIRE(t.comes_to_be_even());
    CHECK(t.claim() == 0);
}

TEST_CASE("a share that a fail-over has made as large as it was before lets nothing through", "[shards]") {
    shares_desk t;
    const auto of_limits = t.key("limits", away_shard);
    t.set(errand::limit_rule{.max_running = 4});
    t.other.command({"COPY", of_limits, "kept"});
    t.submit_behind(0, 4);
    REQUIRE(t.comes_to_start(4));
    REQUIRE(t.comes_to_be_even());
    t.other.kill();
    t.other.restart();
    REQUIRE(t.other.command({"COPY", "kept", of_limits, "REPLACE"}) == "1");
    t.submit_behind(away_shard, 2);
    CHECK(t.claim() == 0);
    REQUIRE(t.comes_to_be_even());
    CHECK(t.claim() == 0);
}

TEST_CASE("attempts that have waited go on one after the other, in whichever shards they stand", "[shards]") {
    shares_desk t;
    t.set(errand::limit_rule{.max_running = 1});
    t.submit_behind(0, 1);
    t.submit_behind(away_shard, 1);
    std::vector<errand::claimed_task> both;
    for (int i = 0; i < 2; ++i) {
        both.push_back(t.take_one());
        CHECK(t.leave(both.back()) == yield_verdict::done);
    }
    std::vector<yield_verdict> back{t.come_back(both[0]), t.come_back(both[1])};
    if (back[0] == yield_verdict::in_line) {
        std::ranges::reverse(back);
        std::ranges::reverse(both);
    }
    REQUIRE(back == std::vector{yield_verdict::done, yield_verdict::in_line});
    t.finish(both[0]);
    CHECK(run_until(t.io, [&] {
        t.balance();
        return std::ranges::count(t.worker.ear.may_run, both[1].id) > 0;
    }));
    CHECK(t.come_back(both[1]) == yield_verdict::done);
    t.finish(both[1]);
    for (const auto& one : await(t.io, t.worker.of->limits())) CHECK(one.running == 0);
}

TEST_CASE("an attempt that has waited goes on in a shard that has no starts of a rate", "[shards]") {
    shares_desk t;
    t.set(errand::limit_rule{.rate = errand::rate_limit{.count = 1, .per = 1h}});
    t.submit_behind(0, 1);
    const auto parent = t.take_one();
    CHECK(t.leave(parent) == yield_verdict::done);
    t.submit_behind(away_shard, 1);
    REQUIRE(t.comes_to_be_even());
    // Its share goes to the other one, when the hour is over.
    t.submit_behind(0, 1);
    CHECK(t.claim() == 0);
    CHECK(t.come_back(parent) == yield_verdict::done);
}

namespace {

// Two servers of whose answers each can be kept back.
struct gated_servers {
    errand::test::redis_server first{{.tcp = true}}, other{{.tcp = true}};
    errand::test::tcp_gate to_first{first.port()}, to_other{other.port()};
    boost::asio::io_context io{1};
    std::unique_ptr<errand::sharded_store> of = made();

    ~gated_servers() {
        of->close();
        io.restart();
        io.run();
    }
    std::unique_ptr<errand::sharded_store> made() {
        std::vector<std::unique_ptr<errand::store>> shards;
        errand::store_settings with;
        with.name_space = errand::test::fresh_settings().name_space;
        with.name = "w";
        with.shards = 2;
        with.patience = std::nullopt;  // as workers wait
        for (const auto* gate : {&to_first, &to_other}) {
            with.url = gate->url();
            with.shard = static_cast<unsigned>(shards.size());
            shards.push_back(errand::make_redis_store(io, with));
        }
        return std::make_unique<errand::sharded_store>(std::move(shards), with);
    }
};

}  // namespace

TEST_CASE("whoever sets a limit does not wait for a server that stops answering just before it is told",
          "[shards]") {
    gated_servers t;
    await(t.io, t.of->open());
    const auto asked_before = t.to_other.bytes_to_server();
    const auto answered_before = t.to_other.bytes_to_client();
    bool is_set = false;
    boost::asio::co_spawn(t.io, t.of->spread_limit(of_queue, errand::limit_rule{.max_running = 4}),
                          [&](const std::exception_ptr& why) { is_set = !why; });
    // What the first one says is kept back until the other one has said what it has heard.
    REQUIRE(run_until(t.io, [&] { return t.to_other.bytes_to_server() > asked_before; }));
    t.to_first.stall(true);
    REQUIRE(run_until(t.io, [&] { return t.to_other.bytes_to_client() > answered_before; }));
    t.to_other.stall(true);
    t.to_first.stall(false);
    CHECK(run_until(t.io, [&] { return is_set; }));
    t.to_other.stall(false);
    CHECK(run_until(t.io, [&] { return await(t.io, t.of->balance_limits("w")) == limits_balance::even; }));
}
