// What goes with ended tasks, and what has to go when there are too many of them.
#include "runtime/dependency_completion.hpp"
#include "support/store_fixture.hpp"

#include <boost/asio/bind_cancellation_slot.hpp>
#include <boost/asio/cancellation_signal.hpp>
#include <boost/asio/co_spawn.hpp>

#include <catch2/catch_test_macros.hpp>

#include <algorithm>
#include <optional>
#include <span>

using namespace errand;
using namespace errand::test;
using namespace std::chrono_literals;

namespace {

std::vector<parent_task> nobodies(int count) {
    std::vector<parent_task> all;
    for (int i = 0; i < count; ++i) all.push_back({derive_task_id("h", "nobody " + std::to_string(i))});
    return all;
}

submission_item waits_for(const std::vector<parent_task>& parents, const std::string& args = "waits",
                          on_failed rule = on_failed::wait) {
    auto item = item_of(args);
    auto body = decode_body(item.body);
    for (const auto& one : parents) body.after.push_back(one.id);
    body.rule = rule;
    item.body = encode(body);
    item.after = parents;
    item.rule = rule;
    return item;
}

// More than three steps forget, in any store.
constexpr int many_parents = 1601;

// Its submission, which is not complete yet.
incarnation enrol_all(store_fixture& here, member& by, const submission_item& item) {
    const auto life = incarnation_of(item.body);
    CHECK(here.submit(by, item).verdict == submit_verdict::registering);
    const std::span parents{item.after};
    for (std::size_t at = store::parents_per_call; at < parents.size(); at += store::parents_per_call) {
        const auto rest = parents.subspan(at);
        await(here.io, by->enrol(item.id, life, rest.first(std::min(rest.size(), store::parents_per_call))));
    }
    return life;
}

void register_all(store_fixture& here, member& by, const submission_item& item) {
    const auto life = enrol_all(here, by, item);
    CHECK(await(here.io, by->confirm(item.id, life, true)) == confirm_verdict::accepted);
}

void check_nothing_left(const store_fixture& here) {
    CHECK(here.keeps("tasks", 0));
    CHECK(here.keeps("links", 0));
    CHECK(here.keeps("waiting", 0));
    CHECK(here.keeps("watched", 0));
    CHECK(here.keeps("buried", 0));
    CHECK(here.keeps("listed:default", 0));
}

// Runs what is ready; each task ends so, kept for so long.
void run_all(store_fixture& here, member& by, state as, duration retention) {
    auto got = here.claim(by, 1000).claimed;
    std::vector<report> reports;
    for (const auto& task : got) {
        auto report = success_of(task, retention);
        task_outcome outcome;
        outcome.ended_as = report.ended_as = as;
        outcome.retention = retention;
        outcome.attempts = 1;
        report.record = encode_end(outcome, by->now(), task.body);
        reports.push_back(std::move(report));
    }
    here.finish(by, std::move(reports));
}

// So often a pass is made until it has nothing to do.
int passes_until_done(store_fixture& here, member& by, std::size_t most, std::size_t limit) {
    for (int passes = 0; passes < 200; ++passes) {
        if (await(here.io, by->trim(most, limit)) == 0) return passes;
    }
    return 200;
}

}  // namespace

TEST_CASE("ended tasks that others wait for go like all others when there are too many") {
    store_fixture here;
    auto store = here.join("w");
    std::vector<task_id> parents;
    for (int i = 0; i < 12; ++i) {
        const auto parent = item_of("parent");
        parents.push_back(parent.id);
        here.submit(store, parent);
        here.submit(store, waits_for({{parent.id}}));
    }
    run_all(here, store, state::dead, 1h);
    REQUIRE(here.queue_of(store).dead == 12);
    CHECK(passes_until_done(here, store, 5, 3) < 20);
    CHECK(here.queue_of(store).dead == 5);
    CHECK(here.queue_of(store).waiting == 12);
    CHECK(std::ranges::count_if(parents, [&](const task_id& id) {
              return await(here.io, store->find(id)).has_value();
          }) == 5);
}

