// A namespace of three shards: what depends on what does not care where it is kept.
#include <errand/errand.hpp>

#include "store/shards/routes.hpp"
#include "support/await.hpp"
#include "support/redis_fixture.hpp"
#include "support/shards.hpp"
#include "support/test_app.hpp"

#include <boost/asio/co_spawn.hpp>

#include <catch2/catch_test_macros.hpp>
#include <catch2/matchers/catch_matchers_exception.hpp>
#include <catch2/matchers/catch_matchers_string.hpp>

#include <algorithm>

using namespace std::chrono_literals;
using Catch::Matchers::ContainsSubstring;
using Catch::Matchers::MessageMatches;
using errand::state;
using errand::test::await;
using errand::test::eventually;
using errand::test::in_all_shards;

namespace shards_test {

std::atomic<bool> broken{false};

struct step {
    errand::test::test_journal& journal;
    explicit step(errand::test::test_journal& j) : journal{j} {}
    errand::awaitable<std::string> perform(std::string name) {
        if (broken && name.starts_with("fragile")) throw std::runtime_error{"broken"};
        journal.add(name);
        co_return name;
    }
    static std::string biz_id(const std::string& name) { return name; }
};

// Without a biz_id: it comes once.
struct once {
    errand::test::test_journal& journal;
    explicit once(errand::test::test_journal& j) : journal{j} {}
    errand::awaitable<std::string> perform(std::string name) {
        journal.add(name);
        co_return name;
    }
};

struct picky {
    errand::awaitable<void> perform(std::string) { co_return; }
    static std::string biz_id(const std::string& name) { return name; }
};

}  // namespace shards_test

using shards_test::broken;
using shards_test::once;
using shards_test::picky;
using shards_test::step;

ERRAND_HANDLER(shards_test::step, .max_retry = 0)
ERRAND_HANDLER(shards_test::once, .max_retry = 0)
ERRAND_HANDLER(shards_test::picky, .on_duplicate = errand::reject)

namespace {

constexpr std::size_t shards = 3;
using step_handle = errand::handle<std::string>;

errand::config three_shards() {
    auto settings = errand::test::fresh_settings();
    settings.shards = shards;
    return settings;
}

errand::task_id id_of(const std::string& text) { return errand::parse_task_id(text).value(); }
std::size_t shard_of(const std::string& id) { return errand::shards::shard_of(id_of(id), shards); }

struct bench : errand::test::test_app {
    explicit bench(errand::config with = three_shards()) : test_app{std::move(with)} { broken = false; }

    errand::dependency ref(const std::string& name) { return app.handler<step>().ref(name); }
    // A name whose task this shard keeps.
    std::string on(std::size_t shard, const std::string& stem) {
        for (int i = 0;; ++i) {
            auto name = stem + '.' + std::to_string(i);
            if (shard_of(ref(name).id()) == shard) return name;
        }
    }
    step_handle submit(const std::string& name, errand::options how = {}) {
        return run(app.handler<step>().with(std::move(how)).perform_async(name));
    }
    step_handle submit_after(const std::string& name, const std::vector<std::string>& parents,
                             errand::options how = {}) {
        for (const auto& one : parents) how.after.push_back(ref(one));
        return submit(name, std::move(how));
    }
    void ends_as(const step_handle& h, state wanted) {
        eventually([&] { return info(h).state == wanted; });
    }
    std::vector<std::string> lines() {
        std::lock_guard lock{journal.guard};
        return journal.lines;
    }
    // The only place at which it stands; -1 for none, -2 for several.
    std::ptrdiff_t place(const std::string& name) {
        const auto all = lines();
        const auto n = std::ranges::count(all, name);
        return n == 1 ? std::ranges::find(all, name) - all.begin() : (n == 0 ? -1 : -2);
    }
    bool any_news() {
        for (std::size_t at = 0; at < shards; ++at) {
            const auto key = errand::test::shard_key(app.settings(), "outbox", at);
            if (errand::test::shared_redis().command({"ZCOUNT", key, "-inf", "(inf"}) != "0") return true;
        }
        return false;
    }
    std::string key(const std::string& part, const std::string& id) {
        return errand::test::shard_key(app.settings(), part, shard_of(id));
    }
};

// As its submitter would, up to where it dies.
errand::submission_item stored(const std::string& name, const errand::task_id& id,
                               const errand::task_id& parent) {
    errand::task_body body;
    body.queue = "default";
    body.handler = "shards_test::step";
    body.args = "[\"" + name + "\"]";
    body.biz_id = name;
    body.life = 1;
    body.after = {parent};
    errand::submission_item item;
    item.id = id;
    item.after = {{parent, false}};
    item.body = errand::encode(body);
    item.queue = body.queue;
    return item;
}

struct helper {
    explicit helper(const errand::config& settings)
        : of{errand::test::opened_store(io, settings, "helper")} {}
    ~helper() {
        of->close();
        io.restart();
        io.run();
    }
    boost::asio::io_context io{1};
    std::unique_ptr<errand::store> of;
};

}  // namespace

