// Whole lives on a Redis Cluster, as many as this machine does, a quarter of them not at once, while every minute one of the servers
// that lead hands over or dies. Every task is counted. One line of JSON; the exit code is 1 when one was
// lost, ended twice or began before its time. With --shelved so many more fall due beside them all the time, which wait on a shelf in
// PostgreSQL. scripts/fault --cluster --soak tells of the options.
#include <errand/errand.hpp>

#include "support/postgres_server.hpp"
#include "support/redis_cluster.hpp"
#include "trial/soak_register.hpp"
#include "trial/words.hpp"

#include <boost/json/array.hpp>
#include <boost/json/object.hpp>
#include <boost/json/serialize.hpp>

#include <CLI/CLI.hpp>

#include <algorithm>
#include <atomic>
#include <chrono>
#include <cstdio>
#include <optional>
#include <random>
#include <stdexcept>
#include <stop_token>
#include <string>
#include <thread>
#include <tuple>
#include <vector>

namespace soak {

using namespace std::chrono_literals;
using clock = std::chrono::steady_clock;

constexpr std::size_t batch = 500;
// What is submitted and has not run; what is due later counts.
constexpr std::size_t most_open = 150'000;
constexpr unsigned submitters = 2;
// A shelf's tasks are brought so long before, and submitted to fall due later than that.
constexpr auto shelf_ahead = 10s;
constexpr std::size_t shelved_at_once = 1000, shelving = 4;
// So many rows a second go on a shelf at least.
constexpr double slowest_shelving = 25'000;
// Nothing ran for so long at the end: what is left never does.
constexpr auto longest_silence = 90s;
constexpr auto node_timeout = 3000ms;

// Of the handler, which has none of its own.
register_of_tasks* counted = nullptr;

struct life {
    errand::awaitable<void> perform(std::int64_t number, std::int64_t due) {
        counted->run(number, due);
        co_return;
    }
};

struct far_life {
    errand::awaitable<void> perform(std::int64_t number, std::int64_t due) {
        counted->run(number, due, from::shelf);
        co_return;
    }
};

}  // namespace soak

ERRAND_HANDLER(soak::life, .retention = errand::duration{0})
ERRAND_HANDLER(soak::far_life, .retention = errand::duration{0}, .shelve_after = soak::shelf_ahead)

