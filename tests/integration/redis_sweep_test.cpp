// What those leave in Redis that die without a word, and how it is swept.
#include "store/redis/keys.hpp"
#include "support/redis_fixture.hpp"

#include <catch2/catch_test_macros.hpp>

using namespace errand;
using namespace errand::test;
using namespace std::chrono_literals;

namespace {

std::string dead(int number) { return "dead:" + std::to_string(number); }

// A round of sweeping that is late: it catches up. Cleans until nothing is left to do.
void sweep_late(redis_fixture& here, member& by, const std::string& kind) {
    // Fifty minutes: longer than a round, and not so long that nobody is at it any more.
    const auto now = std::chrono::floor<duration>(std::chrono::system_clock::now()).time_since_epoch();
    here.redis({"HSET", here.key("control"), "sweep_" + kind,
                std::to_string(now.count() - 3'000'000) + " 0 0"});
    for (int calls = 0; calls < 200 && await(here.io, by->clean(100)) > 0; ++calls) {
    }
}

template <class Words>
void many(redis_fixture& here, int count, Words words) {
    std::vector<std::string> all;
    for (int i = 0; i < count; ++i) {
        for (auto& one : words(i)) all.push_back(std::move(one));
    }
    const auto said = here.redis(all);
    CHECK_FALSE(said.starts_with('-'));
}

// Commands begin with their name and key.
template <class Words>
void add(redis_fixture& here, const std::string& command, const std::string& part, int count, Words words) {
    many(here, count + 1, [&](int i) -> std::vector<std::string> {
        if (i == 0) return {command, here.key(part)};
        return words(i);
    });
}

std::string stamped(std::int64_t age) {
    const auto now = std::chrono::floor<duration>(std::chrono::system_clock::now()).time_since_epoch();
    return "000000000000001" + std::to_string(now.count() - age) + "x";
}

submission_item child_of(const task_id& parent) {
    auto child = item_of("child");
    auto body = decode_body(child.body);
    body.after = {parent};
    child.body = encode(body);
    child.after = {{parent}};
    return child;
}

long size(redis_fixture& here, const std::string& part) { return std::stol(here.size_of(part)); }

}  // namespace

TEST_CASE("a submission takes some names of dead workers off, and never all of very many", "[sweep]") {
    redis_fixture here;
    auto worker = here.join("w");
    here.submit(worker, item_of("first"));
    for (const int priority : {0, 1}) {
        add(here, "SADD", "idle:default", 2000, [](int i) { return std::vector{dead(i) + "\n30000"}; });
        here.submit(worker, item_of("next", "default", priority));
        CHECK(size(here, "idle:default") >= 1500);
        CHECK(size(here, "idle:default") < 2000);
    }
    CHECK(here.claim(worker, 10).claimed.size() == 3);
}

TEST_CASE("the end of a task takes some names of dead resolvers off, and never all of very many", "[sweep]") {
    redis_fixture here;
    auto worker = here.join("w");
    const auto parent = item_of("parent");
    here.submit(worker, parent);
    here.submit(worker, child_of(parent.id));
    add(here, "ZADD", "outbox", 2000, [](int i) { return std::vector<std::string>{"+inf", "R" + dead(i)}; });
    await(here.io, worker->cancel(parent.id, 0, outcome_of(state::cancelled)));
    CHECK(size(here, "outbox") >= 1500);
    CHECK(await(here.io, worker->take_news(10, 10s)).entries.size() == 1);
}

TEST_CASE("a call that has news of many tasks takes off no more names of dead resolvers than one",
          "[sweep]") {
    redis_fixture here;
    auto worker = here.join("w");
    const auto parent = item_of("parent");
    here.submit(worker, parent);
    resolution told{.parent = parent.id, .what = tidings::cancelled, .cancelled = {}, .children = {}};
    for (int i = 0; i < 30; ++i) {
        const auto child = child_of(parent.id);
        here.submit(worker, child);
        told.children.push_back(child.id);
    }
    await(here.io, worker->cancel(parent.id, 0, outcome_of(state::cancelled)));
    add(here, "ZADD", "outbox", 2000, [](int i) { return std::vector<std::string>{"+inf", "R" + dead(i)}; });
    // With no outcome to end them each is to be looked at by itself.
    await(here.io, worker->resolve({&told, 1}, {}));
    CHECK(here.redis({"ZCOUNT", here.key("outbox"), "0", "9999999999999"}) == "31");
    CHECK(size(here, "outbox") >= 1900);
}

