#include "fault/fleet.hpp"

#include "support/shards.hpp"
#include "support/sqlite_backing.hpp"
#include "support/store_kind.hpp"

#include <catch2/catch_test_macros.hpp>
#include <sqlite3.h>

#include <algorithm>
#include <csignal>
#include <cstdlib>
#include <fstream>
#include <iterator>

namespace fault_test {

using errand::test::holds_within;
using errand::test::kind_of_tests;
using errand::test::program;
using errand::test::store_kind;

int seconds_of_fire() {
    const char* given = std::getenv("ERRAND_FAULT_SECONDS");
    return given ? std::atoi(given) : 12;
}

void eventually(const std::function<bool()>& condition) {
    const bool held = holds_within(patience, condition);
    REQUIRE(held);
}

program& fleet::start_worker(variables more) {
    more.insert({{"ERRAND_STORE", url()}, {"ERRAND_LEASE", "2s"}, {"ERRAND_LOG_LEVEL", "warn"}});
    return *workers.emplace_back(std::make_unique<program>(
        program_name, std::vector<std::string>{"work", book.path()}, more, file("worker.log")));
}

program& fleet::worker(variables more) {
    auto& one = start_worker(std::move(more));
    eventually([&] { return book.count("up", one.pid()) == 1; });
    return one;
}

void fleet::freeze(const program& one) const {
    const auto others_may_write = [&] {
        if (kind_of_tests() == store_kind::redis) return true;
        sqlite3* in = nullptr;
        const bool may =
            sqlite3_open(file("tasks.db").c_str(), &in) == SQLITE_OK &&
            sqlite3_busy_timeout(in, 1000) == SQLITE_OK &&
            sqlite3_exec(in, "BEGIN IMMEDIATE; ROLLBACK", nullptr, nullptr, nullptr) == SQLITE_OK;
        sqlite3_close(in);
        return may;
    };
    eventually([&] {
        one.signal(SIGSTOP);
        if (others_may_write()) return true;
        one.signal(SIGCONT);
        return false;
    });
}

std::unique_ptr<program> fleet::submitter(std::size_t orders, const std::string& prefix,
                                          std::size_t per_second) {
    const variables its{{"ERRAND_STORE", url()}, {"ERRAND_LOG_LEVEL", "off"}};
    return std::make_unique<program>("courier",
                                     std::vector<std::string>{"submit", std::to_string(orders), prefix,
                                                              std::to_string(per_second)},
                                     its, file("submitter-" + prefix));
}

std::string fleet::output_of_submitter(const std::string& prefix) const {
    std::ifstream in{file("submitter-" + prefix)};
    return {std::istreambuf_iterator<char>{in}, {}};
}

std::string fleet::url() const {
    if (kind_of_tests() == store_kind::redis) return server.url();
    return "sqlite://" + file("tasks.db") + "?synchronous=normal";
}

errand::config fleet::settings(std::string store) const {
    errand::config with;
    with.store = store.empty() ? url() : std::move(store);
    if (kind_of_tests() == store_kind::redis) with.shards = errand::test::shards_of_tests();
    with.log_level = "off";
    return with;
}

tally fleet::audit(errand::app& app, const std::vector<stay_handle>& handles, const std::set<pid_t>& killed) {
    tally all{.accepted = handles.size()};
    std::map<std::string, stay> results;
    for (const auto& one : handles) {
        try {
            results[one.id()] = app.block_on(one.result(patience));
        } catch (const errand::error& e) {
            ++all.lost;
            UNSCOPED_INFO(one.id() << ": " << e.what());
        }
    }
    all.finished = results.size();
    CHECK(all.finished == all.accepted);
    CHECK(all.lost == 0);
    CHECK(ended_in_store() == all.accepted);
    count_executions(all, killed);
    for (const auto& one : book.entries()) {
        const auto its = results.find(one.task);
        if (its != results.end() && its->second.fence == one.fence && its->second.pid == one.pid)
            results.erase(its);
    }
    CHECK(results.empty());  // what is left is the result of no attempt
    return all;
}

void fleet::count_executions(tally& all, const std::set<pid_t>& killed) {
    // A worker hears that its report was accepted a little later than the result arrives.
    for (const auto& one : workers) {
        if (killed.contains(one->pid())) continue;
        eventually([&] { return book.in_the_middle(one->pid()).empty(); });
    }
    std::size_t cut_short = 0;
    for (const auto pid : killed) cut_short += book.in_the_middle(pid).size();
    std::size_t settled = 0;
    for (const char* how : {"success", "refused", "retry", "given_back", "dead"}) settled += book.count(how);
    all.executions = book.count("started");
    all.doubled = book.doubled();
    CHECK(all.executions == settled + cut_short);
    CHECK(all.doubled == 0);
}

std::size_t fleet::ended_in_store() const {
    if (kind_of_tests() != store_kind::redis) {
        const errand::test::sqlite_backing there{file("tasks.db")};
        CHECK(there.ask("PRAGMA integrity_check") == "ok");
        return std::stoul(there.ask("SELECT count(*) FROM errand_task WHERE outcome IS NOT NULL"));
    }
    // The record of an ended task begins with an E.
    const std::string count_ended =
        "local ended = 0 for _, value in ipairs(redis.call('HVALS', KEYS[1])) do "
        "if string.sub(value, 1, 1) == 'E' then ended = ended + 1 end end return ended";
    std::size_t ended = 0;
    for (std::size_t shard = 0; shard < errand::test::shards_of_tests(); ++shard) {
        const auto key = "errand:{default." + std::to_string(shard) + "}:tasks";
        ended += std::stoul(server.command({"EVAL", count_ended, "1", key}));
    }
    return ended;
}

std::vector<stay_handle> submit(errand::app& app, int first, int count, errand::duration length, bool heeds) {
    std::vector<std::tuple<int, errand::duration, bool>> all;
    for (int at = 0; at < count; ++at) all.emplace_back(first + at, length, heeds);
    return app.block_on(app.handler<stays>().perform_bulk(all));
}

}  // namespace fault_test
