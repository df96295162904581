// Liveness: whatever has happened before, what is ready is started by a lone worker that has room, with no help.
#include "support/await.hpp"
#include "support/redis_server.hpp"
#include "support/shards.hpp"
#include "support/store_kind.hpp"
#include "trial/clock_file.hpp"
#include "worker/handlers.hpp"

#include <catch2/catch_test_macros.hpp>

#include <filesystem>
#include <memory>
#include <optional>
#include <random>
#include <unistd.h>

using namespace std::chrono_literals;
using namespace worker_test;
using errand::test::eventually;

namespace {

constexpr auto short_lease = 1000ms;
// Whatever was missed: the lease of what was handed over must run out, and then somebody looks.
constexpr auto longest_wait = short_lease + 6s;

// A Redis that may lose its data and whose clock may be set, under the feet of all. Of a SQLite file neither can be shown: it is
// there as long as somebody has it open, and goes by the clock of this very process.
class shaken_store {
public:
    shaken_store() {
        if (errand::test::kind_of_tests() != errand::test::store_kind::redis) return;
        errand::test::redis_server::options how;
#ifdef ERRAND_TEST_CLOCK
        const auto path =
            std::filesystem::temp_directory_path() / ("errand-clock-" + std::to_string(::getpid()));
        clock_.emplace(path.string());
        for (const auto& [name, value] : clock_->variables()) how.environment.push_back(name + "=" + value);
#endif
        server_.emplace(std::move(how));
    }
    ~shaken_store() {
        if (clock_) std::filesystem::remove(clock_->path());
    }
    shaken_store(const shaken_store&) = delete;
    shaken_store& operator=(const shaken_store&) = delete;

    errand::config settings() const {
        auto of = errand::test::fresh_settings();
        of.lease = short_lease;
        of.concurrency = 3;
        if (server_) of.store = server_->url();
        return of;
    }
    bool is_redis() const { return server_.has_value(); }
    void ask(const std::vector<std::string>& words) const { server_->command(words); }
    void move_clock(std::chrono::milliseconds by) {
        if (clock_) clock_->set((off_ += by).count());
    }

private:
    std::optional<trial::clock_file> clock_;
    std::optional<errand::test::redis_server> server_;
    std::chrono::milliseconds off_{0};
};

// Time that passed while this machine did something.
class patience {
public:
    void begin() { passed_ = 0ms, last_ = clock::now(); }
    void look() {
        const auto now = clock::now();
        passed_ += std::min<clock::duration>(now - last_, 100ms);
        last_ = now;
    }
    bool over(std::chrono::milliseconds limit) const { return passed_ > limit; }

private:
    using clock = std::chrono::steady_clock;
    clock::time_point last_ = clock::now();
    clock::duration passed_{0};
};

// One worker, and what is done to it and its store at random.
class history {
public:
    history(const shaken_store& on, unsigned seed) : on_{on}, random_{seed} {
        // For longer than the lease of what is handed over meanwhile.
        t_.book.body = [this](errand::task_context&) -> errand::awaitable<int> {
            ++t_.book.started;
            std::this_thread::sleep_for(short_lease * 6 / 5);
            ++t_.book.ended;
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

    void lost_all() { all_.clear(); }

    void begin_to_end() {
        lose_idle_workers();
        submit_echo();
        nothing_starts_.begin();
    }
    // False when all has ended. While a task is ready and the worker idle there is a start within its time.
    bool goes_on() {
        while (!all_.empty() && is_end(t_.info(all_.back()).state)) all_.pop_back();
        if (all_.empty()) return false;
        const auto starts = t_.book.started + t_.book.count("7") + t_.book.count("1") + t_.book.count("2") +
                            t_.book.count("3");
        const bool busy = t_.book.started > t_.book.ended;
        if (std::exchange(starts_, starts) != starts || busy || !is_any_ready()) {
            nothing_starts_.begin();
        } else {
            nothing_starts_.look();
        }
        REQUIRE_FALSE(nothing_starts_.over(longest_wait));
        return true;
    }

private:
    void submit_echo(errand::duration delay = {}) {
        all_.push_back(t_.run(t_.app.handler<echo>().with({.delay = delay}).perform_async(7)));
    }

    bool is_any_ready() {
        for (const auto& one : t_.run(t_.app.inspect().queues())) {
            if (one.count(errand::state::ready) > 0) return true;
        }
        return false;
    }

    // As when a message to them was lost. Who waits on a SQLite file is known to its process alone.
    void lose_idle_workers() const {
        for (std::size_t at = 0; on_.is_redis() && at < settings_.shards; ++at)
            on_.ask({"DEL", errand::test::shard_key(settings_, "idle:default", at)});
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

    const shaken_store& on_;
    const errand::config settings_ = on_.settings();
    std::minstd_rand random_;
    bench t_{settings_};
    std::vector<errand::handle<int>> all_;
    int starts_ = 0;
    patience nothing_starts_;
};

// Data lost, or a clock that is set forward or back by up to three leases; often neither.
void shake(shaken_store& store, std::minstd_rand& random, const std::vector<std::unique_ptr<history>>& all) {
    if (!store.is_redis()) return;
    switch (random() % 8) {
    case 0:
        store.ask({"FLUSHALL"});
        for (const auto& one : all) one->lost_all();
        break;
    case 1:
    case 2:
        store.move_clock(std::chrono::milliseconds{static_cast<int>(random() % 6001)} - 3 * short_lease);
        break;
    default: break;
    }
}

}  // namespace

TEST_CASE("after any history a lone worker starts what is ready") {
    const auto seed = std::random_device{}();
    INFO("seed " << seed);
    shaken_store store;
    std::minstd_rand random{seed};
    std::vector<std::unique_ptr<history>> all;
    for (unsigned at = 0; at < 6; ++at) all.push_back(std::make_unique<history>(store, seed + at));
    for (int steps = 0; steps < 12; ++steps) {
        for (const auto& one : all) one->step();
        shake(store, random, all);
    }
    for (const auto& one : all) one->begin_to_end();
    eventually([&] {
        std::erase_if(all, [](const auto& one) { return !one->goes_on(); });
        return all.empty();
    });
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
    // Paced by all of them, it would be looked at after 30 s at the earliest (look_interval): by its own workers after 5 s.
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
