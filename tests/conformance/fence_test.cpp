// Leases and the fence: a task never has two accepted results.
#include "support/shards.hpp"
#include "support/store_fixture.hpp"

using namespace errand;
using namespace errand::test;
using namespace std::chrono_literals;

namespace {

std::vector<claimed_task> recover(store_fixture& here, member& by, duration lease = 30s) {
    return await(here.io, by->recover(100, lease)).tasks;
}

extend_answer extend(store_fixture& here, member& by, const claimed_task& task, duration lease = 30s) {
    extend_call call;
    call.claims = {task.claim};
    call.tasks = {{task.id, task.claim}};
    call.lease = lease;
    return await(here.io, by->extend(call));
}

}  // namespace

TEST_CASE("a report of another claim is refused and changes nothing") {
    store_fixture here;
    auto worker = here.join("w");
    const auto item = item_of("a");
    here.submit_all(worker, {item, item_of("b")});
    const auto got = here.claim(worker, 2);
    auto wrong = success_of(got.claimed[0]);
    wrong.claim += 1;
    CHECK(here.finish(worker, {wrong, success_of(got.claimed[1])}) ==
          std::vector{report_verdict::lease_lost, report_verdict::accepted});
    CHECK(here.state_of(worker, item.id) == state::working);
    CHECK(here.finish(worker, {success_of(got.claimed[0])}) == std::vector{report_verdict::accepted});
    CHECK(here.finish(worker, {success_of(got.claimed[0])}) == std::vector{report_verdict::lease_lost});
}

TEST_CASE(
    "a lease that is never to be shorter stays when it ends later, and is lengthened when it ends earlier") {
    store_fixture here;
    auto worker = here.join("w");
    auto rescuer = here.join("rescuer");
    const auto item = item_of("a");
    here.submit(worker, item);
    const auto got = here.claim(worker, 1).claimed;
    REQUIRE(got.size() == 1);
    const auto never_shorter = [&](duration lease) {
        extend_call call;
        call.claims = {got[0].claim};
        call.tasks = {{got[0].id, got[0].claim}};
        call.lease = lease;
        call.never_shorter = true;
        const auto answer = await(here.io, worker->extend(call));
        CHECK(answer.lost_claims.empty());
        CHECK(answer.lost_tasks.empty());
    };
    const auto is_kept = [&] {
        const auto before = worker->now();
        REQUIRE(here.until([&] { return worker->now() > before + 20ms; }));
        return recover(here, rescuer).empty();
    };
    never_shorter(1ms);
    CHECK(is_kept());
    never_shorter(1h);
    CHECK(extend(here, worker, got[0], 1h).lost_claims.empty());
    never_shorter(1ms);
    CHECK(is_kept());
    // Any other extension sets its end.
    extend(here, worker, got[0], 1ms);
    std::vector<claimed_task> saved;
    CHECK(here.until([&] { return !(saved = recover(here, rescuer)).empty(); }));
    REQUIRE(saved.size() == 1);
    CHECK(saved[0].id == item.id);
}

TEST_CASE("tasks that are claimed apart come each under a claim of its own") {
    store_fixture here;
    auto worker = here.join("w");
    auto rescuer = here.join("rescuer");
    here.submit_all(worker, {item_of("a"), item_of("b", "default", 5), item_of("c"), item_of("d")});
    const auto got = here.claim_apart(worker, 3).claimed;
    REQUIRE(got.size() == 3);
    const auto rest = here.claim_apart(worker, 5).claimed;
    REQUIRE(rest.size() == 1);
    std::set<claim_number> numbers{rest[0].claim};
    for (const auto& one : got) numbers.insert(one.claim);
    CHECK(numbers.size() == 4);
    CHECK(here.claim_apart(worker, 5).claimed.empty());
    for (const auto& one : got) CHECK(await(here.io, worker->find(one.id))->claim == one.claim);
    // What is done to the lease of one is done to no other.
    CHECK(extend(here, worker, got[1], 1ms).lost_claims.empty());
    std::vector<claimed_task> saved;
    REQUIRE(here.until([&] { return !(saved = recover(here, rescuer)).empty(); }));
    REQUIRE(saved.size() == 1);
    CHECK(saved[0].id == got[1].id);
    CHECK(extend(here, worker, got[1]).lost_claims == std::vector{got[1].claim});
    CHECK(extend(here, worker, got[0]).lost_claims.empty());
    // Each is reported under its own alone, also by who may have had others.
    auto wrong = success_of(got[0]);
    wrong.claim = got[2].claim;
    wrong.again = true;
    CHECK(here.finish(worker, {wrong, success_of(got[0]), success_of(got[1]), success_of(got[2])}) ==
          std::vector{report_verdict::lease_lost, report_verdict::accepted, report_verdict::lease_lost,
                      report_verdict::accepted});
    work_call last;
    last.reports = {success_of(rest[0]), success_of(saved[0])};
    last.closed = {got[0].claim, got[2].claim, rest[0].claim, saved[0].claim};
    CHECK(await(here.io, worker->work(last)).verdicts == std::vector(2, report_verdict::accepted));
    CHECK(recover(here, rescuer).empty());
}