TEST_CASE("what a pass over too many ended tasks says is what it deleted") {
    store_fixture here;
    auto store = here.join("w");
    for (int i = 0; i < 7; ++i) {
        here.submit(store, item_of("x"));
        run_all(here, store, state::dead, 1h);
    }
    CHECK(await(here.io, store->trim(4, 2)) == 2);
    CHECK(await(here.io, store->trim(4, 2)) == 1);
    CHECK(await(here.io, store->trim(4, 2)) == 0);
    CHECK(here.queue_of(store).dead == 4);
}

TEST_CASE("many tasks that ended together are deleted in steps that get on") {
    store_fixture here;
    auto store = here.join("w");
    std::vector<submission_item> items;
    for (int i = 0; i < 200; ++i) items.push_back(item_of("x"));
    here.submit_all(store, items);
    run_all(here, store, state::success, 2ms);
    const auto gone = [&] { return here.queue_of(store).success == 0; };
    int calls = 0;
    CHECK(here.until([&] {
        await(here.io, store->clean(20));
        return gone() || ++calls > 2000;
    }));
    CHECK(gone());
    CHECK(here.keeps("tasks", 0));
}

TEST_CASE("a waiting task of which nothing is kept leaves no edges, however it ends") {
    store_fixture here;
    auto store = here.join("w");
    const auto cancelled = waits_for(nobodies(50));
    here.submit(store, cancelled);
    await(here.io, store->cancel(cancelled.id, 0, outcome_of(state::cancelled, 0ms)));
    check_nothing_left(here);

    const auto removed = waits_for(nobodies(50));
    here.submit(store, removed);
    await(here.io, store->remove(removed.id, outcome_of(state::cancelled, 0ms)));
    check_nothing_left(here);

    auto late = waits_for(nobodies(50));
    auto body = decode_body(late.body);
    body.expires_after = 5ms;
    late.body = encode(body);
    late.expires_after = 5ms;
    here.submit(store, late);
    const std::vector<std::string> queues{"default"};
    const auto outcome = outcome_of(state::expired, 0ms);
    REQUIRE(here.until([&] { return await(here.io, store->promote(queues, 10, outcome)).expired == 1; }));
    check_nothing_left(here);
}

TEST_CASE("of a waiting task with very many edges these are forgotten in steps, however it ends") {
    store_fixture here;
    auto store = here.join("w");
    auto item = waits_for(nobodies(many_parents));
    SECTION("cancelled") {
        register_all(here, store, item);
        await(here.io, store->cancel(item.id, 0, outcome_of(state::cancelled, 0ms)));
    }
    SECTION("expired") {
        auto body = decode_body(item.body);
        body.expires_after = 5ms;
        item.body = encode(body);
        item.expires_after = 5ms;
        register_all(here, store, item);
        const std::vector<std::string> queues{"default"};
        const auto outcome = outcome_of(state::expired, 0ms);
        REQUIRE(here.until([&] { return await(here.io, store->promote(queues, 10, outcome)).expired == 1; }));
    }
    // It goes with the last of its edges, in several passes.
    REQUIRE(await(here.io, store->find(item.id)));
    CHECK(await(here.io, store->clean(1)) == 1);
    CHECK(await(here.io, store->find(item.id)));
    CHECK(here.until([&] { return await(here.io, store->clean(20)) == 0; }));
    check_nothing_left(here);
}