TEST_CASE("parents and children of all shards find each other in every order", "[shards]") {
    bench t;
    std::vector<std::pair<std::string, std::string>> pairs;
    std::vector<step_handle> children;
    const auto name = [&](const std::string& stem, std::size_t a, std::size_t b, std::size_t at) {
        return t.on(at, stem + std::to_string(a) + std::to_string(b));
    };
    const auto each = [&](const std::string& stem, const auto& submit) {
        for (std::size_t a = 0; a < shards; ++a) {
            for (std::size_t b = 0; b < shards; ++b) {
                pairs.emplace_back(name(stem + 'p', a, b, a), name(stem + 'c', a, b, b));
                submit(pairs.back().first, pairs.back().second);
            }
        }
    };
    each("first", [&](const auto& parent, const auto& child) {
        t.submit(parent);
        children.push_back(t.submit_after(child, {parent}));
    });
    each("last", [&](const auto& parent, const auto& child) {
        children.push_back(t.submit_after(child, {parent}));
        t.submit(parent);
    });
    t.start();
    each("ended", [&](const auto& parent, const auto& child) {
        t.wait(t.submit(parent));
        children.push_back(t.submit_after(child, {parent}));
    });
    for (const auto& one : children) t.wait(one);
    for (const auto& [parent, child] : pairs) {
        CHECK(t.place(parent) >= 0);
        CHECK(t.place(child) > t.place(parent));
    }
}

TEST_CASE("a task waits for many of all shards, and many of all shards for one", "[shards]") {
    bench t;
    std::vector<errand::dependency> leaves;
    for (int i = 0; i < 250; ++i) leaves.emplace_back(t.submit_after("leaf" + std::to_string(i), {"root"}));
    auto last = t.submit("last", {.after = leaves});
    CHECK(t.info(last).waits_for_count == 250);
    t.start();
    t.submit("root");
    t.wait(last);
    CHECK(t.lines().size() == 252);
    CHECK(t.lines().front() == "root");
    CHECK(t.lines().back() == "last");
}

TEST_CASE("a cycle over two or three shards is refused and named, and leaves nothing", "[shards]") {
    bench t;
    const auto a = t.on(0, "a"), b = t.on(1, "b"), c = t.on(2, "c");
    t.submit_after(a, {b});
    CHECK_THROWS_MATCHES(t.submit_after(b, {a}), errand::dependency_cycle,
                         MessageMatches(ContainsSubstring(a) && ContainsSubstring(b)));
    CHECK_FALSE(t.run(t.app.find(t.ref(b).id())));
    t.submit_after(b, {c});
    CHECK_THROWS_MATCHES(t.submit_after(c, {a}), errand::dependency_cycle,
                         MessageMatches(ContainsSubstring(a) && ContainsSubstring(b) &&
                                        ContainsSubstring(c)));
    // Of this one all parents are where it is, and the way round leads through another shard.
    const auto last = t.on(0, "last");
    t.submit_after(c, {last});
    CHECK_THROWS_AS(t.submit_after(last, {a}), errand::dependency_cycle);
    t.start();
    const auto h = t.submit(last);
    CHECK_FALSE(h.duplicate());
    eventually([&] { return t.lines() == std::vector{last, c, b, a}; });
}

TEST_CASE("a failure takes along what depends on it in other shards, and a revival brings it back",
          "[shards]") {
    bench t;
    broken = true;
    t.start();
    const auto a = t.on(0, "fragile"), b = t.on(1, "b"), c = t.on(2, "c");
    const auto second = t.submit_after(b, {a});
    const auto third = t.submit_after(c, {b});
    const auto first = t.submit(a);
    t.ends_as(third, state::cancelled);
    CHECK_THAT(t.info(second).errors.back().message, ContainsSubstring("dead"));
    broken = false;
    CHECK(t.run(first.revive()));
    t.ends_as(third, state::success);
    CHECK(t.lines() == std::vector{a, b, c});
}

