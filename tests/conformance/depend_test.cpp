// Dependencies at the store's seam: what a process that dies leaves, and what is done twice.
#include "support/store_fixture.hpp"

#include <catch2/catch_test_macros.hpp>

#include <algorithm>

using namespace errand;
using namespace errand::test;

namespace {

submission_item waiting_for(const std::string& name, const std::vector<parent_task>& parents,
                            on_failed rule = on_failed::cancel) {
    auto item = item_with(derive_task_id("h", name), name);
    auto body = decode_body(item.body);
    for (const auto& one : parents) body.after.push_back(one.id);
    body.rule = rule;
    item.body = encode(body);
    item.after = parents;
    item.rule = rule;
    return item;
}

std::vector<parent_task> refs(int count) {
    std::vector<parent_task> all;
    for (int i = 0; i < count; ++i) all.push_back({derive_task_id("h", "p" + std::to_string(i))});
    return all;
}

constexpr int too_many = 2 * static_cast<int>(store::parents_per_call) + 1;

news_answer news_of(store_fixture& here, member& by, duration lease = std::chrono::seconds{10}) {
    return await(here.io, by->take_news(100, lease));
}

// Tells everybody all there is to be told, as a resolver does.
void resolve_all(store_fixture& here, member& by) {
    for (;;) {
        const auto got = news_of(here, by);
        if (got.entries.empty()) return;
        for (const auto& one : got.entries) {
            resolution told{.parent = one.about, .what = one.what, .children = one.heirs};
            if (one.what == tidings::check) told.children = {one.about};
            told.cancelled = outcome_of(state::cancelled);
            const auto again = await(here.io, by->resolve({&told, 1}, outcome_of(state::success)));
            delivery struck{.about = one.about, .what = one.what, .token = one.token, .last = !one.more};
            for (const auto& child : one.heirs) {
                if (std::ranges::find(again[0], child) == again[0].end()) struck.done.push_back(child);
            }
            await(here.io, by->delivered({&struck, 1}));
        }
    }
}

void finish_all(store_fixture& here, member& by, state as = state::success) {
    for (const auto& task : here.claim(by, 1000).claimed) {
        auto report = success_of(task);
        report.ended_as = as;
        if (as != state::success) {
            task_outcome outcome;
            outcome.ended_as = as;
            outcome.retention = report.retention;
            outcome.attempts = 1;
            report.record = encode_end(outcome, by->now(), task.body);
        }
        here.finish(by, {report});
    }
}

}  // namespace

TEST_CASE("a task with more parents than a call takes is accepted when all are named") {
    store_fixture here;
    auto store = here.join("w");
    const auto parents = refs(too_many);
    const auto item = waiting_for("c", parents);
    const auto life = incarnation_of(item.body);
    CHECK(here.submit(store, item).verdict == submit_verdict::registering);
    CHECK(here.state_of(store, item.id) == state::waiting);
    const std::span rest{parents.begin() + static_cast<std::ptrdiff_t>(store::parents_per_call),
                         parents.end()};
    CHECK(await(here.io, store->enrol(item.id, life, rest)).mine);
    CHECK(await(here.io, store->enrol(item.id, life, rest)).mine);
    CHECK(await(here.io, store->confirm(item.id, life, false)) == confirm_verdict::accepted);
    CHECK(await(here.io, store->confirm(item.id, life, false)) == confirm_verdict::accepted);
    CHECK(await(here.io, store->find(item.id))->needed == too_many);
    for (const auto& one : parents) here.submit(store, item_with(one.id, "p"));
    finish_all(here, store);
    resolve_all(here, store);
    CHECK(here.state_of(store, item.id) == state::ready);
}

TEST_CASE("who is submitted together with a refused submission depends on the task that is there") {
    store_fixture here;
    auto store = here.join("w");
    const auto parent = waiting_for("p", {});
    here.submit(store, parent);
    finish_all(here, store);
    // Its next life would wait for itself.
    const auto answers =
        here.submit_all(store, {waiting_for("c", {{parent.id}}), waiting_for("p", {{parent.id}})},
                        submit_mode::each);
    CHECK(answers[1].verdict == submit_verdict::cycle);
    CHECK(answers[0].verdict == submit_verdict::accepted);
    CHECK(here.state_of(store, derive_task_id("h", "c")) == state::ready);
}