TEST_CASE("of two queues tasks are claimed apart in the order in which they are asked for") {
    store_fixture here;
    auto worker = here.join("w");
    here.submit_all(worker, {item_of("a1", "a"), item_of("b1", "b"), item_of("a2", "a"), item_of("b2", "b")});
    std::string order;
    std::set<claim_number> numbers;
    for (const auto& one : here.claim_apart(worker, 3, {"b", "a"}).claimed) {
        order += args_of(one) + ' ';
        numbers.insert(one.claim);
    }
    if (shards_of_tests() == 1) CHECK(order == "b1 b2 a1 ");
    CHECK(numbers.size() == 3);
}

TEST_CASE("a claim is not lengthened for a task that is not under it, and is for one that is") {
    store_fixture here;
    auto worker = here.join("w");
    auto rescuer = here.join("rescuer");
    const auto left = item_of("b");
    here.submit_all(worker, {item_of("a"), left});
    const auto got = here.claim(worker, 2, {"default"}, 1h).claimed;
    REQUIRE(got.size() == 2);
    const bool first_is_left = got[0].id == left.id;
    const auto& ended = got[first_is_left ? 1 : 0];
    const auto& kept = got[first_is_left ? 0 : 1];
    REQUIRE(ended.claim == kept.claim);
    work_call half;
    half.reports = {success_of(ended)};
    CHECK(await(here.io, worker->work(half)).verdicts == std::vector{report_verdict::accepted});
    // Shorter, so that it would be seen: neither for the one that has ended, nor for one that was never there.
    for (const auto& id : {ended.id, item_of("none").id}) {
        extend_call call;
        call.claims = {kept.claim};
        call.tasks = {{id, kept.claim}};
        call.lease = 1ms;
        const auto answer = await(here.io, worker->extend(call));
        CHECK(answer.lost_claims.empty());
        CHECK(answer.lost_tasks == std::vector{std::pair{id, kept.claim}});
    }
    const auto before = worker->now();
    REQUIRE(here.until([&] { return worker->now() > before + 20ms; }));
    CHECK(recover(here, rescuer).empty());
    extend_call both;
    both.claims = {kept.claim};
    both.tasks = {{ended.id, kept.claim}, {kept.id, kept.claim}};
    both.lease = 1ms;
    const auto answer = await(here.io, worker->extend(both));
    CHECK(answer.lost_claims.empty());
    CHECK(answer.lost_tasks == std::vector{std::pair{ended.id, kept.claim}});
    std::vector<claimed_task> saved;
    REQUIRE(here.until([&] { return !(saved = recover(here, rescuer)).empty(); }));
    CHECK(saved.size() == 1);
    CHECK(saved[0].id == left.id);
    // Of a lease that is over it is said although none of its tasks is named that is under it.
    CHECK(extend(here, worker, ended).lost_claims == std::vector{ended.claim});
}

