// Wake-ups: one idle worker for one task, never none, and due times slept to by one worker only.
#include "support/store_fixture.hpp"

using namespace errand;
using namespace errand::test;
using namespace std::chrono_literals;

namespace {

int wakes(const std::vector<member>& all) {
    int sum = 0;
    for (const auto& one : all) sum += one.ear->wakes;
    return sum;
}

// Whatever was published before this has arrived after it: pushes come in order on each connection.
void settle(store_fixture& here, std::vector<member>& all) {
    for (auto& one : all) await(here.io, one->find(new_task_id(1)));
}

std::vector<member> idle_workers(store_fixture& here, int count) {
    std::vector<member> all;
    for (int i = 0; i < count; ++i) {
        all.push_back(here.join("w" + std::to_string(i)));
        await(here.io, all.back()->beat("{}", 30s, {}));
        here.claim(all.back(), 5);
    }
    return all;
}

}  // namespace

TEST_CASE("a submission wakes exactly one of the idle workers") {
    store_fixture here;
    auto producer = here.join("p");
    auto workers = idle_workers(here, 5);
    for (int task = 1; task <= 4; ++task) {
        here.submit(producer, item_of("x"));
        REQUIRE(here.until([&] { return wakes(workers) == task; }));
        settle(here, workers);
        CHECK(wakes(workers) == task);
    }
    CHECK(here.queue_of(producer).idle_workers == 1);
    for (const auto& one : workers) CHECK(one.ear->wakes <= 1);
}

TEST_CASE("a worker that found all it asked for is not woken, one that found less is") {
    store_fixture here;
    auto producer = here.join("p");
    auto workers = idle_workers(here, 1);
    here.submit(producer, item_of("x"));
    here.claim(workers[0], 1);
    CHECK(here.queue_of(producer).idle_workers == 0);
    here.submit(producer, item_of("x"));
    here.claim(workers[0], 2);
    CHECK(here.queue_of(producer).idle_workers == 1);
}

TEST_CASE("an idle worker that is gone does not swallow a wake-up") {
    store_fixture here;
    auto producer = here.join("p");
    auto workers = idle_workers(here, 1);
    // These end without a word.
    for (int i = 0; i < 20; ++i) {
        auto gone = here.join("gone" + std::to_string(i));
        here.claim(gone, 5);
    }
    here.submit_all(producer, {item_of("x"), item_of("x")});
    REQUIRE(here.until([&] { return wakes(workers) == 1; }));
}

TEST_CASE("a large batch wakes several workers, a full claim that leaves a backlog wakes the next") {
    store_fixture here;
    auto producer = here.join("p");
    auto workers = idle_workers(here, 11);
    std::vector<submission_item> items;
    for (int i = 0; i < 100; ++i) items.push_back(item_of("x"));
    here.submit_all(producer, items);
    REQUIRE(here.until([&] { return wakes(workers) == 8; }));
    CHECK(here.queue_of(producer).idle_workers == 3);
    for (auto& one : workers) {
        if (one.ear->wakes == 0) continue;
        here.claim(one, 5);
        break;
    }
    REQUIRE(here.until([&] { return wakes(workers) == 9; }));
}

TEST_CASE("what becomes ready by giving back or falling due wakes like a submission") {
    store_fixture here;
    auto holder = here.join("holder");
    here.submit_all(holder, {item_of("a"), item_of("b")});
    const auto got = here.claim(holder, 2).claimed;
    auto workers = idle_workers(here, 2);
    here.finish(holder, {report_of(got[0], report::kind::give_back)});
    REQUIRE(here.until([&] { return wakes(workers) == 1; }));
    here.claim(workers[0], 1);
    here.claim(workers[1], 1);
    REQUIRE(wakes(workers) == 1);

    // It becomes the earliest due time: whoever sleeps must hear of it.
    here.finish(holder, {report_of(got[1], report::kind::later, 1ms)});
    REQUIRE(here.until([&] { return wakes(workers) == 2; }));
    const std::vector<std::string> queues{"default"};
    for (auto& one : workers) here.claim(one, 5);
    REQUIRE(here.until([&] {
        return await(here.io, holder->promote(queues, 10, outcome_of(state::expired))).promoted == 1;
    }));
    REQUIRE(here.until([&] { return wakes(workers) == 3; }));
}

TEST_CASE("a delayed submission wakes one worker only when nothing is due before it") {
    store_fixture here;
    auto producer = here.join("p");
    auto workers = idle_workers(here, 2);
    const auto delayed = [](duration by) {
        auto item = item_of("x");
        item.delay = by;
        return item;
    };
    here.submit(producer, delayed(1h));
    REQUIRE(here.until([&] { return wakes(workers) == 1; }));
    here.submit(producer, delayed(2h));
    settle(here, workers);
    CHECK(wakes(workers) == 1);
    here.submit(producer, delayed(30min));
    REQUIRE(here.until([&] { return wakes(workers) == 2; }));
}

TEST_CASE("one worker sleeps until a due time, the others look a second later; a gone one is replaced") {
    store_fixture here;
    auto producer = here.join("p");
    auto first = here.join("first");
    auto second = here.join("second");
    await(here.io, first->beat("{}", 30s, {}));
    await(here.io, second->beat("{}", 30s, {}));
    auto item = item_of("x");
    item.delay = 1h;
    here.submit(producer, item);
    const auto due = await(here.io, producer->find(item.id))->due_at;
    CHECK(here.claim(first, 1).next_due == due);
    CHECK(here.claim(first, 1).next_due == due);
    CHECK(here.claim(second, 1).next_due == *due + 1s);
    const std::vector<std::string> queues{"default"};
    CHECK(await(here.io, second->promote(queues, 10, outcome_of(state::expired))).next_due == *due + 1s);

    await(here.io, first->leave(queues));
    REQUIRE(here.until([&] { return second.ear->wakes == 1; }));
    CHECK(here.claim(second, 1).next_due == due);
    CHECK(here.claim(first, 1).next_due == *due + 1s);
    // Not seen alive any more: its post is free without a word of it.
    await(here.io, second->beat("{}", 0ms, {}));
    CHECK(here.claim(first, 1).next_due == due);
}

TEST_CASE("leaving takes a worker off the idle sets and out of the living") {
    store_fixture here;
    auto workers = idle_workers(here, 2);
    CHECK(await(here.io, workers[0]->beat("{}", 30s, {})).alive == 2);
    const std::vector<std::string> queues{"default"};
    await(here.io, workers[0]->leave(queues));
    await(here.io, workers[1]->pause("default"));  // nobody has named it so far
    CHECK(here.queue_of(workers[1]).idle_workers == 1);
    CHECK(await(here.io, workers[1]->beat("{}", 30s, {})).alive == 1);
    CHECK(here.keeps("cards", 1));
}

TEST_CASE(
    "one of those who serve a queue is told every few seconds to look after it, however many others live") {
    store_fixture here;
    auto one = here.join("one"), two = here.join("two"), other = here.join("other");
    const std::vector<std::string> rare{"rare"}, often{"often"}, both{"often", "rare"};
    const auto looks = [&](member& by, const std::vector<std::string>& queues) {
        return await(here.io, by->beat("{}", 30s, queues)).looks;
    };
    CHECK(looks(other, often));
    CHECK(looks(one, rare));
    CHECK_FALSE(looks(two, rare));
    CHECK_FALSE(looks(one, both));
    // The first one has died.
    REQUIRE(here.until([&] { return looks(two, rare); }));
    CHECK_FALSE(looks(one, rare));
}
