// Liveness: whatever has happened before, what is ready is started by a lone worker that has room, with no help.
#include "support/await.hpp"
#include "support/shards.hpp"
#include "support/store_kind.hpp"
#include "worker/handlers.hpp"

#include <catch2/catch_test_macros.hpp>

#include <memory>
#include <random>

using namespace std::chrono_literals;
using namespace worker_test;
using errand::test::eventually;

namespace {

constexpr auto short_lease = 1000ms;

errand::config settings_of_lone_worker() {
    auto settings = errand::test::fresh_settings();
    settings.lease = short_lease;
    settings.concurrency = 3;
    return settings;
}

// One worker, and what is done to it and its store at random.
class history {
public:
    explicit history(unsigned seed) : random_{seed} {
        // For longer than the lease of what is handed over meanwhile.
        t_.book.body = [](errand::task_context&) -> errand::awaitable<int> {
            std::this_thread::sleep_for(short_lease * 6 / 5);
            co_return 0;
        };
        t_.start();
    }

    void step() {
        switch (random_() % 7) {
        case 0: submit_echo(); break;
        case 1: submit_echo(errand::duration{50 + random_() % 400}); break;
        case 2:
            for (auto& one : t_.run(t_.app.handler<echo>().perform_bulk(std::vector{1, 2, 3})))
                all_.push_back(one);
            break;
        case 3:
            all_.push_back(submit(t_));
            submit_echo();
            break;
        case 4: lose_idle_workers(); break;
        case 5:
            t_.run(t_.app.inspect().pause("default"));
            submit_echo();
            t_.run(t_.app.inspect().resume("default"));
            break;
        case 6:
            submit_echo();
            claim_and_die();
            break;
        }
    }

    void end() {
        lose_idle_workers();
        submit_echo();
        eventually([&] {
            while (!all_.empty() && is_end(t_.info(all_.back()).state)) all_.pop_back();
            return all_.empty();
        });
    }

private:
    void submit_echo(errand::duration delay = {}) {
        all_.push_back(t_.run(t_.app.handler<echo>().with({.delay = delay}).perform_async(7)));
    }

    // As when a message to them was lost. Who waits on a SQLite file is known to its process alone.
    void lose_idle_workers() const {
        if (errand::test::kind_of_tests() != errand::test::store_kind::redis) return;
        for (std::size_t at = 0; at < settings_.shards; ++at)
            errand::test::shared_redis().command({"DEL",
                                                  errand::test::shard_key(settings_, "idle:default", at)});
    }

    void claim_and_die() {
        boost::asio::io_context io{1};
        auto dying = errand::test::opened_store(io, t_.app, "dying-" + std::to_string(random_()));
        errand::work_call claim;
        claim.claim = {{"default"}, 1, 300ms};
        errand::test::await(io, dying->work(claim));
        dying->close();
        io.restart();
        io.run();
    }

    const errand::config settings_ = settings_of_lone_worker();
    std::minstd_rand random_;
    bench t_{settings_};
    std::vector<errand::handle<int>> all_;
};

}  // namespace

TEST_CASE("after any history a lone worker starts what is ready") {
    const auto seed = std::random_device{}();
    INFO("seed " << seed);
    std::vector<std::unique_ptr<history>> all;
    for (unsigned at = 0; at < 6; ++at) all.push_back(std::make_unique<history>(seed + at));
    for (int steps = 0; steps < 12; ++steps) {
        for (const auto& one : all) one->step();
    }
    for (const auto& one : all) one->end();
}

TEST_CASE(
    "what falls due in a queue that one of many workers serves is promoted in time though that one is full") {
    auto settings = errand::test::fresh_settings();
    settings.concurrency = 1;
    bench t{settings};
    boost::asio::io_context io{1};
    std::vector<std::unique_ptr<errand::store>> others;
    for (int at = 0; at < 60; ++at) {
        others.push_back(errand::test::opened_store(io, t.app, "other-" + std::to_string(at)));
        errand::test::await(io, others.back()->beat("{}", 10min, {}));
    }
    t.start();
    const auto first = t.run(t.app.handler<stubborn>().perform_async());
    eventually([&] { return t.book.started == 1; });
    const auto second = t.run(t.app.handler<echo>().perform_in(200ms, 7));
    const auto end = std::chrono::steady_clock::now() + 25s;
    while (t.info(second).state != errand::state::ready && std::chrono::steady_clock::now() < end)
        std::this_thread::sleep_for(10ms);
    CHECK(t.info(second).state == errand::state::ready);
    t.book.release = true;
    CHECK(t.wait(second) == 7);
    CHECK(t.wait(first) == 1);
    for (const auto& one : others) one->close();
    io.restart();
    io.run();
}