TEST_CASE("who dies between storing and registering a task is stood in for by a resolver", "[shards]") {
    bench t;
    const auto parent = t.on(0, "parent"), child = t.on(1, "child");
    const auto id = t.ref(child).id();
    {
        helper dying{t.app.settings()};
        const auto item = stored(child, id_of(id), id_of(t.ref(parent).id()));
        const auto answer = await(dying.io, dying.of->submit(0, {&item, 1}, errand::submit_mode::each));
        CHECK(answer[0].verdict == errand::submit_verdict::registering);
    }
    errand::test::shared_redis().command({"ZADD", t.key("outbox", id), "1",
                                          std::string{id_of(id).view()} + 'w'});
    t.start();
    t.submit(parent);
    auto h = t.run(t.app.find<std::string>(id)).value();
    CHECK(t.wait(h) == child);
    CHECK(t.lines() == std::vector{parent, child});
}

TEST_CASE("what waits for one that never came ends, when its submitter died before it came", "[shards]") {
    bench t;
    auto gone = errand::new_task_id(1'763'000'000'000);
    gone.bytes[14] = 0;
    gone.bytes[15] = 0;
    const auto orphan = t.on(1, "orphan");
    const auto id = t.ref(orphan).id();
    {
        helper dying{t.app.settings()};
        const auto item = stored(orphan, id_of(id), gone);
        await(dying.io, dying.of->submit(0, {&item, 1}, errand::submit_mode::each));
    }
    const auto after = t.submit_after(t.on(2, "after"), {orphan});
    errand::test::shared_redis().command({"ZADD", t.key("outbox", id), "1",
                                          std::string{id_of(id).view()} + 'w'});
    t.start();
    t.ends_as(after, state::cancelled);
    CHECK(t.run(t.app.find(id))->state == state::cancelled);
}

TEST_CASE("what a resolver told and did not strike off is told again, and changes nothing", "[shards]") {
    bench t;
    const auto parent = t.on(0, "parent"), child = t.on(1, "child");
    const auto h = t.submit_after(child, {parent});
    helper dying{t.app.settings()};
    t.submit(parent);
    errand::work_call claim;
    claim.claim = {{"default"}, 1, 30s};
    const auto got = await(dying.io, dying.of->work(claim));
    REQUIRE(got.claimed.size() == 1);
    errand::work_call finish;
    finish.reports = {errand::test::success_of(got.claimed[0])};
    finish.closed = {got.claimed[0].claim};
    await(dying.io, dying.of->work(finish));
    const auto news = await(dying.io, dying.of->take_news(100, 50ms));
    REQUIRE(news.entries.size() == 1);
    REQUIRE(news.entries[0].heirs == std::vector{id_of(h.id())});
    const errand::resolution told{.parent = news.entries[0].about,
                                  .what = news.entries[0].what,
                                  .cancelled = {},
                                  .children = news.entries[0].heirs};
    await(dying.io, dying.of->resolve({&told, 1}, {}));
    CHECK(t.info(h).state == state::ready);
    t.start();
    CHECK(t.wait(h) == child);
    eventually([&] { return !t.any_news(); });
    CHECK(t.lines() == std::vector{child});
}

TEST_CASE("news of a revival that come after those of another death do not win", "[shards]") {
    bench t;
    broken = true;
    const auto parent = t.on(0, "fragile"), child = t.on(1, "child");
    t.start();
    const auto first = t.submit(parent);
    const auto second = t.submit_after(child, {parent});
    t.ends_as(second, state::cancelled);
    t.stop();
    CHECK(t.run(first.revive()));
    helper slow{t.app.settings()};
    const auto news = await(slow.io, slow.of->take_news(100, 1h));
    REQUIRE(news.entries.size() == 1);
    CHECK(news.entries[0].what == errand::tidings::revived);
    t.start();
    t.ends_as(first, state::dead);
    const auto death = std::string{id_of(first.id()).view()} + 'd';
    eventually([&] {
        return errand::test::shared_redis().command({"ZSCORE", t.key("outbox", first.id()), death}) ==
               "(nil)";
    });
    t.stop();
    const errand::resolution late{.parent = news.entries[0].about,
                                  .what = news.entries[0].what,
                                  .cancelled = {},
                                  .children = news.entries[0].heirs};
    await(slow.io, slow.of->resolve({&late, 1}, {}));
    CHECK(t.info(second).state == state::waiting);
    t.start();
    eventually([&] { return t.info(second).state == state::cancelled; });
    CHECK(t.info(second).waits_for_count == 0);
    broken = false;
    CHECK(t.run(first.revive()));
    t.ends_as(second, state::success);
}

