// Connections cut, stalled and cut off in the middle of a reply; and what an idle worker sends over them.
#include "fault/fleet.hpp"
#include "support/tcp_gate.hpp"

#include <catch2/catch_test_macros.hpp>
#include <catch2/generators/catch_generators.hpp>

#include <algorithm>
#include <cstdio>
#include <random>
#include <sstream>

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
    constexpr int seconds = 20;
    fleet all;
    all.worker({{"ERRAND_LEASE", "30s"}});
    const auto before = commands_of_clients(all);
    holds_within(std::chrono::seconds{seconds}, [] { return false; });
    const auto sent = commands_of_clients(all) - before;
    CHECK(sent < 2 * seconds);
    std::printf("fault: idle worker: %ld commands in %d s\n", sent, seconds);
}