TEST_CASE(
    "a lease that ran out: recover gives what is still held a new claim, and the old one counts no more") {
    store_fixture here;
    auto gone = here.join("gone");
    auto rescuer = here.join("rescuer");
    here.submit_all(gone, {item_of("a"), item_of("b"), item_of("c")});
    const auto lost = here.claim(gone, 2, {"default"}, 50ms);
    const auto kept = here.claim(gone, 1);
    work_call half;
    half.reports = {success_of(lost.claimed[1])};
    await(here.io, gone->work(half));

    std::vector<claimed_task> saved;
    REQUIRE(here.until([&] { return !(saved = recover(here, rescuer)).empty(); }));
    REQUIRE(saved.size() == 1);
    CHECK(saved[0].id == lost.claimed[0].id);
    CHECK(saved[0].body == lost.claimed[0].body);
    CHECK(saved[0].claim > kept.claimed[0].claim);
    CHECK(await(here.io, gone->find(saved[0].id))->worker == "rescuer");

    CHECK(here.finish(gone, {success_of(lost.claimed[0])}) == std::vector{report_verdict::lease_lost});
    const auto extended = extend(here, gone, lost.claimed[0]);
    CHECK(extended.lost_claims == std::vector{lost.claimed[0].claim});
    CHECK(extended.lost_tasks == std::vector{std::pair{lost.claimed[0].id, lost.claimed[0].claim}});
    CHECK(here.finish(rescuer, {report_of(saved[0], report::kind::give_back)}) ==
          std::vector{report_verdict::accepted});
    CHECK(extend(here, gone, kept.claimed[0]).lost_claims.empty());
    CHECK(here.claim(rescuer, 5).claimed.size() == 1);
}

TEST_CASE("a claim that is said to be of another process is not this one's of the same number") {
    store_fixture here;
    auto worker = here.join("w");
    auto other = here.join("other");
    here.submit_all(worker, {item_of("a")});
    const auto got = here.claim(worker, 1).claimed.at(0);
    const std::string mark{worker->claim_mark()};
    // Where no two claims have the same number nothing is to be told apart.
    if (mark.empty()) return;
    other->know_claim(got.claim, "0123abcd");
    CHECK(extend(here, other, got).lost_tasks.size() == 1);
    CHECK(await(here.io, other->note(got.id, got.claim, encode(task_notes{}))) == report_verdict::lease_lost);
    CHECK(await(here.io, other->stages(got.id, got.claim)).verdict == report_verdict::lease_lost);
    CHECK(here.finish(other, {success_of(got)}) == std::vector{report_verdict::lease_lost});
    other->know_claim(got.claim, mark);
    CHECK(extend(here, other, got).lost_tasks.empty());
    CHECK(await(here.io, other->note(got.id, got.claim, encode(task_notes{}))) == report_verdict::accepted);
    CHECK(here.finish(other, {success_of(got)}) == std::vector{report_verdict::accepted});
    CHECK(here.state_of(worker, got.id) == state::success);
}

TEST_CASE("a task cancelled while it works and started anew takes no report of its first worker") {
    store_fixture here;
    auto first = here.join("first");
    auto second = here.join("second");
    const auto item = item_of("a");
    here.submit_all(first, {item, item_of("b")});
    auto got = here.claim(first, 2).claimed;
    REQUIRE(got.size() == 2);
    if (got[0].id != item.id) std::swap(got[0], got[1]);
    CHECK(await(here.io, second->cancel(item.id, 0, outcome_of(state::cancelled, 1h))).cancelled);
    CHECK(here.submit(second, item_with(item.id, "anew")).verdict == submit_verdict::accepted);
    const auto anew = here.claim(second, 1).claimed.at(0);
    CHECK(anew.id == item.id);

    // Both tasks of that claim in one report: the one that was taken away makes the other no less its own.
    CHECK(here.finish(first, {success_of(got[0]), success_of(got[1])}) ==
          std::vector{report_verdict::lease_lost, report_verdict::accepted});
    CHECK(here.state_of(second, item.id) == state::working);
    CHECK(here.finish(second, {success_of(anew)}) == std::vector{report_verdict::accepted});
}