TEST_CASE("edges between shards go with the tasks at either end", "[shards]") {
    bench t;
    broken = true;
    t.start();
    const errand::options briefly{.retention = 30ms};
    const auto a = t.on(0, "fragile"), b = t.on(1, "b"), c = t.on(2, "c"), d = t.on(0, "d"), e = t.on(1, "e");
    const auto first = t.submit(a, briefly);
    t.ends_as(t.submit_after(b, {a}, {.retention = 30ms}), state::cancelled);
    t.wait(t.submit_after(c, {a}, {.retention = 30ms, .on_failed_dependency = errand::run}));
    t.wait(t.submit(d, briefly));
    // Waits for one that never comes, and is cancelled by name.
    const auto idle = t.submit_after(e, {t.on(2, "never"), d}, briefly);
    CHECK(t.run(idle.cancel()));
    // Waits for a later task of that id: this stays until it comes.
    const auto patient = t.submit_after(t.on(2, "patient"), {a}, {.on_failed_dependency = errand::wait});
    helper janitor{t.app.settings()};
    eventually([&] {
        await(janitor.io, janitor.of->clean(100));
        return !t.run(t.app.find(first.id())) && !t.run(t.app.find(idle.id()));
    });
    broken = false;
    t.submit(a, briefly);
    CHECK(t.wait(patient) == t.on(2, "patient"));
    eventually([&] {
        await(janitor.io, janitor.of->clean(100));
        return in_all_shards(t.app.settings(), "ZCARD", "links", "1");
    });
    CHECK(in_all_shards(t.app.settings(), "HLEN", "watched", "1"));
}

TEST_CASE("a refusal in one shard refuses the whole transaction", "[shards]") {
    bench t;
    const auto a = t.on(0, "a"), c = t.on(2, "c");
    const auto steps = t.app.handler<step>();
    const auto unique = t.app.handler<picky>();
    t.run(unique.perform_async("7"));
    CHECK_THROWS_AS(t.run(errand::transaction(t.app,
                                              [&]() -> errand::awaitable<void> {
                                                  co_await steps.perform_async(a);
                                                  for (const auto* name : {"5", "6", "7", "8"})
                                                      co_await unique.perform_async(name);
                                              })),
                    errand::duplicate_task);
    CHECK_FALSE(t.run(t.app.find(t.ref(a).id())));
    for (const auto* name : {"5", "6", "8"}) CHECK_FALSE(t.run(t.app.find(unique.ref(name).id())));
    // Of one that is submitted with others, some of which it waits for, a cycle with what was there before.
    t.submit_after(c, {a});
    CHECK_THROWS_AS(t.run(errand::transaction(t.app,
                                              [&]() -> errand::awaitable<void> {
                                                  const auto root = co_await steps.perform_async("root");
                                                  const errand::options how{.after = {root, t.ref(c)}};
                                                  co_await steps.with(how).perform_async(a);
                                              })),
                    errand::dependency_cycle);
    for (const auto& name : {a, std::string{"root"}}) CHECK_FALSE(t.run(t.app.find(t.ref(name).id())));
}

TEST_CASE("a plan over shards runs in its order although nothing is kept of its tasks", "[shards]") {
    bench t;
    t.start();
    const auto steps = t.app.handler<once>().with({.retention = 0ms});
    for (int round = 0; round < 20; ++round) {
        std::optional<step_handle> last;
        t.run(errand::transaction(t.app, [&]() -> errand::awaitable<void> {
            last = co_await steps.perform_async(std::to_string(12 * round));
            for (int i = 1; i < 12; ++i) {
                const auto next = t.app.handler<once>().with({.retention = 0ms, .after = {*last}});
                last = co_await next.perform_async(std::to_string(12 * round + i));
            }
        }));
        CHECK(t.wait(*last) == std::to_string(12 * round + 11));
    }
    std::vector<std::string> wanted;
    for (int i = 0; i < 240; ++i) wanted.push_back(std::to_string(i));
    CHECK(t.lines() == wanted);
}

TEST_CASE("a worker with no room left is woken by no shard", "[shards]") {
    bench t;
    helper worker{t.app.settings()};
    errand::work_call claim;
    claim.claim = {{"default"}, 1, 30s};
    CHECK(await(worker.io, worker.of->work(claim)).claimed.empty());
    const auto idle = [&](const std::string& count) {
        return in_all_shards(t.app.settings(), "SCARD", "idle:default", count);
    };
    CHECK(idle("1"));
    t.submit(t.on(1, "one"));
    t.submit(t.on(2, "other"));
    CHECK(await(worker.io, worker.of->work(claim)).claimed.size() == 1);
    CHECK(idle("0"));
    CHECK(await(worker.io, worker.of->work(claim)).claimed.size() == 1);
}

