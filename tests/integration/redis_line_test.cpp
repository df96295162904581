// Slow lines and silent ones: what moves is waited for, what stands still is given up.
#include <errand/error.hpp>

#include "support/redis_fixture.hpp"
#include "support/tcp_gate.hpp"

#include <filesystem>

using namespace errand;
using namespace errand::test;
using namespace std::chrono_literals;

namespace {

constexpr std::size_t one_mbit = 125'000;  // bytes a second

struct line_fixture : redis_fixture {
    explicit line_fixture(std::vector<std::string> arguments = {})
        : redis_fixture{redis_server::options{.tcp = true, .arguments = std::move(arguments)}} {}
    tcp_gate gate{server.port()};

    member join_far(const std::string& name, std::optional<duration> patience = std::nullopt) {
        auto with = settings(name);
        with.url = gate.url();
        with.patience = patience;
        return join(with);
    }

    long info(const std::string& section, const std::string& field) const {
        const auto all = redis({"INFO", section});
        const auto at = all.find(field + ":");
        if (at == all.npos) return 0;
        return std::stol(all.substr(at + field.size() + 1));
    }

    long pings() const {
        const auto all = redis({"INFO", "commandstats"});
        const auto at = all.find("cmdstat_ping:");
        if (at == all.npos) return 0;
        const auto line = all.substr(at, all.find('\n', at) - at);
        const auto count = [&line](const std::string& what) {
            return std::stol(line.substr(line.find(what) + what.size()));
        };
        return count("calls=") + count("rejected_calls=");
    }
};

}  // namespace

TEST_CASE("a call that a slow line takes its time to send is sent once") {
    line_fixture redis;
    redis.gate.slow(one_mbit / 4, 200ms);
    auto producer = redis.join_far("p");
    // Fifteen seconds, longer than a connection may be silent.
    const std::vector items{item_of(std::string(450'000, 'x'))};
    const auto before = redis.gate.bytes_to_server();
    await(redis.io, producer->submit(0, items, submit_mode::each));
    CHECK(redis.gate.bytes_to_server() - before < 2 * items[0].body.size());
    CHECK(redis.gate.connections() == 1);
    CHECK(redis.size_of("ready:default") == "1");
}

TEST_CASE("claims over a slow line bring as much as it carries well within a lease, once") {
    line_fixture redis;
    auto producer = redis.join("p");
    std::vector<submission_item> items;
    for (int i = 0; i < 40; ++i) items.push_back(item_of(std::string(100'000, 'x')));
    redis.submit_all(producer, items);
    redis.gate.slow(one_mbit, 200ms);
    auto worker = redis.join_far("w");
    const auto before = redis.gate.bytes_to_client();
    work_call call;
    call.claim.limit = 40;
    call.claim.lease = 30s;
    call.claim.queues = {"default"};
    const auto claimed = await(redis.io, worker->work(call)).claimed.size();
    CHECK(claimed > 0);
    CHECK(claimed < 10);
    CHECK(redis.gate.bytes_to_client() - before < 1'000'000);
    CHECK(redis.gate.connections() == 1);
    CHECK(redis.size_of("ready:default") == std::to_string(40 - claimed));
}

TEST_CASE("a connection on which nothing moves is given up, and its call made on the next") {
    line_fixture redis;
    auto producer = redis.join_far("p");
    redis.gate.stall(true);
    const std::vector items{item_of("a")};
    bool done = false;
    boost::asio::co_spawn(redis.io, producer->submit(0, items, submit_mode::each),
                          [&](std::exception_ptr error, auto) { done = !error; });
    REQUIRE(redis.until([&] { return redis.gate.connections() == 2; }));
    CHECK_FALSE(done);
    redis.gate.stall(false);
    REQUIRE(redis.until([&] { return done; }));
    CHECK(redis.size_of("ready:default") == "1");
}

TEST_CASE("a server that takes what it is sent and answers nothing is given up, however much more is sent") {
    line_fixture redis;
    auto producer = redis.join_far("p", 100ms);
    redis.gate.stall(true);
    REQUIRE(redis.until([&] {
        CHECK_THROWS_AS(redis.submit(producer, item_of(std::string(4000, 'x'))), store_error);
        return redis.gate.connections() == 2;
    }));
}

TEST_CASE("what a test cuts is cut, although a process was started since") {
    line_fixture redis;
    auto producer = redis.join_far("p", 5s);
    redis.submit(producer, item_of("a"));
    const redis_server started_since;
    redis.gate.cut();
    redis.submit(producer, item_of("b"));
    CHECK(redis.gate.connections() == 2);
}

TEST_CASE("a new connection brings no script that is not called") {
    line_fixture redis;
    auto first = redis.join("a");
    redis.submit(first, item_of("a"));
    const auto before = redis.info("stats", "total_net_input_bytes");
    auto second = redis.join("b");
    redis.submit(second, item_of("b"));
    CHECK(redis.info("stats", "total_net_input_bytes") - before < 10'000);
    // A Redis that was started anew is told what it is asked to run.
    redis.redis({"SCRIPT", "FLUSH"});
    CHECK(redis.claim(second, 5).claimed.size() == 2);
}

TEST_CASE("an idle connection is kept while Redis refuses writes and PING with them") {
    line_fixture redis{{"--enable-protected-configs", "yes"}};
    auto worker = redis.join_far("w");
    redis.submit(worker, item_of("a"));
    const auto gone = redis.server.folder() / "gone";
    std::filesystem::create_directory(gone);
    redis.redis({"CONFIG", "SET", "dir", gone.string()});
    redis.redis({"CONFIG", "SET", "save", "3600 1"});
    std::filesystem::remove(gone);
    redis.redis({"BGSAVE"});
    REQUIRE(redis.until([&] { return redis.redis({"PING"}).find("MISCONF") != std::string::npos; }));
    const auto before = redis.pings();
    // Two of them: the first did no harm.
    REQUIRE(redis.until([&] { return redis.pings() >= before + 2; }));
    CHECK(redis.gate.connections() == 1);
    CHECK(worker.ear->reconnects == 0);
    redis.redis({"CONFIG", "SET", "stop-writes-on-bgsave-error", "no"});
    CHECK(redis.claim(worker, 1).claimed.size() == 1);
}
