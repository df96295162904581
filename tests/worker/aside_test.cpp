// Workers of two programs on one queue: one of them does not know a handler.
#include "store/redis/script_set.hpp"
#include "support/await.hpp"
#include "support/redis_server.hpp"
#include "support/shards.hpp"
#include "worker/handlers.hpp"

#include <catch2/catch_test_macros.hpp>

#include <algorithm>
#include <sstream>

using namespace std::chrono_literals;
using namespace worker_test;
using errand::state;
using errand::test::await;
using errand::test::eventually;

namespace {

// A worker of a program that knows no handler.
struct stranger : errand::test::second_store {
    explicit stranger(bench& t) : second_store{t.app, "stranger:1"} {}

    template <class T>
    T call(errand::awaitable<T> work) {
        io.restart();
        return await(io, std::move(work));
    }
    std::vector<errand::claimed_task> claim(std::size_t limit) {
        errand::work_call call_;
        call_.claim = {{"default"}, limit, 1h};
        return call(of->work(call_)).claimed;
    }
    void put_aside(const std::vector<errand::claimed_task>& tasks) {
        errand::work_call call_;
        for (const auto& task : tasks) {
            errand::task_notes notes;
            notes.unknown_handler = 1;
            notes.snoozed = true;
            errand::report one;
            one.id = task.id;
            one.claim = task.claim;
            one.what = errand::report::kind::aside;
            one.queue = task.queue;
            one.record = encode(notes);
            call_.reports.push_back(std::move(one));
        }
        for (const auto verdict : call(of->work(call_)).verdicts)
            CHECK(verdict == errand::report_verdict::accepted);
    }
};

// How often the script was called that takes what stands aside: once for what a worker was told of, and for what it found by a
// look once for that as well. (What it is called with cannot be read: the log of slow commands keeps 32 words of each.)
std::size_t calls_to_take(const errand::test::redis_server& server) {
    const auto scripts = errand::redis::all_scripts();
    const auto adopt = std::ranges::find(scripts, std::string_view{"adopt"},
                                         [](const auto& one) { return std::string_view{one.name}; });
    REQUIRE(adopt != scripts.end());
    std::istringstream lines{server.command({"SLOWLOG", "GET", "-1"})};
    std::size_t calls = 0;
    for (std::string line; std::getline(lines, line);) calls += line == adopt->sha ? 1U : 0U;
    return calls;
}

}  // namespace

TEST_CASE("tasks that stood aside before a worker came are run by it") {
    bench t;
    stranger other{t};
    std::vector<errand::handle<int>> handles;
    for (int i = 0; i < 40; ++i) handles.push_back(t.run(t.app.handler<echo>().perform_async(i)));
    std::vector<errand::claimed_task> taken;
    while (taken.size() < 40) {
        for (auto& one : other.claim(40)) taken.push_back(std::move(one));
    }
    other.put_aside(taken);
    CHECK(t.info(handles[0]).state == state::delayed);
    CHECK(t.info(handles[0]).attempt == 0);
    t.start();
    for (int i = 0; i < 40; ++i) CHECK(t.wait(handles[static_cast<std::size_t>(i)]) == i);
    CHECK(t.info(handles[0]).attempt == 1);
}

TEST_CASE("an idle worker runs what stands aside from now on, and a busy one when it is free") {
    auto settings = errand::test::fresh_settings();
    settings.concurrency = 1;
    bench t{settings};
    stranger other{t};
    auto first = t.run(t.app.handler<echo>().perform_async(1));
    auto second = t.run(t.app.handler<echo>().perform_async(2));
    std::vector<errand::claimed_task> taken;
    while (taken.size() < 2) {
        for (auto& one : other.claim(2)) taken.push_back(std::move(one));
    }
    t.start();
    other.put_aside({taken[0]});
    eventually([&] { return t.book.kinds() == 1; });
    auto busy = t.run(t.app.handler<stubborn>().perform_async());
    eventually([&] { return t.book.started == 1; });
    other.put_aside({taken[1]});
    CHECK(t.book.kinds() == 1);
    t.book.release = true;
    CHECK(t.wait(busy) == 1);
    CHECK(t.wait(first) == 1);
    CHECK(t.wait(second) == 2);
}