TEST_CASE("a registration is nobody else's: its id is busy until it was confirmed or taken back") {
    store_fixture here;
    auto one = here.join("one");
    auto two = here.join("two");
    const auto item = waiting_for("c", refs(too_many));
    here.submit(one, item);
    CHECK(here.submit(two, item_with(item.id, "other")).verdict == submit_verdict::busy);
    CHECK(here.submit_all(two, {item_with(item.id, "other"), item_of("x")}, submit_mode::all_or_nothing)[1]
              .verdict == submit_verdict::withheld);
    await(here.io, one->withdraw(item.id, incarnation_of(item.body)));
    CHECK_FALSE(await(here.io, one->find(item.id)));
    CHECK(here.keeps("waiting", 0));
    CHECK(here.keeps("links", 0));
    CHECK(await(here.io, one->confirm(item.id, incarnation_of(item.body), false)) == confirm_verdict::lost);
    CHECK_FALSE(await(here.io, one->enrol(item.id, incarnation_of(item.body), refs(1))).mine);
    CHECK(here.submit(two, item_with(item.id, "other")).verdict == submit_verdict::accepted);
}

TEST_CASE("a registration whose submitter died is given up in its time") {
    store_fixture here;
    auto store = here.join("w");
    const auto item = waiting_for("c", refs(too_many));
    here.submit(store, item);
    CHECK(news_of(here, store).entries.empty());
    here.behind->make_overdue(item.id);
    const auto got = news_of(here, store);
    REQUIRE(got.entries.size() == 1);
    CHECK(got.entries[0].what == tidings::overdue);
    await(here.io, store->withdraw(got.entries[0].about, 0));
    CHECK_FALSE(await(here.io, store->find(item.id)));
}

TEST_CASE("news that were taken and not delivered are taken again by another") {
    store_fixture here;
    auto one = here.join("one");
    auto two = here.join("two");
    const auto parent = item_with(derive_task_id("h", "p"), "p");
    const auto child = waiting_for("c", {{parent.id}});
    here.submit(one, child);
    here.submit(one, parent);
    finish_all(here, one);
    const auto first = news_of(here, one, duration{1});
    REQUIRE(first.entries.size() == 1);
    CHECK(first.entries[0].heirs == std::vector{child.id});
    news_answer second;
    CHECK(here.until([&] { return !(second = news_of(here, two)).entries.empty(); }));
    // The one who was late strikes off what is not its own any more: it stays with the other.
    const delivery late{
        .about = parent.id, .what = tidings::success, .token = first.entries[0].token, .last = true};
    await(here.io, one->delivered({&late, 1}));
    CHECK(here.keeps("outbox", 1));
    CHECK(here.state_of(one, child.id) == state::waiting);
}

TEST_CASE("hearing of a parent twice changes nothing") {
    store_fixture here;
    auto store = here.join("w");
    const auto a = item_with(derive_task_id("h", "a"), "a");
    const auto child = waiting_for("c", {{a.id}, {derive_task_id("h", "later")}});
    here.submit(store, a);
    here.submit(store, child);
    resolution told{.parent = a.id, .what = tidings::success, .children = {child.id, child.id}};
    for (int i = 0; i < 2; ++i) await(here.io, store->resolve({&told, 1}, outcome_of(state::success)));
    CHECK(here.state_of(store, child.id) == state::waiting);
    CHECK(await(here.io, store->find(child.id))->needed == 1);
}

TEST_CASE("news that were overtaken are not told, however late who took them is") {
    store_fixture here;
    auto store = here.join("w");
    const auto a = item_with(derive_task_id("h", "a"), "a");
    const auto child = waiting_for("c", {{a.id}});
    here.submit(store, a);
    here.submit(store, child);
    // The parent was revived since it had died.
    resolution failed{.parent = a.id,
                      .what = tidings::dead,
                      .cancelled = outcome_of(state::cancelled),
                      .children = {child.id}};
    const auto again = await(here.io, store->resolve({&failed, 1}, outcome_of(state::success)));
    CHECK(again[0] == std::vector{child.id});
    CHECK(here.state_of(store, child.id) == state::waiting);
    finish_all(here, store, state::dead);
    resolve_all(here, store);
    CHECK(here.state_of(store, child.id) == state::cancelled);
    // And it died again since it was revived.
    resolution revived{.parent = a.id, .what = tidings::revived, .children = {child.id}};
    await(here.io, store->resolve({&revived, 1}, outcome_of(state::success)));
    CHECK(here.state_of(store, child.id) == state::cancelled);
}