namespace soak {
namespace {

struct wishes {
    double minutes = 30;
    unsigned shards = 6, seed = 1;
    double every = 60;  // seconds
    std::size_t rate = 20'000;
    std::size_t shelved = 0;
};

clock::duration length_of(double seconds) {
    return std::chrono::duration_cast<clock::duration>(std::chrono::duration<double>{seconds});
}

errand::awaitable<void> submit(errand::app& to, std::int64_t first, errand::duration delay) {
    std::vector<std::tuple<std::int64_t, std::int64_t>> items;
    const auto due = now_ms() + delay.count();
    for (std::size_t at = 0; at < batch; ++at) items.emplace_back(first + static_cast<std::int64_t>(at), due);
    const auto lives = to.handler<life>().with({.delay = delay});
    co_await lives.perform_bulk(items);
}

// No faster than is wished for, and only so far ahead of what runs.
void submit_until(errand::app& to, register_of_tasks& all, const wishes& how, unsigned seed,
                  const std::atomic<bool>& stop) {
    std::mt19937 random{seed};
    const auto gap = std::chrono::duration_cast<clock::duration>(std::chrono::duration<double>{
        static_cast<double>(batch) * submitters / static_cast<double>(how.rate)});
    auto next = clock::now();
    while (!stop) {
        std::this_thread::sleep_until(next);
        // What could not be submitted in time is not made up for.
        next = std::max(next + gap, clock::now() - 1s);
        if (all.open() > most_open) continue;
        const auto first = all.take(batch);
        if (!first) return;
        const auto delay = random() % 4 == 0
                               ? errand::duration{500 + static_cast<std::int64_t>(random() % 15'000)}
                               : errand::duration{0};
        to.block_on(submit(to, *first, delay));
        all.accept(*first, batch);
    }
}

errand::awaitable<void> shelve(errand::app& to, std::int64_t first, std::size_t count,
                               errand::time_point due) {
    std::vector<std::tuple<std::int64_t, std::int64_t>> items;
    for (std::size_t at = 0; at < count; ++at)
        items.emplace_back(first + static_cast<std::int64_t>(at), due.time_since_epoch().count());
    const auto lives = to.handler<far_life>().with({.at = due});
    co_await lives.perform_bulk(items);
}

// All that is to wait there, to fall due evenly from `begin` on.
void fill_shelf(errand::app& to, register_of_tasks& all, const wishes& how, errand::time_point begin) {
    const auto bulks = (how.shelved + shelved_at_once - 1) / shelved_at_once;
    const auto over = how.minutes * 60'000;  // ms
    std::atomic<std::size_t> next{0};
    std::vector<std::jthread> threads;
    std::atomic<bool> failed{false};
    for (std::size_t thread = 0; thread < shelving; ++thread) {
        threads.emplace_back([&] {
            for (std::size_t at = next++; at < bulks && !failed; at = next++) {
                const auto count = std::min(shelved_at_once, how.shelved - at * shelved_at_once);
                const auto first = all.take(count);
                const auto part = static_cast<double>(at) / static_cast<double>(bulks);
                try {
                    to.block_on(shelve(to, first.value(), count,
                                       begin + errand::duration{static_cast<std::int64_t>(over * part)}));
                    all.accept(*first, count, from::shelf);
                } catch (const std::exception& e) {
                    failed = true;
                    std::fprintf(stderr, "soak: the shelf: %s\n", e.what());
                }
            }
        });
    }
    threads.clear();
    if (failed) throw std::runtime_error{"the shelf could not be filled"};
}

// What is found in the end.
template <class What>
auto need(const char* else_said, const What& what) {
    const auto give_up = clock::now() + 90s;
    for (;;) {
        if (const auto found = what()) return *found;
        if (clock::now() > give_up) throw std::runtime_error{else_said};
        std::this_thread::sleep_for(50ms);
    }
}

class fail_overs {
public:
    fail_overs(errand::test::redis_cluster& of, unsigned seed) : servers_{of}, random_{seed} {}

    // Every third server that leads dies, and comes back as a replica.
    void next() {
        const auto slot = static_cast<unsigned>(16384 * (random_() % 3) / 3 + 1);
        const auto leader = need("a slot has no server", [&] { return servers_.owner_of(slot); });
        const auto follower = need("a server has no replica", [&] { return servers_.replica_of(leader); });
        const bool dies = ++made_ % 3 == 0;
        auto asked = clock::time_point{};
        if (dies) servers_.server(leader).kill();
        need("no other server took over", [&]() -> std::optional<bool> {
            const auto now = servers_.owner_of(slot);
            if (now && *now != leader) return true;
            if (!dies && clock::now() - asked > 2s) {
                asked = clock::now();
                servers_.server(follower).command({"CLUSTER", "FAILOVER"});
            }
            return std::nullopt;
        });
        if (dies) servers_.server(leader).restart();
        need("the cluster is not whole again",
             [&] { return servers_.is_whole() ? std::optional{true} : std::nullopt; });
    }
    unsigned made() const { return made_; }

private:
    errand::test::redis_cluster& servers_;
    std::mt19937 random_;
    unsigned made_ = 0;
};

// Of all servers, in bytes.
std::uint64_t memory_of(const errand::test::redis_cluster& servers) {
    std::uint64_t all = 0;
    for (std::size_t at = 0; at < servers.size(); ++at) {
        if (!servers.server(at).is_running()) continue;
        const auto text = servers.server(at).command({"INFO", "memory"});
        const std::string field = "used_memory:";
        all += std::stoull(text.substr(text.find(field) + field.size()));
    }
    return all;
}

std::optional<wishes> read_wishes(int count, char** words, int& status) {
    wishes what;
    CLI::App app{"scripts/fault --cluster --soak"};
    app.add_option("minutes,--minutes", what.minutes)->check(CLI::Range(0.1, 1440.0));
    app.add_option("--every", what.every, "seconds between fail-overs")->check(CLI::Range(1.0, 3600.0));
    app.add_option("--rate", what.rate, "whole lives a second at most")->check(CLI::Range(1000, 100'000));
    app.add_option("--shards", what.shards)->check(CLI::Range(1, 64));
    app.add_option("--shelved", what.shelved, "tasks that wait on a shelf and fall due meanwhile")
        ->check(CLI::Range(0, 100'000'000));
    app.add_option("--seed", what.seed);
    if (!trial::read_words(app, count, words, status)) return std::nullopt;
    return what;
}

// Without a task, for the longest time so far.
class pauses {
public:
    void look(std::size_t ran) {
        const auto now = clock::now();
        if (ran != ran_) {
            ran_ = ran;
            since_ = now;
        }
        longest_ = std::max(longest_, now - since_);
    }
    clock::duration now() const { return clock::now() - since_; }
    double longest() const { return std::chrono::duration<double>{longest_}.count(); }

private:
    std::size_t ran_ = 0;
    clock::time_point since_ = clock::now();
    clock::duration longest_{0};
};

int run(const wishes& how) {
    errand::test::redis_cluster servers{node_timeout};
    register_of_tasks all{static_cast<std::size_t>(how.minutes * 60 * static_cast<double>(how.rate)) +
                          std::size_t{submitters} * batch + how.shelved};
    counted = &all;
    std::optional<errand::test::postgres_server> database;
    if (how.shelved > 0) database.emplace(errand::test::database_server::options{.durable = true});
    errand::config settings;
    settings.store = servers.url() + "?wait=1";
    settings.shards = how.shards;
    settings.concurrency = 200;
    settings.store_timeout = 5min;
    settings.log_level = "error";
    if (database) {
        settings.shelf = database->url(database->make_database());
        settings.shelf_ahead = shelf_ahead;
    }
    errand::app app{settings};
    app.on_event([&all](const errand::event& what) {
        if (what.kind == errand::event_kind::report_accepted) ++all.ends;
    });
    const auto filling = clock::now();
    const auto fill_time = std::chrono::ceil<std::chrono::seconds>(std::chrono::duration<double>{
        static_cast<double>(how.shelved) / slowest_shelving});
    const auto first_due =
        std::chrono::floor<errand::duration>(std::chrono::system_clock::now()) + 2 * shelf_ahead + fill_time;
    fill_shelf(app, all, how, first_due);
    const auto shelved_a_second =
        static_cast<double>(how.shelved) / std::chrono::duration<double>{clock::now() - filling}.count();
    if (how.shelved > 0) std::this_thread::sleep_until(first_due - shelf_ahead);
    app.block_on(app.start());

    std::atomic<bool> stop{false};
    std::atomic<unsigned> failed{0};
    std::vector<std::jthread> threads;
    for (unsigned at = 0; at < submitters; ++at) {
        threads.emplace_back([&, at] {
            try {
                submit_until(app, all, how, how.seed + at, stop);
            } catch (const std::exception& e) {
                ++failed;
                std::fprintf(stderr, "soak: a submission failed: %s\n", e.what());
            }
        });
    }
    fail_overs strikes{servers, how.seed};
    boost::json::array memory;
    pauses quiet;
    const auto began = clock::now();
    const auto until = began + length_of(how.minutes * 60);
    std::jthread watch{[&](const std::stop_token& over) {
        for (; !over.stop_requested(); std::this_thread::sleep_for(100ms)) quiet.look(all.ran());
    }};
    // By this thread: servers end with the one that started them.
    try {
        for (auto next = began + length_of(how.every); next < until && failed == 0;
             next += length_of(how.every)) {
            std::this_thread::sleep_until(next);
            memory.emplace_back(memory_of(servers));
            strikes.next();
        }
        if (failed == 0) std::this_thread::sleep_until(until);
    } catch (const std::exception& e) {
        ++failed;
        std::fprintf(stderr, "soak: %s\n", e.what());
    }
    const std::chrono::duration<double> took = clock::now() - began;
    const auto ran = all.ran(), ran_of_shelf = all.ran(from::shelf);
    watch = {};
    stop = true;
    threads.clear();
    const auto all_run = [&] { return all.ran() + all.ran(from::shelf); };
    for (pauses end; all.open() + all.open(from::shelf) > 0 && end.now() < longest_silence;
         end.look(all_run()))
        std::this_thread::sleep_for(100ms);
    app.block_on(app.stop());
    memory.emplace_back(memory_of(servers));

    const auto lost = all.lost();
    const auto twice = all.ends > all_run() ? all.ends - all_run() : 0;
    const boost::json::object told{{"minutes", how.minutes},
                                   {"shards", how.shards},
                                   {"fail_overs", strikes.made()},
                                   {"accepted", all.accepted()},
                                   {"lives_a_second", static_cast<double>(ran) / took.count()},
                                   {"shelved", all.accepted(from::shelf)},
                                   {"shelved_a_second", shelved_a_second},
                                   {"brought_a_second", static_cast<double>(ran_of_shelf) / took.count()},
                                   {"longest_pause_s", quiet.longest()},
                                   {"begun_again", all.again.load()},
                                   {"lost", lost},
                                   {"twice", twice},
                                   {"early", all.early.load()},
                                   {"failed", failed.load()},
                                   {"memory", std::move(memory)}};
    std::printf("%s\n", boost::json::serialize(told).c_str());
    return lost + twice + all.early + failed == 0 && all.accepted() > 0 ? 0 : 1;
}

}  // namespace
}  // namespace soak

int main(int count, char** words) try {
    int status = 0;
    const auto what = soak::read_wishes(count, words, status);
    return what ? soak::run(*what) : status;
} catch (const std::exception& e) {
    std::fprintf(stderr, "fault: %s\n", e.what());
    return 2;
}