TEST_CASE(
    "between the steps in which a task with very many edges is removed or taken back others are answered") {
    store_fixture here;
    auto store = here.join("w");
    const auto nothing_kept = outcome_of(state::cancelled, 0ms);
    // Of either call one was made before: what comes first goes out first.
    const auto before = waits_for(nobodies(1)), item = waits_for(nobodies(many_parents));
    here.submit(store, before);
    const auto life = enrol_all(here, store, item);
    std::optional<found_task> meanwhile;
    int ended = 0;
    const auto look_meanwhile = [&](awaitable<std::optional<found_task>> look) {
        boost::asio::co_spawn(here.io, std::move(look),
                              [&](const std::exception_ptr&, std::optional<found_task> found) {
                                  meanwhile = std::move(found);
                                  ++ended;
                              });
    };
    SECTION("removed") {
        CHECK(await(here.io, store->confirm(item.id, life, true)) == confirm_verdict::accepted);
        CHECK(await(here.io, store->remove(before.id, nothing_kept)) == remove_verdict::removed);
        CHECK_FALSE(await(here.io, store->find(before.id)));
        boost::asio::co_spawn(here.io, store->remove(item.id, nothing_kept),
                              [&](const std::exception_ptr& why, remove_verdict verdict) {
                                  if (!why && verdict == remove_verdict::removed) ++ended;
                              });
        look_meanwhile(store->find(item.id));
        REQUIRE(here.until([&] { return ended == 2; }));
        REQUIRE(meanwhile);
        CHECK(meanwhile->where == state::cancelled);
    }
    SECTION("taken back") {
        await(here.io, store->withdraw(before.id, 0));
        await(here.io, store->remove(before.id, nothing_kept));
        CHECK_FALSE(await(here.io, store->find(before.id)));
        boost::asio::co_spawn(here.io, store->withdraw(item.id, life), [&](const std::exception_ptr& why) {
            if (!why) ++ended;
        });
        look_meanwhile(store->find(item.id));
        REQUIRE(here.until([&] { return ended == 2; }));
        REQUIRE(meanwhile);
        CHECK(meanwhile->where == state::waiting);
    }
    SECTION("taken back, which nobody may complete any more") {
        await(here.io, store->withdraw(before.id, 0));
        await(here.io, store->remove(before.id, nothing_kept));
        CHECK_FALSE(await(here.io, store->find(before.id)));
        std::optional<confirm_verdict> verdict;
        const auto count = [&](const std::exception_ptr& why) {
            if (!why) ++ended;
        };
        boost::asio::co_spawn(here.io, store->withdraw(item.id, life), count);
        boost::asio::co_spawn(here.io, store->confirm(item.id, life, true),
                              [&](const std::exception_ptr&, confirm_verdict said) {
                                  verdict = said;
                                  ++ended;
                              });
        look_meanwhile(store->find(item.id));
        REQUIRE(here.until([&] { return ended == 3; }));
        CHECK(verdict == confirm_verdict::withdrawn);
        REQUIRE(meanwhile);
        CHECK(meanwhile->registering);
    }
    SECTION("taken back by one that dies over it, whoever completes it goes on with that") {
        await(here.io, store->withdraw(before.id, 0));
        await(here.io, store->remove(before.id, nothing_kept));
        boost::asio::cancellation_signal dies;
        const auto count = [&](const std::exception_ptr&) { ++ended; };
        boost::asio::co_spawn(here.io, store->withdraw(item.id, life),
                              boost::asio::bind_cancellation_slot(dies.slot(), count));
        look_meanwhile(store->find(item.id));
        // Who is answered behind the first step knows that it was made.
        REQUIRE(here.until([&] { return ended == 1; }));
        dies.emit(boost::asio::cancellation_type::terminal);
        REQUIRE(here.until([&] { return ended == 2; }));
        REQUIRE(await(here.io, store->find(item.id)));
        CHECK_THROWS_AS(await(here.io, complete_dependencies(*store.of, item.id, life, {})),
                        errand::store_error);
    }
    CHECK_FALSE(await(here.io, store->find(item.id)));
    CHECK(here.until([&] { return await(here.io, store->clean(20)) == 0; }));
    check_nothing_left(here);
}

