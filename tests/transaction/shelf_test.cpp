// Tasks that wait on the shelf: where they are, and what is done with them.
#include "shelf_desk.hpp"
#include "support/shards.hpp"

#include <catch2/catch_test_macros.hpp>

#include <algorithm>
#include <future>
#include <numeric>
#include <set>

using namespace std::chrono_literals;
using namespace committed;
using errand::state;
using errand::test::eventually;

TEST_CASE("a task that is due far from now waits on the shelf, and not in the store",
          "[shelf][shared_by_apps]") {
    shelf_desk d;
    const auto h = d.far<receipt>(std::int64_t{7});
    CHECK_FALSE(h.duplicate());
    CHECK_FALSE(d.in_store(h.id()));
    const auto info = d.t.info(h);
    CHECK(info.state == state::delayed);
    CHECK(info.queue == "receipts");
    REQUIRE(info.due_at);
    const auto seen = d.t.run(d.t.app.inspect().shelf());
    REQUIRE(seen);
    CHECK(seen->tasks == 1);
    CHECK(seen->next_due == info.due_at);
    CHECK(seen->days.size() == 1);
    const auto page =
        d.t.run(d.t.app.inspect().list({.state = state::delayed, .handler = "committed::receipt"}));
    REQUIRE(page.tasks.size() == 1);
    CHECK(page.tasks[0].id == h.id());
    // What is due soon does not, nor what the handler wants in the store.
    const auto soon = d.t.run(d.t.app.handler<receipt>().perform_in(30min, std::int64_t{8}));
    CHECK(d.in_store(soon.id()));
    const auto never = d.t.run(d.t.app.handler<unshelved>().perform_in(24h * 5, std::int64_t{9}));
    CHECK(d.in_store(never.id()));
    CHECK(d.on_shelf() == 1);
}

TEST_CASE("many at once go to the shelf, are listed in their order page by page, and are brought each once",
          "[shelf][shared_by_apps]") {
    shelf_desk d;
    std::vector<std::int64_t> numbers(700);
    std::iota(numbers.begin(), numbers.end(), 0);
    std::set<std::string> ids;
    auto all = d.t.run(d.t.app.handler<receipt>().with({.delay = 5 * 24h}).perform_bulk(numbers));
    for (const auto& h : all) ids.insert(h.id());
    CHECK(d.on_shelf() == 700);
    for (const auto order : {errand::list_order::oldest_first, errand::list_order::newest_first}) {
        std::set<std::string> listed;
        std::string after;
        do {
            auto page = d.t.run(d.t.app.inspect().list({.state = state::delayed}, after, 90, order));
            for (const auto& one : page.tasks) CHECK(listed.insert(one.id).second);
            after = page.next;
        } while (!after.empty());
        CHECK(listed == ids);
    }
    test_app first{d.eager()}, second{d.eager()};
    auto other = std::async(std::launch::async, [&] { return fetch_all(second); });
    const auto by_one = fetch_all(first);
    const auto by_other = other.get();
    // Who finds no row while the other one has them has nothing to do.
    const auto rest = fetch_all(first);
    CHECK(by_one + by_other + rest == 700);
    CHECK(d.on_shelf() == 0);
    for (const auto& one : {*ids.begin(), *ids.rbegin()}) CHECK(d.in_store(one));
}

TEST_CASE("a worker brings what falls due and runs it, not before its time", "[shelf]") {
    shelf_desk d;
    const auto h = d.t.run(d.t.app.handler<soon_shelved>().perform_in(3s, std::int64_t{5}));
    CHECK(d.on_shelf() == 1);
    const auto due = d.t.info(h).due_at.value();
    d.t.start();
    eventually([&] { return d.t.info(h).state == state::success; });
    CHECK(d.t.info(h).finished_at.value() >= due);
    // Struck off by who has brought it, who may be behind who runs it.
    eventually([&] { return d.on_shelf() == 0; });
}