TEST_CASE("names of workers and resolvers that are gone are swept, and those of the living stay", "[sweep]") {
    redis_fixture here;
    auto worker = here.join("w");
    auto living = here.join("living");
    here.submit(worker, item_of("first"));
    here.claim(living, 10);
    CHECK(await(here.io, living->take_news(10, 10s)).entries.empty());
    REQUIRE(here.size_of("idle:default") == "1");
    add(here, "SADD", "idle:default", 1000, [](int i) { return std::vector{dead(i) + "\n30000"}; });
    add(here, "ZADD", "outbox", 1000, [](int i) { return std::vector<std::string>{"+inf", "R" + dead(i)}; });
    sweep_late(here, worker, "idle:default");
    CHECK(here.size_of("idle:default") == "1");
    auto other = here.join("other");
    sweep_late(here, other, "resolvers");
    CHECK(here.size_of("outbox") == "2");
    here.submit(worker, item_of("next"));
    CHECK(here.until([&] { return living.ear->wakes == 1; }));
}

TEST_CASE("lanes of clients that are gone are swept by age, as fast as there are many", "[sweep]") {
    redis_fixture here;
    auto worker = here.join("w");
    add(here, "HSET", "lanes", 3000, [](int i) { return std::vector{dead(i), stamped(3'700'000)}; });
    add(here, "HSET", "lanes", 5,
        [](int i) { return std::vector{"young:" + std::to_string(i), stamped(1000)}; });
    sweep_late(here, worker, "lanes");
    CHECK(here.size_of("lanes") == "6");
}

TEST_CASE("edges, marks and watches of tasks that are not there are swept", "[sweep]") {
    redis_fixture here;
    auto worker = here.join("w");
    auto item = item_of("waits");
    auto body = decode_body(item.body);
    const auto later = new_task_id(1);
    body.after = {later};
    item.body = encode(body);
    item.after = {{later}};
    here.submit(worker, item);
    const auto task = item_of("long");
    here.submit(worker, task);
    await(here.io, worker->watch(std::vector<watched_task>{{task.id, 0}}));
    const auto id = [](int i, char what) {
        auto text = std::to_string(i) + what;
        return text + std::string(16 - text.size(), '-');
    };
    add(here, "ZADD", "links", 1000, [&](int i) {
        return std::vector<std::string>{"0", "n" + id(i, 'a') + id(i, 'b'),
                                        "0", "c" + id(i, 'b') + id(i, 'a'),
                                        "0", "s" + id(i, 'c') + id(i, 'a')};
    });
    add(here, "HSET", "watched", 300,
        [&](int i) { return std::vector<std::string>{id(i, 'b'), ">\n", id(i, 'd'), dead(i) + "\n"}; });
    sweep_late(here, worker, "edges");
    CHECK(here.size_of("links") == "3");
    auto other = here.join("other");
    sweep_late(here, other, "watched");
    CHECK(here.size_of("watched") == "3");
    await(here.io, worker->cancel(task.id, 0, outcome_of(state::cancelled)));
    CHECK(here.until([&] { return worker.ear->ended.size() == 1; }));
}

TEST_CASE("a task that many short-lived processes awaited remembers the living alone", "[sweep]") {
    redis_fixture here;
    auto worker = here.join("w");
    auto living = here.join("living");
    const auto task = item_of("long");
    here.submit(worker, task);
    const std::vector<watched_task> asked{{task.id, 0}};
    await(here.io, living->watch(asked));
    std::string names = "living\n";
    for (int i = 0; i < 1000; ++i) names += dead(i) + "\n";
    const std::string id{task.id.view()};
    here.redis({"HSET", here.key("watched"), id, names});
    await(here.io, worker->watch(asked));
    CHECK(here.redis({"HSTRLEN", here.key("watched"), id}) ==
          std::to_string(std::string{"living\nw\n"}.size()));
    await(here.io, worker->cancel(task.id, 0, outcome_of(state::cancelled)));
    CHECK(here.until([&] { return living.ear->ended.size() == 1; }));
}

TEST_CASE("however many lengths of retention there are, the lists of ended tasks stay few", "[sweep]") {
    redis_fixture here;
    auto worker = here.join("w");
    std::vector<submission_item> items;
    for (int i = 0; i < 1000; ++i) items.push_back(item_of("x"));
    here.submit_all(worker, items);
    std::vector<report> reports;
    for (const auto& task : here.claim(worker, 1000).claimed)
        reports.push_back(success_of(task, 60s + duration{1} * static_cast<int>(reports.size()) * 3599));
    here.finish(worker, std::move(reports));
    CHECK(here.queue_of(worker).success == 1000);
    CHECK(size(here, "histories") < 100);
}