TEST_CASE("what an ended task with very many edges waited for is forgotten in steps before its next life") {
    store_fixture here;
    auto store = here.join("w");
    const auto item = waits_for(nobodies(many_parents));
    register_all(here, store, item);
    await(here.io, store->cancel(item.id, 0, outcome_of(state::cancelled)));
    REQUIRE(here.state_of(store, item.id) == state::cancelled);
    const auto again = item_with(item.id, "again");
    SECTION("by itself") {
        CHECK(here.submit(store, again).verdict == submit_verdict::busy);
        CHECK(here.state_of(store, item.id) == state::cancelled);
    }
    SECTION("with others, of which none is accepted before") {
        const auto other = item_of("other");
        const auto answers = here.submit_all(store, {other, again}, submit_mode::all_or_nothing);
        CHECK(answers[0].verdict == submit_verdict::withheld);
        CHECK(answers[1].verdict == submit_verdict::busy);
        CHECK_FALSE(await(here.io, store->find(other.id)));
    }
    SECTION("for which also those wait that are submitted together with it") {
        const auto child = waits_for({{item.id}}, "child"),
                   grandchild = waits_for({{child.id}}, "grandchild");
        for (const auto& answer : here.submit_all(store, {again, grandchild, child}, submit_mode::each))
            CHECK(answer.verdict == submit_verdict::busy);
        CHECK_FALSE(await(here.io, store->find(child.id)));
        CHECK(here.keeps("links", 0));
        for (const auto& answer : here.submit_all(store, {again, grandchild, child}, submit_mode::each))
            CHECK(answer.verdict == submit_verdict::accepted);
        CHECK(here.state_of(store, child.id) == state::waiting);
        CHECK(here.state_of(store, grandchild.id) == state::waiting);
        return;
    }
    SECTION("which others that come behind its submission are not behind") {
        std::optional<std::size_t> meanwhile;
        std::optional<submit_verdict> verdict;
        const links_from from{item.id};
        boost::asio::co_spawn(here.io, store->submit(0, {&again, 1}, submit_mode::each),
                              [&](const std::exception_ptr& why, const std::vector<submit_answer>& answers) {
                                  if (!why) verdict = answers[0].verdict;
                              });
        boost::asio::co_spawn(here.io, store->links(link::needs, {&from, 1}, false),
                              [&](const std::exception_ptr& why, const std::vector<links_page>& pages) {
                                  if (!why) meanwhile = pages[0].others.size();
                              });
        REQUIRE(here.until([&] { return verdict && meanwhile; }));
        CHECK(verdict == submit_verdict::busy);
        CHECK(*meanwhile > 500);
    }
    CHECK(here.keeps("links", 0));
    CHECK(here.submit(store, again).verdict == submit_verdict::accepted);
    CHECK(here.state_of(store, item.id) == state::ready);
}

TEST_CASE("a task that was started past what it waited for leaves no edges when nothing of it is kept") {
    store_fixture here;
    auto store = here.join("w");
    const auto child = waits_for(nobodies(2));
    here.submit(store, child);
    await(here.io, store->cancel(child.id, 0, outcome_of(state::cancelled)));
    const auto found = await(here.io, store->find(child.id));
    task_notes notes;
    notes.revived = true;
    REQUIRE(await(here.io,
                  store->revive(child.id, incarnation_of(child.body), *found->finished_at, encode(notes))));
    run_all(here, store, state::success, 0ms);
    // They do not outlive it.
    CHECK((here.keeps("links", 0) || await(here.io, store->find(child.id)).has_value()));
    CHECK(here.until([&] { return await(here.io, store->clean(20)) == 0; }));
    check_nothing_left(here);
}

TEST_CASE(
    "a cancelled task keeps its edge to one that was never submitted: taken back, it waits for that one") {
    store_fixture here;
    auto store = here.join("w");
    const auto first = item_of("first"), later = item_of("later");
    here.submit(store, first);
    const auto child = waits_for({{first.id}, {later.id}}, "waits", on_failed::cancel);
    here.submit(store, child);
    run_all(here, store, state::dead, 1h);
    const resolution told{.parent = first.id,
                          .what = tidings::dead,
                          .cancelled = outcome_of(state::cancelled),
                          .children = {child.id}};
    await(here.io, store->resolve({&told, 1}, outcome_of(state::success)));
    REQUIRE(await(here.io, store->find(child.id))->where == state::cancelled);
    const auto heirs_of_later = [&] {
        const links_from from{later.id};
        return await(here.io, store->links(link::tells, {&from, 1}, false)).at(0).others;
    };
    CHECK(heirs_of_later() == std::vector{child.id});
    const auto audit = store->audit(true);
    for (bool more = true; more;) more = await(here.io, audit->next()).more;
    await(here.io, store->clean(100));
    CHECK(heirs_of_later() == std::vector{child.id});
}