// Looks come every five seconds when there was nothing to be found: a few of them may be among these.
TEST_CASE("an idle worker is told of each task that stands aside, and does not find it by looking") {
    constexpr std::size_t rounds = 12;
    errand::test::redis_server server;
    auto settings = errand::test::fresh_settings();
    settings.store = server.url();
    settings.shards = 1;
    bench t{settings};
    std::vector<errand::handle<int>> handles;
    {
        stranger other{t};
        for (std::size_t i = 0; i < rounds; ++i)
            handles.push_back(t.run(t.app.handler<echo>().perform_async(static_cast<int>(i))));
        auto taken = other.claim(rounds);
        while (taken.size() < rounds) std::ranges::move(other.claim(rounds), std::back_inserter(taken));
        t.start();
        eventually([&] {
            return server.command({"SCARD", errand::test::shard_key(settings, "idle:default")}) != "0";
        });
        server.command({"CONFIG", "SET", "slowlog-max-len", "100000"});
        server.command({"CONFIG", "SET", "slowlog-log-slower-than", "0"});
        for (std::size_t i = 0; i < rounds; ++i) {
            other.put_aside({taken[i]});
            const auto id = taken[i].id;
            eventually([&] {
                return std::ranges::any_of(handles, [&](const auto& one) {
                    return *errand::parse_task_id(one.id()) == id && is_end(t.info(one).state);
                });
            });
        }
    }
    CHECK(calls_to_take(server) >= rounds);
    CHECK(calls_to_take(server) <= rounds + rounds / 2);
    for (std::size_t i = 0; i < rounds; ++i) CHECK(t.wait(handles[i]) == static_cast<int>(i));
}

// Somebody looks once a second at the most, and finds the one that stands aside then.
TEST_CASE("tasks that stand aside one after the other are taken faster than anybody looks for them") {
    constexpr int rounds = 40;
    auto settings = errand::test::fresh_settings();
    settings.shards = 1;
    bench t{settings};
    stranger other{t};
    std::vector<errand::handle<int>> handles;
    for (int i = 0; i < rounds; ++i) handles.push_back(t.run(t.app.handler<echo>().perform_async(i)));
    std::vector<errand::claimed_task> taken;
    while (taken.size() < rounds) std::ranges::move(other.claim(rounds), std::back_inserter(taken));
    t.start();
    const auto begun = std::chrono::steady_clock::now();
    for (int i = 0; i < rounds; ++i) {
        const auto at = std::ranges::find_if(taken, [&](const auto& one) {
            return one.id == *errand::parse_task_id(handles[static_cast<std::size_t>(i)].id());
        });
        other.put_aside({*at});
        CHECK(t.wait(handles[static_cast<std::size_t>(i)]) == i);
    }
    CHECK(std::chrono::steady_clock::now() - begun < std::chrono::seconds{rounds / 2});
}

TEST_CASE("what stood aside and fails is tried again by workers that know it, and claimed by no other") {
    auto settings = errand::test::fresh_settings();
    settings.concurrency = 1;
    bench t{settings};
    stranger other{t};
    // Busy, so that what is ready is there for the other for a while.
    t.book.body = [](errand::task_context& self) -> errand::awaitable<int> {
        co_await sleep(5ms);
        if (self.attempt() < 3) throw std::runtime_error{"not yet"};
        co_return self.attempt();
    };
    std::vector<errand::handle<int>> handles;
    for (int i = 0; i < 30; ++i) handles.push_back(submit(t));
    std::vector<errand::claimed_task> taken;
    while (taken.size() < 30) {
        for (auto& one : other.claim(30)) taken.push_back(std::move(one));
    }
    other.put_aside(taken);
    t.start();
    std::size_t again = 0;
    eventually([&] {
        again += other.claim(5).size();
        return is_end(t.info(handles.back()).state) && is_end(t.info(handles.front()).state);
    });
    for (const auto& one : handles) CHECK(t.wait(one) == 3);
    CHECK(again == 0);
}

TEST_CASE("a task that nobody knows is claimed once and no more") {
    bench t;
    t.start();
    auto h = t.run(t.app.perform("from.another.program", {}));
    eventually([&] { return t.info(h).state == state::delayed; });
    // Longer than it would wait for a time that makes it ready.
    t.run(sleep(2500ms));
    stranger other{t};
    const auto found = other.call(other.of->find(*errand::parse_task_id(h.id())));
    REQUIRE(found);
    CHECK(errand::decode_notes(found->notes).unknown_handler == 1);
    CHECK(t.info(h).state == state::delayed);
    CHECK(t.info(h).attempt == 0);
}