TEST_CASE("the counters of a list of ended tasks go with it, and what happened stays counted", "[sweep]") {
    redis_fixture here;
    auto worker = here.join("w");
    std::vector<submission_item> items;
    for (int i = 0; i < 100; ++i) items.push_back(item_of("x"));
    here.submit_all(worker, items);
    const auto before = size(here, "counts");
    std::vector<report> reports;
    for (const auto& task : here.claim(worker, 100).claimed)
        reports.push_back(success_of(task, duration{1 + static_cast<int>(reports.size()) % 50}));
    here.finish(worker, std::move(reports));
    CHECK(size(here, "counts") > before + 5);
    CHECK(here.until([&] {
        await(here.io, worker->clean(100));
        return here.size_of("histories") == "0";
    }));
    CHECK(size(here, "counts") <= before + 1);
    CHECK(here.queue_of(worker).success == 0);
    CHECK(await(here.io, worker->happened(0)).so_far.at("default").success == 100);
}

TEST_CASE(
    "the counters of a queue go when it is empty, nobody serves it and nothing happened for half an hour",
    "[sweep]") {
    redis_fixture here;
    auto worker = here.join("w");
    const auto run_one = [&](const std::string& queue, duration retention) {
        here.submit(worker, item_of("x", queue));
        const auto got = here.claim(worker, 1, {queue}).claimed;
        REQUIRE(got.size() == 1);
        here.finish(worker, {success_of(got[0], retention)});
    };
    const auto names = [&] {
        std::vector<std::string> all;
        for (const auto& one : await(here.io, worker->overview()).queues) all.push_back(one.queue);
        return all;
    };
    const auto before = std::chrono::floor<duration>(std::chrono::system_clock::now()) - 31min;
    const auto long_ago = std::to_string(before.time_since_epoch().count());
    // As if the marks of queues in which nothing was had been made then.
    const auto age_marks = [&] {
        for (const auto& queue : names()) {
            const auto field = "quiet:" + redis::escaped(queue);
            const auto mark = here.redis({"HGET", here.key("control"), field});
            if (mark != "(nil)")
                here.redis({"HSET", here.key("control"), field, long_ago + mark.substr(mark.find(' '))});
        }
    };
    const std::vector<std::string> stay{"history", "paused", "ready", "served"};
    for (int i = 0; i < 300; ++i) run_one("customer/" + std::to_string(i), 0s);
    run_one("history", 24h);
    for (const auto* queue : {"served", "paused"}) run_one(queue, 0s);
    await(here.io, worker->leave(names()));
    await(here.io, worker->pause("paused"));
    here.submit(worker, item_of("x", "ready"));
    await(here.io, worker->beat("{}", 10s, std::vector<std::string>{"served"}));
    const auto counters = size(here, "counts");

    // Marked, and some time later the same is there.
    const auto sweep = [&](const std::string& by) {
        auto janitor = here.join(by);
        sweep_late(here, janitor, "counts");
    };
    sweep("one");
    CHECK(names().size() == 304);
    sweep("two");
    CHECK(names().size() == 304);
    age_marks();
    // Something has happened there since.
    run_one("customer/7", 0s);
    await(here.io, worker->leave(std::vector<std::string>{"customer/7"}));
    sweep("three");
    auto left = stay;
    left.insert(left.begin(), "customer/7");
    CHECK(names() == left);
    age_marks();
    sweep("four");
    CHECK(names() == stay);
    CHECK(size(here, "counts") < counters - 590);
    CHECK(here.redis({"HEXISTS", here.key("control"), "quiet:customer%2F7"}) == "0");
    CHECK(await(here.io, worker->happened(0)).so_far.at("history").success == 1);

    // Who names a queue says that something is to happen in it.
    here.redis({"HSET", here.key("control"), "quiet:customer%2F9", long_ago + "     "});
    auto other = here.join("other");
    here.submit(other, item_of("x", "customer/9"));
    CHECK(here.redis({"HEXISTS", here.key("control"), "quiet:customer%2F9"}) == "0");
    // What happened to a task that was in nobody's sight brings its queue back.
    here.redis({"HDEL", here.key("counts"), "q:customer%2F9"});
    const auto task = here.claim(worker, 1, {"customer/9"}).claimed;
    REQUIRE(task.size() == 1);
    here.finish(worker, {success_of(task[0], 0s)});
    CHECK(names() == stay);
    sweep("five");
    left.front() = "customer/9";
    CHECK(names() == left);
}