TEST_CASE("who cancels, reschedules or awaits a task on the shelf has it brought", "[shelf]") {
    shelf_desk d;
    const auto cancelled = d.far<receipt>(std::int64_t{1});
    CHECK(d.t.run(cancelled.cancel()));
    CHECK(d.t.info(cancelled).state == state::cancelled);
    const auto moved = d.far<receipt>(std::int64_t{2});
    d.t.start();
    CHECK(d.t.run(moved.reschedule(std::chrono::system_clock::now())));
    CHECK(d.t.wait(moved) == 2);
    const auto awaited = d.far<receipt>(std::int64_t{3});
    CHECK_THROWS_AS(d.t.run(awaited.result(10ms)), errand::timed_out);
    CHECK(d.t.info(awaited).state == state::delayed);
    const auto removed = d.far<receipt>(std::int64_t{4});
    CHECK(d.t.run(d.t.app.inspect().remove(removed.id())));
    CHECK_FALSE(d.t.run(d.t.app.find(removed.id())));
    eventually([&] { return d.on_shelf() == 0; });
}

TEST_CASE("what waits for a task on the shelf runs after it", "[shelf]") {
    shelf_desk d;
    const auto parent = d.far<receipt>(std::int64_t{1});
    const auto child =
        d.t.run(d.t.app.handler<receipt>().with({.after = {parent}}).perform_async(std::int64_t{2}));
    CHECK(d.t.info(child).state == state::waiting);
    d.t.start();
    d.t.run(parent.reschedule(std::chrono::system_clock::now()));
    CHECK(d.t.wait(child) == 2);
}

TEST_CASE("many that are submitted at once wait for one task on the shelf", "[shelf]") {
    shelf_desk d;
    const auto parent = d.far<receipt>(std::int64_t{1});
    const std::vector<std::int64_t> numbers(250, 3);
    const auto all = d.t.run(d.t.app.handler<receipt>().with({.after = {parent}}).perform_bulk(numbers));
    REQUIRE(all.size() == numbers.size());
    CHECK(d.t.info(all.front()).state == state::waiting);
    CHECK(d.t.info(all.back()).state == state::waiting);
    CHECK(d.on_shelf() == 0);
    CHECK(d.t.info(parent).state == state::delayed);
}

TEST_CASE("a biz_id is held from the shelf, against what is due far from now and what is not", "[shelf]") {
    shelf_desk d;
    const std::string key = "order 1";
    const auto first = d.far<named>(key);
    CHECK_FALSE(first.duplicate());
    SECTION("another one that is due later is a duplicate, and stays one row") {
        const auto again = d.far<named>(key);
        CHECK(again.duplicate());
        CHECK(again.id() == first.id());
        CHECK(d.on_shelf() == 1);
    }
    SECTION("one for now is a duplicate, and the first one runs") {
        CHECK(d.t.run(d.t.app.handler<named>().perform_async(key)).duplicate());
        CHECK(d.t.info(first).state == state::delayed);
    }
    SECTION("of many at once one is taken") {
        const auto all = d.t.run(d.t.app.handler<named>()
                                     .with({.delay = 5 * 24h})
                                     .perform_bulk(std::vector<std::string>{"a", "b", "a", key}));
        CHECK(all[0].duplicate() != all[2].duplicate());
        CHECK_FALSE(all[1].duplicate());
        CHECK(all[3].duplicate());
        CHECK(d.on_shelf() == 3);
    }
    SECTION("so is that of each of many") {
        std::vector<std::string> keys;
        for (int i = 0; i < 250; ++i) keys.push_back("many " + std::to_string(i));
        d.t.run(d.t.app.handler<named>().with({.delay = 5 * 24h}).perform_bulk(keys));
        CHECK(d.on_shelf() == 251);
        const auto all = d.t.run(d.t.app.handler<named>().perform_bulk(keys));
        CHECK(std::ranges::all_of(all, [](const auto& h) { return h.duplicate(); }));
        CHECK(d.on_shelf() == 1);
    }
    SECTION("where duplicates are refused it is") {
        CHECK_THROWS_AS(d.far<named>(key, {.on_duplicate = errand::reject}), errand::duplicate_task);
    }
    SECTION("where they replace the first one its due time is another one") {
        const auto other = d.t.run(
            d.t.app.handler<named>().with({.on_duplicate = errand::replace}).perform_in(24h * 9, key));
        CHECK_FALSE(other.duplicate());
        CHECK(d.t.info(other).due_at.value() > std::chrono::system_clock::now() + 24h * 8);
    }
    SECTION("one that stands in the store holds it too") {
        const auto near = d.t.run(d.t.app.handler<named>().perform_async("order 2"));
        CHECK(d.far<named>(std::string{"order 2"}).duplicate());
        CHECK(d.on_shelf() == 1);
    }
}

