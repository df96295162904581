// Ended tasks of which there are too many: which go, which stay, and what a pass says of it.
#include "core/bundles.hpp"
#include "support/store_fixture.hpp"
#include "support/store_kind.hpp"

#include <catch2/catch_test_macros.hpp>
#include <catch2/generators/catch_generators.hpp>

#include <algorithm>

using namespace errand;
using namespace errand::test;
using namespace std::chrono_literals;

namespace {

// Longer than what is told with a message: who waits for it asks for it.
const std::string told_too_long(40'000, 'r');

struct ended_history : store_fixture {
    member store = join("w");
    member watcher = join("q");

    std::vector<submission_item> submit_some(std::size_t count) {
        std::vector<submission_item> items;
        for (std::size_t i = 0; i < count; ++i) items.push_back(item_of("x"));
        submit_all(store, items);
        return items;
    }
    void submit_dependant_of(const task_id& parent) {
        auto item = item_of("waits");
        auto body = decode_body(item.body);
        body.after = {parent};
        body.rule = item.rule = on_failed::wait;
        item.body = encode(body);
        item.after = {{parent}};
        submit(store, item);
    }
    // Runs what is ready, so many in one call; later than all that ended before.
    void run_all(state as, const std::string& result, std::size_t in_one_call = 1000) {
        const auto before = store->now();
        REQUIRE(until([&] { return store->now() > before; }));
        for (auto got = claim(store, in_one_call).claimed; !got.empty();
             got = claim(store, in_one_call).claimed) {
            std::vector<report> reports;
            for (const auto& task : got) reports.push_back(end_of(task, as, result));
            finish(store, std::move(reports));
        }
    }
    report end_of(const claimed_task& task, state as, const std::string& result) {
        auto one = success_of(task);
        task_outcome outcome;
        outcome.ended_as = one.ended_as = as;
        outcome.retention = one.retention;
        outcome.result = result;
        outcome.attempts = 1;
        one.record = encode_end(outcome, store->now(), task.body);
        return one;
    }
    void watch(const std::vector<submission_item>& items) {
        std::vector<watched_task> tasks;
        for (const auto& one : items) tasks.push_back({one.id, incarnation_of(one.body)});
        REQUIRE(await(io, watcher->watch(tasks)).ended.empty());
    }
    // Whether the watcher has this end, or gets it where it was told of it only.
    bool has_end_of(const submission_item& item) {
        const auto& heard = watcher.ear->ended;
        const auto told = std::ranges::find(heard, item.id, &ended_task::id);
        if (told == heard.end()) return false;
        auto outcome = told->outcome;
        if (outcome.empty()) {
            const watched_task again{item.id, incarnation_of(item.body)};
            const auto answer = await(io, watcher->watch({&again, 1}));
            if (answer.ended.empty()) return false;
            outcome = answer.ended.front().outcome;
        }
        return decode_outcome(outcome).result == told_too_long;
    }
    std::size_t ended_so(state as) {
        const auto all = queue_of(store);
        return as == state::dead ? all.dead : all.success;
    }
    // Of so many bundles, of one item each, the runs have ended so, and no item has heard of it.
    std::vector<task_id> end_runs(std::size_t count, state as) {
        submit_some(count);
        std::vector<task_id> runs;
        std::vector<report> reports;
        for (const auto& task : claim(store, 1000).claimed) {
            joining one;
            one.key = bundle_key_of("test", "default", to_text(task.id));
            one.carrier = derive_carrier_id(one.key, task.id, task.claim);
            one.max_size = 1;
            one.wait = one.grace = 1h;
            one.bytes = 10;
            one.carrier_body = task.body;
            runs.push_back(one.carrier);
            reports.push_back(report_of(task, report::kind::join));
            reports.back().record = encode(one);
        }
        finish(store, std::move(reports));
        run_all(as, "1");
        return runs;
    }
    void tell_items() {
        for (auto news = await(io, store->take_news(100, 1h)); !news.entries.empty();
             news = await(io, store->take_news(100, 1h))) {
            for (const auto& one : news.entries) {
                const resolution told{.parent = one.about,
                                      .what = tidings::bundled,
                                      .cancelled = outcome_of(state::success),
                                      .children = one.heirs};
                await(io, store->resolve({&told, 1}, outcome_of(state::success)));
                const delivery heard{.about = one.about,
                                     .what = one.what,
                                     .token = one.token,
                                     .last = true,
                                     .done = one.heirs};
                await(io, store->delivered({&heard, 1}));
            }
        }
    }
    // As the janitor does it; what all passes said together.
    std::size_t trim_all(std::size_t most, std::size_t limit) {
        std::size_t sum = 0, passes = 0;
        for (std::size_t now = 1; now > 0 && passes < 500; ++passes)
            sum += now = await(io, store->trim(most, limit));
        CHECK(passes < 500);
        return sum;
    }
};

}  // namespace

TEST_CASE("what all passes over a history said is what they deleted, with dependants and one that is awaited",
          "[trim]") {
    ended_history here;
    const auto awaited = here.submit_some(1);
    here.watch(awaited);
    here.run_all(state::dead, told_too_long);
    const auto parents = here.submit_some(12);
    for (const auto& one : parents) here.submit_dependant_of(one.id);
    here.run_all(state::dead, "1");
    REQUIRE(here.until([&] { return here.watcher.ear->ended.size() == 1; }));
    REQUIRE(here.ended_so(state::dead) == 13);
    const auto limit = GENERATE(as<std::size_t>{}, 3, 150);
    CHECK(here.trim_all(5, limit) == 8);
    CHECK(here.ended_so(state::dead) == 5);
    CHECK(here.queue_of(here.store).waiting == 12);
    CHECK(here.has_end_of(awaited.front()));
    // Nobody awaits it any more.
    CHECK(here.trim_all(0, limit) == 5);
    CHECK(here.ended_so(state::dead) == 0);
}

TEST_CASE("however many are awaited at the old end, newer ones go", "[trim]") {
    const auto as = GENERATE(state::dead, state::success);
    ended_history here;
    const auto awaited = here.submit_some(200);
    here.watch(awaited);
    here.run_all(as, told_too_long);
    here.submit_some(20);
    here.run_all(as, "1", 1);
    REQUIRE(here.until([&] { return here.watcher.ear->ended.size() == 200; }));
    REQUIRE(here.ended_so(as) == 220);
    CHECK(here.trim_all(205, 50) >= 15);
    CHECK(here.ended_so(as) == 205);
    std::size_t missing = 0;
    for (const auto& one : awaited) {
        if (!here.has_end_of(one)) ++missing;
    }
    CHECK(missing == 0);
    CHECK(here.trim_all(0, 50) >= 205);
    CHECK(here.ended_so(as) == 0);
    CHECK(here.keeps("watched", 0));
    CHECK(here.keeps("tasks", 0));
}

TEST_CASE(
    "however many runs of bundles at the old end have items that are yet to hear, newer ones go, and these when "
    "all have heard",
    "[trim]") {
    const auto end = GENERATE(state::dead, state::success);
    const auto limit = GENERATE(as<std::size_t>{}, 10, 150);
    ended_history here;
    const auto runs = here.end_runs(30, end);
    here.submit_some(20);
    here.run_all(end, "1", 1);
    REQUIRE(here.ended_so(end) == 50);
    CHECK(here.trim_all(35, limit) >= 15);
    CHECK(here.ended_so(end) == 35);
    here.trim_all(10, limit);
    CHECK(here.ended_so(end) == 30);
    REQUIRE(runs.size() == 30);
    for (const auto& id : runs) CHECK(await(here.io, here.store->find(id)));
    here.tell_items();
    here.trim_all(10, limit);
    CHECK(here.ended_so(end) == 10);
}

TEST_CASE("a pass over a history goes on where the last one ended, also when older ones have gone since",
          "[trim]") {
    ended_history here;
    const auto later = [&] {
        const auto before = here.store->now();
        REQUIRE(here.until([&] { return here.store->now() > before + 100ms; }));
    };
    const auto awaited = here.submit_some(60);
    here.watch(awaited);
    here.run_all(state::dead, told_too_long);
    later();
    here.submit_some(10);
    here.run_all(state::dead, "1");
    later();
    const auto newer = here.submit_some(30);
    here.run_all(state::dead, "1");
    REQUIRE(here.until([&] { return here.watcher.ear->ended.size() == 60; }));
    await(here.io, here.store->trim(90, 50));
    for (std::size_t i = 0; i < 20; ++i)
        await(here.io, here.store->remove(awaited[i].id, outcome_of(state::cancelled, 0ms)));
    const auto left = here.ended_so(state::dead);
    here.trim_all(left - 10, 50);
    CHECK(here.ended_so(state::dead) == left - 10);
    for (const auto& one : newer) CHECK(await(here.io, here.store->find(one.id)).has_value());
}

TEST_CASE("ends that nobody fetched leave no names when their tasks are removed", "[trim]") {
    ended_history here;
    const auto awaited = here.submit_some(3);
    here.watch(awaited);
    here.run_all(GENERATE(state::dead, state::success), told_too_long);
    REQUIRE(here.until([&] { return here.watcher.ear->ended.size() == 3; }));
    for (const auto& one : awaited)
        await(here.io, here.store->remove(one.id, outcome_of(state::cancelled, 0ms)));
    CHECK(here.keeps("watched", 0));
}

TEST_CASE(
    "the name of who did not fetch an end stays for a minute, whether he is heard or not, and goes then",
    "[trim]") {
    const bool heard = GENERATE(true, false), late = GENERATE(true, false);
    ended_history here;
    const auto awaited = here.submit_some(1);
    here.watch(awaited);
    const auto task = here.claim(here.store, 1).claimed.at(0);
    task_outcome outcome;
    outcome.ended_as = state::success;
    outcome.retention = 1h;
    outcome.result = told_too_long;
    auto report = success_of(task);
    report.record = encode_end(outcome, here.store->now() - (late ? 61s : 0s), task.body);
    here.finish(here.store, {report});
    REQUIRE(here.until([&] { return here.watcher.ear->ended.size() == 1; }));
    if (!heard) {
        here.watcher->close();
        here.watcher = {};
    }
    await(here.io, here.store->clean(100));
    if (late) CHECK(here.keeps("watched", 0));
    if (!late && can(capability::in_shards)) CHECK_FALSE(here.keeps("watched", 0));
}

TEST_CASE("however many successes refuse duplicates beyond their retention, they leave the history",
          "[trim]") {
    ended_history here;
    here.submit_some(256);
    std::vector<report> reports;
    const bool by_time = GENERATE(true, false);
    for (const auto& task : here.claim(here.store, 1000).claimed)
        reports.push_back(success_of(task, by_time ? 2ms : 1h, 2h));
    REQUIRE(reports.size() == 256);
    here.finish(here.store, std::move(reports));
    std::size_t passes = 0;
    const auto pass = [&] {
        return await(here.io, by_time ? here.store->clean(150) : here.store->trim(0, 150));
    };
    CHECK(here.until([&] {
        const auto done = pass();
        return (done == 0 && here.ended_so(state::success) == 0) || ++passes > 1000;
    }));
    CHECK(passes <= 1000);
    CHECK(pass() == 0);
    CHECK(here.keeps("tasks", 256));
}

TEST_CASE("awaited ends that a pass over too many left behind go when their retention is over", "[trim]") {
    ended_history here;
    const auto awaited = here.submit_some(200);
    here.watch(awaited);
    std::vector<report> reports;
    for (const auto& task : here.claim(here.store, 1000).claimed) {
        auto one = here.end_of(task, state::success, told_too_long);
        task_outcome outcome;
        outcome.retention = one.retention = 1s;
        outcome.result = told_too_long;
        one.record = encode_end(outcome, here.store->now(), task.body);
        reports.push_back(std::move(one));
    }
    here.finish(here.store, std::move(reports));
    await(here.io, here.store->trim(0, 150));
    std::size_t passes = 0;
    CHECK(here.until([&] {
        await(here.io, here.store->clean(150));
        return (here.ended_so(state::success) == 0 && here.keeps("tasks", 0)) || ++passes > 100'000;
    }));
    CHECK(here.until([&] { return await(here.io, here.store->clean(150)) == 0; }));
    CHECK(here.keeps("tasks", 0));
    CHECK(here.keeps("listed:default", 0));
    CHECK(here.ended_so(state::success) == 0);
}

TEST_CASE("who waited and has died keeps nothing from going for longer than a minute", "[trim]") {
    ended_history here;
    const auto awaited = here.submit_some(1);
    here.watch(awaited);
    here.watcher->close();
    here.watcher = {};
    auto report = here.end_of(here.claim(here.store, 1).claimed.at(0), state::dead, "1");
    // It ended a minute ago.
    task_outcome outcome;
    outcome.ended_as = state::dead;
    outcome.retention = 1h;
    report.record = encode_end(outcome, here.store->now() - 61s, awaited.front().body);
    here.finish(here.store, {report});
    CHECK(here.trim_all(0, 150) == 1);
    CHECK(here.ended_so(state::dead) == 0);
}