TEST_CASE("where a pass over too many ended tasks was to go on is forgotten after a minute", "[sweep]") {
    redis_fixture here;
    auto worker = here.join("w");
    for (int i = 0; i < 4; ++i) {
        const auto task = item_of("x");
        here.submit(worker, task);
        await(here.io, worker->cancel(task.id, 0, outcome_of(state::cancelled)));
    }
    const auto listed = here.key("listed:default");
    const auto last = here.redis({"ZRANGE", listed, "1", "1"});
    const auto score = here.redis({"ZSCORE", listed, last});
    const auto left_at = [&](std::chrono::milliseconds age) {
        const auto now = std::chrono::floor<duration>(std::chrono::system_clock::now()).time_since_epoch();
        here.redis({"HSET", here.key("control"), "passed:c:default",
                    std::to_string((now - age).count()) + ' ' + score + ' ' + last});
    };
    const auto ids = [&](const char* at) { return here.redis({"ZRANGE", listed, at, at}); };
    const auto first = ids("0"), third = ids("2");
    const auto kept = [&](const std::string& id) {
        return here.redis({"HEXISTS", here.key("tasks"), id}) == "1";
    };
    left_at(0s);
    await(here.io, worker->trim(3, 100));
    CHECK_FALSE(kept(third));
    CHECK(kept(first));
    left_at(61s);
    await(here.io, worker->trim(2, 100));
    CHECK_FALSE(kept(first));

    left_at(61s);
    sweep_late(here, worker, "passed");
    CHECK(here.redis({"HEXISTS", here.key("control"), "passed:c:default"}) == "0");
    left_at(0s);
    auto other = here.join("other");
    sweep_late(here, other, "passed");
    CHECK(here.redis({"HEXISTS", here.key("control"), "passed:c:default"}) == "1");
}

TEST_CASE("a table that was large and is nearly empty is made as small as what is left in it", "[sweep]") {
    redis_fixture here;
    auto worker = here.join("w");
    const auto bytes = [&](const std::string& part) {
        return std::stol(here.redis({"MEMORY", "USAGE", here.key(part), "SAMPLES", "0"}));
    };
    for (const auto* part : {"claims", "links", "gates"}) {
        const bool hash = part != std::string{"links"};
        add(here, hash ? "HSET" : "ZADD", part, 15'000, [&](int i) {
            return hash ? std::vector{dead(i), std::string{"x"}} : std::vector{std::string{"0"}, dead(i)};
        });
    }
    add(here, "HSET", "arrived", 11'000, [](int i) { return std::vector{dead(i), std::string{"1"}}; });
    sweep_late(here, worker, "tables");
    here.redis({"DEL", here.key("arrived")});
    CHECK(bytes("claims") > 500'000);
    CHECK(bytes("links") > 500'000);
    // Redis begins to move a table of 16,384 places into a smaller one when a tenth of them is in use, by at most ten places
    // with each further deletion. What is left is enough that so few deletions never bring it to the end of the table.
    constexpr int left = 190;
    for (const auto* part : {"claims", "links", "gates"}) {
        const auto command = part == std::string{"links"} ? "ZREM" : "HDEL";
        add(here, command, part, 15'000 - left, [](int i) { return std::vector{dead(i)}; });
    }
    CHECK(bytes("claims") > 100'000);
    CHECK(bytes("links") > 100'000);
    CHECK(bytes("gates") > 100'000);
    auto other = here.join("other");
    sweep_late(here, other, "tables");
    CHECK(here.redis({"HGET", here.key("control"), "peak_arrived"}) == "(nil)");
    CHECK(bytes("claims") < 40'000);
    CHECK(bytes("links") < 40'000);
    CHECK(bytes("gates") < 40'000);
    CHECK(size(here, "claims") == left + 1);  // one is the shard's own
    CHECK(size(here, "links") == left + 1);
    CHECK(size(here, "gates") == left);
    CHECK(here.redis({"HGET", here.key("claims"), dead(14'995)}) == "x");
}

TEST_CASE("of hundreds of workers the one that knows a handler is told of a task that stands aside") {
    redis_fixture here;
    auto old = here.join("old:1"), fresh = here.join("fresh:1");
    add(here, "ZADD", "workers", 450,
        [](int i) { return std::vector<std::string>{"9999999999999", dead(i)}; });
    add(here, "HSET", "cards", 450,
        [](int i) { return std::vector<std::string>{dead(i), R"({"answers_to":["other"]})"}; });
    await(here.io, fresh->beat(R"({"answers_to":["test"],"ear":"fresh:1"})", 1h, {}));
    here.submit(old, item_of("x"));
    auto aside = report_of(here.claim(old, 1).claimed.at(0), report::kind::aside);
    task_notes notes;
    notes.unknown_handler = 1;
    aside.record = encode(notes);
    here.finish(old, {aside});
    CHECK(here.until([&] { return fresh.ear->asides > 0; }));
}