TEST_CASE("shards may be on several servers", "[shards]") {
    errand::test::redis_server other;
    auto settings = errand::test::fresh_settings();
    settings.store += ", " + other.url();
    settings.shards = 0;
    const auto name_space = settings.name_space;
    bench t{settings};
    t.start();
    const auto on = [&](std::size_t shard, const std::string& stem) {
        for (int i = 0;; ++i) {
            auto name = stem + std::to_string(i);
            if (errand::shards::shard_of(id_of(t.ref(name).id()), 2) == shard) return name;
        }
    };
    const auto child = t.submit_after(on(1, "c"), {on(0, "p")});
    const auto back = t.submit_after(on(0, "b"), {on(1, "c")});
    t.submit(on(0, "p"));
    CHECK(t.wait(back) == on(0, "b"));
    CHECK(t.lines() == std::vector{on(0, "p"), on(1, "c"), on(0, "b")});
    CHECK(other.command({"HLEN", "errand:{" + name_space + ".1}:tasks"}) == "2");
    auto alone = errand::test::fresh_settings();
    alone.name_space = name_space;
    alone.shards = 1;
    errand::test::test_app mistaken{alone};
    CHECK_THROWS_MATCHES(mistaken.run(mistaken.app.find(child.id())), errand::store_error,
                         MessageMatches(ContainsSubstring("2 shard(s), and 1 were asked for")));
    alone.store += "," + other.url();
    CHECK_THROWS_MATCHES(errand::app{alone}, errand::usage_error,
                         MessageMatches(ContainsSubstring("ERRAND_SHARDS")));
}

TEST_CASE("a server that is away costs no task of another its lease", "[shards]") {
    errand::test::redis_server other{{.append_only = true}};
    auto settings = errand::test::fresh_settings();
    settings.store += "," + other.url();
    settings.shards = 0;
    settings.lease = 300ms;
    bench t{settings};
    helper worker{settings};
    const auto id_on = [&](std::size_t shard) {
        for (;;) {
            const auto id = errand::new_task_id(1'763'000'000'000);
            if (errand::shards::shard_of(id, 2) == shard) return id;
        }
    };
    const auto item = errand::test::item_with(id_on(0), "a");
    await(worker.io, worker.of->submit(0, {&item, 1}, errand::submit_mode::each));
    errand::work_call claim;
    claim.claim = {{"default"}, 10, 300ms};
    const auto held = await(worker.io, worker.of->work(claim)).claimed;
    REQUIRE(held.size() == 1);
    const auto second = errand::test::item_with(id_on(0), "b");
    await(worker.io, worker.of->submit(0, {&second, 1}, errand::submit_mode::each));

    // Takes over what has lost its lease on the server that is there.
    errand::store_settings there;
    there.url = errand::test::shared_redis().url();
    there.name_space = settings.name_space;
    there.shards = 2;
    const auto other_worker = errand::make_redis_store(worker.io, there);
    await(worker.io, other_worker->open());

    other.kill();
    // Both what is held and what a call that hangs has claimed.
    std::optional<errand::work_answer> claimed;
    boost::asio::co_spawn(worker.io, worker.of->work(claim),
                          [&](std::exception_ptr why, errand::work_answer answer) {
                              if (!why) claimed = std::move(answer);
                          });
    const auto end = std::chrono::steady_clock::now() + 900ms;
    while (std::chrono::steady_clock::now() < end) {
        errand::extend_call call;
        call.lease = 300ms;
        call.claims = {held[0].claim};
        call.tasks = {{held[0].id, held[0].claim}};
        // One of the server that is away, so that it is asked.
        call.tasks.emplace_back(id_on(1), errand::shards::outer_claim(1, 1, 2));
        const auto lost = await(worker.io, worker.of->extend(call));
        CHECK(lost.lost_claims.empty());
        CHECK(lost.lost_tasks.empty());
        CHECK(await(worker.io, other_worker->recover(10, 30s)).tasks.empty());
    }
    CHECK_FALSE(claimed);
    other_worker->close();
    other.restart();
    CHECK(errand::test::run_until(worker.io, [&] { return claimed.has_value(); }));
    REQUIRE(claimed->claimed.size() == 1);
    errand::work_call finish;
    for (const auto& task : {held[0], claimed->claimed[0]}) {
        finish.reports.push_back(errand::test::success_of(task));
        finish.closed.push_back(task.claim);
    }
    const std::vector accepted(2, errand::report_verdict::accepted);
    CHECK(await(worker.io, worker.of->work(finish)).verdicts == accepted);
}