TEST_CASE("a report of a call that failed after it was done is no report of the next life") {
    store_fixture here;
    auto first = here.join("first");
    auto second = here.join("second");
    const auto item = item_of("a");
    here.submit_all(first, {item, item_of("b")});
    auto got = here.claim(first, 2).claimed;
    REQUIRE(got.size() == 2);
    if (got[0].id != item.id) std::swap(got[0], got[1]);
    auto done = success_of(got[0]);
    CHECK(here.finish(first, {done}) == std::vector{report_verdict::accepted});
    CHECK(here.submit(second, item_with(item.id, "anew")).verdict == submit_verdict::accepted);

    // The claim goes on with the other task; the worker could not know that this one was taken.
    done.again = true;
    CHECK(here.finish(first, {done}) == std::vector{report_verdict::lease_lost});
    const auto anew = here.claim(second, 1).claimed.at(0);
    CHECK(args_of(anew) == "anew");
    CHECK(here.finish(first, {done, success_of(got[1])}) ==
          std::vector{report_verdict::lease_lost, report_verdict::accepted});
    CHECK(here.finish(second, {success_of(anew)}) == std::vector{report_verdict::accepted});
}

TEST_CASE("a claim past its end is lost even before anyone has recovered it") {
    store_fixture here;
    auto worker = here.join("w");
    here.submit(worker, item_of("a"));
    const auto got = here.claim(worker, 1, {"default"}, 20ms);
    const auto end = got.now + 25ms;
    REQUIRE(here.until([&] { return worker->now() > end; }));
    const auto answer = extend(here, worker, got.claimed.at(0));
    CHECK(answer.lost_claims == std::vector{got.claimed[0].claim});
    CHECK(recover(here, worker).size() == 1);
}

TEST_CASE("an extended lease outlives its first end") {
    store_fixture here;
    auto worker = here.join("w");
    here.submit(worker, item_of("a"));
    const auto got = here.claim(worker, 1, {"default"}, 500ms);
    CHECK(extend(here, worker, got.claimed.at(0), 1h).lost_claims.empty());
    const auto end = got.now + 600ms;
    REQUIRE(here.until([&] { return worker->now() > end; }));
    CHECK(recover(here, worker).empty());
}

TEST_CASE("claim numbers grow though the clock of the store went back") {
    store_fixture here;
    auto worker = here.join("w");
    here.behind->set_last_claim(4'000'000'000'000'000);
    here.submit_all(worker, {item_of("a"), item_of("b")});
    const auto next = here.claim(worker, 1).claimed.at(0).claim;
    CHECK(next > 4'000'000'000'000'000);
    CHECK(here.claim(worker, 1).claimed.at(0).claim == next + 1);
}

TEST_CASE("notes are written only by the claim that holds the task") {
    store_fixture here;
    auto worker = here.join("w");
    const auto item = item_of("a");
    here.submit(worker, item);
    const auto got = here.claim(worker, 1).claimed.at(0);
    task_notes notes;
    notes.progress = 0.5;
    CHECK(await(here.io, worker->note(item.id, got.claim, encode(notes))) == report_verdict::accepted);
    CHECK(await(here.io, worker->note(item.id, got.claim + 1, "x")) == report_verdict::lease_lost);
    CHECK(decode_notes(await(here.io, worker->find(item.id))->notes).progress == 0.5);
    // Given back without saying that there are notes: they are found all the same.
    here.finish(worker, {report_of(got, report::kind::give_back)});
    CHECK(decode_notes(here.claim(worker, 1).claimed.at(0).notes).progress == 0.5);
}

TEST_CASE("an id that stands in two namespaces is two tasks, each with a claim of its own") {
    store_fixture here;
    auto other_settings = here.settings("there");
    other_settings.name_space += "-other";
    auto first = here.join("here");
    auto second = here.join(other_settings);
    const auto item = item_of("a");
    here.submit(first, item);
    // So that it is kept elsewhere.
    here.submit_all(second, {item_of("b"), item_of("c"), item});
    const auto mine = here.claim(first, 1).claimed;
    const auto theirs = here.claim(second, 3).claimed;
    REQUIRE(mine.size() == 1);
    REQUIRE(theirs.size() == 3);
    CHECK(here.finish(first, {success_of(mine[0])}) == std::vector{report_verdict::accepted});
    CHECK(here.state_of(first, item.id) == state::success);
    CHECK(here.state_of(second, item.id) == state::working);
    CHECK(here.finish(second, {success_of(theirs[2])}) == std::vector{report_verdict::accepted});
    CHECK(here.state_of(second, item.id) == state::success);
}
