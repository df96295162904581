// Connections cut, stalled and cut off in the middle of a reply; and what an idle worker sends over them.
#include "fault/fleet.hpp"
#include "support/tcp_gate.hpp"

#include <catch2/catch_test_macros.hpp>
#include <catch2/generators/catch_generators.hpp>

#include <algorithm>
#include <cstdio>
#include <limits>
#include <random>
#include <sstream>
#include <utility>

namespace fault_test {

inline const errand::limit shut{"fault-shut", {.max_running = 0}};

// No worker has its code, nor needs to: it may not start.
struct shut_out {
    errand::awaitable<void> perform(int number);
    static std::string concurrency_key(int number) { return std::to_string(number); }
};

}  // namespace fault_test

ERRAND_DECLARE_HANDLER(fault_test::shut_out, .name = "shut_out", .limits = {"fault-shut"})

using namespace fault_test;
using errand::test::holds_within;
using errand::test::tcp_gate;

namespace {

// Commands that clients have sent so far; those that scripts run are not among them.
long commands_of_clients(const fleet& all) {
    std::istringstream lines{all.server.command({"INFO", "commandstats"})};
    long count = 0;
    for (std::string line; std::getline(lines, line);) {
        for (const char* name : {"evalsha", "eval", "ping", "hello", "script|load", "subscribe", "select"}) {
            const auto start = "cmdstat_" + std::string{name} + ":calls=";
            if (line.starts_with(start)) count += std::stol(line.substr(start.size()));
        }
    }
    return count;
}

void break_something(tcp_gate& gate, std::minstd_rand& random) {
    switch (random() % 3) {
    case 0: gate.cut(); break;
    case 1:
        gate.cut_reply(random() % 40);
        eventually([&] { return gate.reply_was_cut(); });
        break;
    default:
        gate.stall(true);
        holds_within(std::chrono::milliseconds{random() % 300}, [] { return false; });
        gate.stall(false);
    }
}

// Connections, scripts and declarations are not what a worker says when it is idle: until a second has passed without them.
void let_begin(const fleet& all) {
    auto before = commands_of_clients(all);
    for (int second = 0; second < 30; ++second) {
        holds_within(std::chrono::seconds{1}, [] { return false; });
        const auto now = commands_of_clients(all);
        if (now - std::exchange(before, now) <= 3) return;
    }
}

// What an idle worker says in this time: in the quietest of a few stretches, as it begins and connects anew in more words, and
// where the machine stands still for a moment both happen late. Who always says much does so in each.
void says_little(const fleet& all, int seconds) {
    let_begin(all);
    long least = std::numeric_limits<long>::max();
    for (int stretch = 0; stretch < 4 && least >= 2 * seconds; ++stretch) {
        const auto before = commands_of_clients(all);
        holds_within(std::chrono::seconds{seconds}, [] { return false; });
        least = std::min(least, commands_of_clients(all) - before);
    }
    INFO(all.server.command({"INFO", "commandstats"}));
    CHECK(least < 2 * seconds);
    std::printf("fault: idle worker: %ld commands in %d s\n", least, seconds);
}

// So many groups that wait at a closed limit, and so many schedules of which none is due.
void crowd_in(errand::app& app, int count) {
    app.block_on(app.set_limit("fault-shut", {.max_running = 0}));
    std::vector<std::tuple<int>> numbers;
    for (int number = 0; number < count; ++number) numbers.emplace_back(number);
    app.block_on(app.handler<shut_out>().perform_bulk(numbers));
    const auto tomorrow =
        std::chrono::floor<errand::duration>(std::chrono::system_clock::now()) + std::chrono::hours{24};
    for (const auto& [number] : numbers)
        app.block_on(app.handler<stays>().every(
            24h, {.key = std::to_string(number), .begin = tomorrow, .mode = errand::fixed_rate}, number, 1ms,
            true));
}

}  // namespace

TEST_CASE("connections broken at random moments lose no task and double no result") {
    const auto seed = std::random_device{}();
    INFO("seed " << seed);
    std::minstd_rand random{seed};
    fleet all{{.tcp = true}};
    tcp_gate gate{all.server.port()};
    for (int i = 0; i < 2; ++i) {
        all.worker({{"ERRAND_STORE", gate.url()}, {"ERRAND_LEASE", "30s"}, {"ERRAND_CONCURRENCY", "20"}});
    }
    errand::app app{all.settings()};
    std::vector<stay_handle> handles;
    constexpr int breaks = 40;
    for (int done = 0; done < breaks; ++done) {
        const auto more = submit(app, done * 50, 50, 5ms);
        handles.insert(handles.end(), more.begin(), more.end());
        const auto before = all.book.count("started");
        const auto moment = before + random() % 40;
        eventually([&] { return all.book.count("started") >= std::min(moment, handles.size()); });
        break_something(gate, random);
    }
    const auto counts = all.audit(app, handles);
    CHECK(counts.executions == counts.accepted);  // no worker was away for as long as a lease
    counts.print("connections broken " + std::to_string(breaks) + " times");
}

TEST_CASE("a submission whose reply is lost makes one task, and its handle is good") {
    const std::size_t passed = GENERATE(as<std::size_t>{}, 0, 7);
    fleet all{{.tcp = true}};
    tcp_gate gate{all.server.port()};
    errand::app app{all.settings(gate.url())};
    auto handles = submit(app, 0, 1, 1ms);
    gate.cut_reply(passed);
    const auto one = submit(app, 1, 1, 1ms);
    CHECK(gate.reply_was_cut());
    gate.cut_reply(passed);
    const auto many = submit(app, 2, 100, 1ms);
    CHECK(gate.reply_was_cut());
    handles.insert(handles.end(), one.begin(), one.end());
    handles.insert(handles.end(), many.begin(), many.end());
    for (const auto& h : handles) CHECK(!h.duplicate());
    all.worker();
    const auto counts = all.audit(app, handles);
    CHECK(counts.executions == counts.accepted);
    for (std::size_t at = 0; at < handles.size(); ++at) {
        CHECK(app.block_on(handles[at]).number == static_cast<int>(at));
    }
    counts.print("replies to submissions lost");
}

TEST_CASE("an idle worker sends Redis fewer than two commands a second") {
    fleet all;
    all.worker({{"ERRAND_LEASE", "30s"}});
    says_little(all, 20);
}

TEST_CASE("an idle worker sends no more beside schedules and tasks that may not start yet") {
    fleet all;
    all.worker({{"ERRAND_LEASE", "30s"}, {"ERRAND_SHARDS", "1"}});
    {
        auto settings = all.settings();
        settings.shards = 1;
        errand::app app{settings};
        crowd_in(app, 500);
    }
    says_little(all, 10);
}
