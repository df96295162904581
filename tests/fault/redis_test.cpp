// Redis killed and started again from its append-only file, under load.
#include "fault/fleet.hpp"

#include <catch2/catch_test_macros.hpp>

#include <algorithm>
#include <array>
#include <atomic>
#include <cstdio>
#include <functional>
#include <random>
#include <thread>

using namespace fault_test;
using errand::test::holds_within;
using errand::test::program;
using std::chrono::steady_clock;

namespace {

struct submitter {
    std::vector<stay_handle> handles{};
    std::string failure{};
    std::thread thread{};

    void submit_until(errand::app& app, const std::atomic<bool>& stop) {
        try {
            while (!stop) {
                const auto more = submit(app, static_cast<int>(handles.size()), 20, 10ms);
                handles.insert(handles.end(), more.begin(), more.end());
            }
        } catch (const std::exception& e) {
            failure = e.what();
        }
    }
};

// Kills what a supervisor starts again: a random worker every 3 s, and Redis twice.
struct fire {
    fleet& all;
    std::set<pid_t> killed{};
    int restarts = 0;
    std::size_t interrupted = 0;
    std::minstd_rand random{std::random_device{}()};

    void burn(std::chrono::seconds length, const std::function<bool()>& put_out) {
        const auto begin = steady_clock::now();
        auto next_kill = begin + 3s;
        while (!put_out() && steady_clock::now() < begin + length) {
            const auto next_restart =
                restarts < 2 ? begin + length * (restarts + 1) / 3 : steady_clock::time_point::max();
            const auto next = std::min({next_kill, next_restart, begin + length});
            const auto left = std::chrono::ceil<std::chrono::milliseconds>(next - steady_clock::now());
            if (holds_within(left, put_out)) return;
            if (next == next_restart) restart_redis();
            if (next == next_kill) {
                kill_one();
                next_kill += 3s;
            }
        }
    }

    void restart_redis() {
        all.server.kill();
        all.server.restart();
        ++restarts;
    }

    void kill_one() {
        std::vector<program*> alive;
        for (const auto& one : all.workers) {
            if (!one->ended()) alive.push_back(one.get());
        }
        auto& victim = *alive[random() % alive.size()];
        // In the middle of something, if it is ever: receipts are short.
        holds_within(500ms, [&] { return !all.book.in_the_middle(victim.pid()).empty(); });
        victim.kill();
        killed.insert(victim.pid());
        interrupted += all.book.in_the_middle(victim.pid()).size();
        all.start_worker();
    }
};

// What the submitters say at their end.
tally read_tallies(const fleet& all, std::size_t orders) {
    tally counts;
    for (const char* prefix : {"a-", "b-"}) {
        const auto text = all.output_of_submitter(prefix);
        INFO(text);
        std::size_t submitted = 0, success = 0, duplicates = 0, wrong = 0;
        const auto last = text.rfind('\n', text.size() - 2);  // before it: what it says of Redis being away
        const auto* line = text.c_str() + (last == std::string::npos ? 0 : last + 1);
        CHECK(std::sscanf(line, "%zu %zu %zu %zu", &submitted, &success, &duplicates, &wrong) == 4);
        CHECK(wrong == 0);
        CHECK(duplicates == orders / 10);
        counts.accepted += submitted;
        counts.finished += success;
    }
    counts.lost = counts.accepted - counts.finished;
    return counts;
}

}  // namespace

TEST_CASE("a Redis restarted under load loses no accepted task, and no report is lost or doubled") {
    fleet all{{.append_only = true}};
    for (int i = 0; i < 2; ++i) all.worker({{"ERRAND_LEASE", "30s"}, {"ERRAND_CONCURRENCY", "50"}});
    errand::app app{all.settings()};
    std::atomic<bool> stop = false;
    std::array<submitter, 2> submitters;
    for (auto& one : submitters) one.thread = std::thread{[&] { one.submit_until(app, stop); }};
    for (int round = 0; round < 3; ++round) {
        const auto before = all.book.count("success");
        CHECK(holds_within(patience, [&] { return all.book.count("success") >= before + 300; }));
        all.server.kill();
        all.server.restart();
    }
    const auto before = all.book.count("success");
    CHECK(holds_within(patience, [&] { return all.book.count("success") > before + 100; }));
    stop = true;
    std::vector<stay_handle> handles;
    for (auto& one : submitters) {
        one.thread.join();
        CHECK(one.failure.empty());
        handles.insert(handles.end(), one.handles.begin(), one.handles.end());
    }
    const auto counts = all.audit(app, handles);
    for (const auto& one : all.workers) CHECK(!one->ended());
    CHECK(counts.executions == counts.accepted);  // no worker was away for as long as a lease
    CHECK(all.book.count("success") == counts.accepted);
    counts.print("Redis killed 3 times");
}

TEST_CASE("receipts under fire: every accepted task ends once, with exactly one accepted result") {
    constexpr std::size_t per_second = 300;
    const int seconds = seconds_of_fire();
    fleet all{{.append_only = true}};
    for (int i = 0; i < 3; ++i) all.worker();
    const auto orders = per_second * static_cast<std::size_t>(seconds);
    const auto one = all.submitter(orders, "a-", per_second);
    const auto two = all.submitter(orders, "b-", per_second);
    const auto ended = [&] { return one->ended() && two->ended(); };
    fire flames{all};
    flames.burn(std::chrono::seconds{seconds}, ended);
    while (flames.restarts < 2) flames.restart_redis();  // should the machine have held this up for so long
    eventually(ended);
    CHECK(one->ended() == 0);
    CHECK(two->ended() == 0);

    CHECK(flames.restarts == 2);
    auto counts = read_tallies(all, orders);
    CHECK(counts.accepted == 2 * orders);
    CHECK(counts.finished == counts.accepted);
    CHECK(all.ended_in_store() == counts.accepted);
    all.count_executions(counts, flames.killed);
    counts.print("receipts under fire for " + std::to_string(seconds) + " s",
                 std::to_string(flames.killed.size()) + " workers killed in the middle of " +
                     std::to_string(flames.interrupted) + " tasks, Redis killed " +
                     std::to_string(flames.restarts) + " times, " + std::to_string(all.book.count("retry")) +
                     " retries, " + std::to_string(all.book.count("refused")) + " reports refused");
}