TEST_CASE("what has ended and is kept holds its id against the shelf as far as the submission says",
          "[shelf]") {
    using enum errand::submit_verdict;
    using errand::on_conflict;
    shelf_desk d;
    d.t.start();
    // The child of a stage that runs again, and an id that a client has chosen.
    for (const auto rule : {on_conflict::adopt, on_conflict::where_free}) {
        const auto id = errand::derive_task_id("ended", std::to_string(static_cast<int>(rule)));
        CHECK(submit(d.t, item_under(id, rule, 0s)) == accepted);
        eventually([&] {
            const auto there = d.t.run(d.t.app.find(errand::to_text(id)));
            return there && there->state == state::success;
        });
        CHECK(submit(d.t, item_under(id, rule, 5 * 24h)) == duplicate);
        CHECK(d.on_shelf() == 0);
    }
    const auto free = errand::derive_task_id("ended", std::to_string(static_cast<int>(on_conflict::adopt)));
    CHECK(submit(d.t, item_under(free, on_conflict::keep, 5 * 24h)) == accepted);
    CHECK(d.on_shelf() == 1);
}

TEST_CASE("a biz_id is held from the shelf against a transaction's task", "[shelf][through_outbox]") {
    shelf_desk d;
    const std::string key = "order 1";
    const auto first = d.far<named>(key);
    errand::test::test_database db{d.t.app};
    const auto late =
        d.t.run(errand::transaction(*db, [&](auto&) -> errand::awaitable<errand::handle<std::string>> {
            co_return co_await d.t.app.handler<named>().perform_async(key);
        }));
    eventually([&] { return d.t.info(first).state == state::delayed && d.in_store(first.id()); });
}

TEST_CASE("what takes the place of a task on the shelf ends it", "[shelf]") {
    shelf_desk d{errand::test::fresh_database_url(), errand::test::settings_in_shards(1)};
    const auto h = d.far<receipt>(std::int64_t{1});
    const auto id = *errand::parse_task_id(h.id());
    auto& core = errand::detail::core_of(d.t.app);
    const auto there =
        d.t.run(errand::on_loop(core.background(), [id](errand::loop& on) { return on.tasks().find(id); }));
    REQUIRE(there);
    auto item = item_under(errand::derive_task_id("instead", "1"), errand::on_conflict::keep, 0s);
    errand::task_outcome outcome;
    outcome.ended_as = state::cancelled;
    outcome.retention = 24h;
    item.instead_of = errand::task_to_end{
        .id = id, .life = errand::incarnation_of(there->body), .outcome = errand::encode(outcome)};
    CHECK(submit(d.t, std::move(item)) == errand::submit_verdict::accepted);
    CHECK(d.t.info(h).state == state::cancelled);
    CHECK(d.on_shelf() == 0);
}

TEST_CASE("namespaces have one database for their shelves, and each sees its own", "[shelf]") {
    shelf_desk d;
    shelf_desk other{d.url};
    d.far<receipt>(std::int64_t{1});
    other.far<named>(std::string{"k"});
    CHECK_FALSE(d.far<named>(std::string{"k"}).duplicate());
    CHECK(d.on_shelf() == 2);
    CHECK(other.on_shelf() == 1);
}