TEST_CASE("a task with more parents than a call takes does not replace one that was accepted") {
    store_fixture here;
    auto store = here.join("w");
    auto item = waiting_for("c", refs(too_many));
    const auto first = item_with(item.id, "first");
    here.submit(store, first);
    item.conflict = on_conflict::replace;
    const auto answer = here.submit(store, item);
    CHECK(answer.verdict == submit_verdict::rejected);
    CHECK(answer.life == incarnation_of(first.body));
    CHECK(here.state_of(store, item.id) == state::ready);
}

TEST_CASE("a success is heard before its id begins another life") {
    store_fixture here;
    auto store = here.join("w");
    const auto a = item_with(derive_task_id("h", "a"), "a");
    here.submit(store, a);
    here.submit(store, waiting_for("c", {{a.id}}));
    finish_all(here, store);
    CHECK(here.submit(store, item_with(a.id, "again")).verdict == submit_verdict::busy);
    resolve_all(here, store);
    CHECK(here.submit(store, item_with(a.id, "again")).verdict == submit_verdict::accepted);
    CHECK(here.state_of(store, derive_task_id("h", "c")) == state::ready);
}

TEST_CASE("of a task without a trace no edge outlives its next submission") {
    store_fixture here;
    auto store = here.join("w");
    const auto x = derive_task_id("h", "x");
    here.submit(store, waiting_for("c", {{x}}));
    const auto id = derive_task_id("h", "c");
    await(here.io, store->cancel(id, 0, outcome_of(state::cancelled, duration{0})));
    CHECK_FALSE(await(here.io, store->find(id)));
    const auto a = item_with(derive_task_id("h", "a"), "a");
    here.submit(store, a);
    here.submit(store, waiting_for("c", {{a.id}}));
    finish_all(here, store);
    resolve_all(here, store);
    CHECK(here.state_of(store, id) == state::ready);
}

TEST_CASE("an idle resolver is woken by the end of a task that others depend on") {
    store_fixture here;
    auto worker = here.join("worker");
    auto idle = here.join("idle");
    const auto parent = item_with(derive_task_id("h", "p"), "p");
    here.submit(worker, parent);
    here.submit(worker, waiting_for("c", {{parent.id}}));
    CHECK(news_of(here, idle).entries.empty());
    finish_all(here, worker);
    CHECK(here.until([&] { return idle.ear->news == 1; }));
    CHECK(worker.ear->news == 0);
    // Who leaves is not waited for.
    CHECK(news_of(here, worker).entries.size() == 1);
    CHECK(news_of(here, idle).entries.empty());
    await(here.io, idle->leave(std::vector<std::string>{}));
    const auto other = item_with(derive_task_id("h", "q"), "q");
    here.submit(worker, other);
    here.submit(worker, waiting_for("d", {{other.id}}));
    finish_all(here, worker);
    await(here.io, idle->find(parent.id));
    CHECK(idle.ear->news == 1);
}

TEST_CASE("who begins together with a task hears nothing of how its last life ended, or is yet to end") {
    store_fixture here;
    auto store = here.join("w");
    const auto parent = item_with(derive_task_id("h", "p"), "p");
    const auto next = derive_task_id("h", "next");
    here.submit(store, parent);
    here.submit(store, waiting_for("c", {{parent.id}}));
    const auto noted = [&] {
        return await(here.io, store->depend(next, depend_mode::note, {&parent.id, 1})).at(0);
    };
    const auto children = [&] {
        const links_from from{parent.id};
        return await(here.io, store->links(link::tells, {&from, 1}, false)).at(0).others;
    };
    CHECK(noted() == standing::absent);
    CHECK(children() == std::vector{derive_task_id("h", "c")});
    finish_all(here, store, state::dead);
    CHECK(noted() == standing::told);
    CHECK(children() == std::vector{derive_task_id("h", "c")});
    // Whoever told it has not struck it off yet.
    const auto told = news_of(here, store);
    REQUIRE(told.entries.size() == 1);
    const auto& end = told.entries[0];
    const resolution heard{.parent = end.about,
                           .what = end.what,
                           .cancelled = outcome_of(state::cancelled),
                           .children = end.heirs};
    await(here.io, store->resolve({&heard, 1}, outcome_of(state::success)));
    CHECK(noted() == standing::told);
    const delivery struck{.about = end.about, .what = end.what, .token = end.token, .last = true};
    await(here.io, store->delivered({&struck, 1}));
    CHECK(noted() == standing::open);
    CHECK(children().size() == 2);
}

TEST_CASE("tasks that nobody depends on make no news, and leave no edges") {
    store_fixture here;
    auto store = here.join("w");
    here.submit(store, item_of("a"));
    finish_all(here, store);
    CHECK(here.keeps("outbox", 0));
    CHECK(here.keeps("links", 0));
}
