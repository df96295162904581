// The usual life of a task: submitted, claimed, ended, looked at.
#include "support/store_fixture.hpp"

using namespace errand;
using namespace errand::test;
using namespace std::chrono_literals;

TEST_CASE("a submitted task is claimed once, with its body, and ends with its result") {
    store_fixture here;
    auto worker = here.join("w");
    const auto item = item_of("[1]");
    const auto accepted = here.submit(worker, item);
    CHECK(accepted.verdict == submit_verdict::accepted);
    CHECK(accepted.life == incarnation_of(item.body));
    CHECK(here.state_of(worker, item.id) == state::ready);

    const auto got = here.claim(worker, 5);
    REQUIRE(got.claimed.size() == 1);
    CHECK(got.claimed[0].id == item.id);
    CHECK(got.claimed[0].body == item.body);
    CHECK(got.claimed[0].queue == "default");
    CHECK(got.claimed[0].notes.empty());
    CHECK(got.claimed[0].claim > 0);
    CHECK(here.claim(worker, 5).claimed.empty());
    const auto working = await(here.io, worker->find(item.id));
    CHECK(working->where == state::working);
    CHECK(working->worker == "w");
    CHECK(working->claim == got.claimed[0].claim);

    CHECK(here.finish(worker, {success_of(got.claimed[0])}) == std::vector{report_verdict::accepted});
    const auto ended = await(here.io, worker->find(item.id));
    REQUIRE(ended);
    CHECK(ended->where == state::success);
    CHECK(decode_outcome(ended->outcome).result == "42");
    CHECK(ended->finished_at > time_point{1'700'000'000'000ms});
    CHECK(here.keeps("own", 0));
    CHECK(here.keeps("claims", 0));
    CHECK(here.keeps("leases", 0));
}

TEST_CASE("tasks leave in the order they came, urgent ones first, of all queues in the order asked") {
    store_fixture here;
    auto worker = here.join("w");
    here.submit_all(worker,
                    {item_of("a"), item_of("b"), item_of("u1", "default", 1), item_of("u9", "default", 9),
                     item_of("v9", "default", 9), item_of("other", "second")});
    std::string order;
    for (const auto& task : here.claim(worker, 10, {"second", "default"}).claimed)
        order += args_of(task) + " ";
    CHECK(order == "other u9 v9 u1 a b ");
}

TEST_CASE("a claim of more than one answer carries says that the rest is there now") {
    store_fixture here;
    auto worker = here.join("w");
    const std::string large = '"' + std::string(300'000, 'x') + '"';
    here.submit_all(worker,
                    {item_of('[' + large + ']'), item_of("[2," + large + ']'), item_of("[3," + large + ']')});
    std::size_t got = 0;
    while (got < 3) {
        const auto some = here.claim(worker, 5);
        REQUIRE_FALSE(some.claimed.empty());
        got += some.claimed.size();
        if (got < 3) {
            REQUIRE(some.next_due);
            CHECK(*some.next_due <= some.now);
        } else {
            CHECK_FALSE(some.next_due);
        }
    }
    CHECK(got == 3);
}

TEST_CASE("a claim takes no more than asked, and leaves the rest in place") {
    store_fixture here;
    auto worker = here.join("w");
    std::vector<submission_item> items;
    for (int i = 0; i < 10'000; ++i) items.push_back(item_of(std::to_string(i)));
    here.submit_all(worker, items);
    CHECK(here.queue_of(worker).ready == 10'000);
    const auto got = here.claim(worker, 3);
    REQUIRE(got.claimed.size() == 3);
    CHECK(args_of(got.claimed[2]) == "2");
    CHECK_FALSE(got.next_due);
    const auto rest = here.claim(worker, 20'000);
    CHECK(rest.claimed.size() == 9'997);
    std::vector<report> reports;
    for (const auto& task : rest.claimed) reports.push_back(success_of(task));
    CHECK(here.finish(worker, reports) == std::vector(9'997, report_verdict::accepted));
    CHECK(here.keeps("own", 3));
}

TEST_CASE("what was submitted in one batch is claimed and finished in the same call as new work") {
    store_fixture here;
    auto worker = here.join("w");
    here.submit_all(worker, {item_of("a"), item_of("b")});
    const auto first = here.claim(worker, 1);
    work_call both;
    both.reports = {success_of(first.claimed.at(0))};
    both.closed = {first.claimed[0].claim};
    both.claim = {.queues = {"default"}, .limit = 1};
    const auto second = await(here.io, worker->work(both));
    CHECK(second.verdicts == std::vector{report_verdict::accepted});
    REQUIRE(second.claimed.size() == 1);
    CHECK(args_of(second.claimed[0]) == "b");
    CHECK(second.claimed[0].claim > first.claimed[0].claim);
}

TEST_CASE("a retry waits until it is due, keeps its notes, and is never early") {
    store_fixture here;
    auto worker = here.join("w");
    const auto item = item_of("a");
    here.submit(worker, item);
    auto got = here.claim(worker, 1);
    here.finish(worker, {report_of(got.claimed.at(0), report::kind::retry, 40ms)});
    const auto waiting = await(here.io, worker->find(item.id));
    CHECK(waiting->where == state::retry);
    REQUIRE(waiting->due_at);

    got = here.claim(worker, 1);
    CHECK(got.claimed.empty());
    CHECK(got.next_due == waiting->due_at);
    const std::vector<std::string> queues{"default"};
    promote_answer promoted;
    REQUIRE(here.until([&] {
        promoted = await(here.io, worker->promote(queues, 100, outcome_of(state::expired)));
        if (promoted.now < *waiting->due_at) CHECK(promoted.promoted == 0);
        return promoted.promoted > 0;
    }));
    CHECK(promoted.now >= *waiting->due_at);
    got = here.claim(worker, 1);
    REQUIRE(got.claimed.size() == 1);
    CHECK(decode_notes(got.claimed[0].notes).attempts == 1);
}

TEST_CASE("a task given back stands at the head of its queue again, with its notes") {
    store_fixture here;
    auto worker = here.join("w");
    here.submit_all(worker, {item_of("a"), item_of("b"), item_of("c"), item_of("u", "default", 5)});
    const auto got = here.claim(worker, 3);
    std::vector<report> back;
    for (const auto& task : got.claimed) back.push_back(report_of(task, report::kind::give_back));
    task_notes notes;
    notes.lost_leases = 1;
    back[1].record = encode(notes);
    CHECK(here.finish(worker, back) == std::vector(3, report_verdict::accepted));
    std::string order;
    for (const auto& task : here.claim(worker, 10).claimed)
        order += args_of(task) + (task.notes.empty() ? " " : "+ ");
    CHECK(order == "u a+ b c ");
}

TEST_CASE("a delayed task starts no earlier than asked, a past time means now") {
    store_fixture here;
    auto worker = here.join("w");
    auto later = item_of("later");
    later.delay = 1h;
    auto past = item_of("past");
    past.at = time_point{5ms};
    here.submit_all(worker, {later, past});
    CHECK(here.state_of(worker, later.id) == state::delayed);
    const auto got = here.claim(worker, 5);
    REQUIRE(got.claimed.size() == 1);
    CHECK(args_of(got.claimed[0]) == "past");
    REQUIRE(got.next_due);
    CHECK(*got.next_due - got.now > 59min);
    CHECK(*got.next_due - got.now <= 1h + 1ms);
}

TEST_CASE("a success that keeps nothing leaves nothing") {
    store_fixture here;
    auto worker = here.join("w");
    const auto item = item_of("a");
    here.submit(worker, item);
    here.finish(worker, {success_of(here.claim(worker, 1).claimed.at(0), 0ms)});
    CHECK_FALSE(await(here.io, worker->find(item.id)));
    CHECK(here.keeps("tasks", 0));
}

TEST_CASE("a task in a queue this store never named is found and cancelled") {
    store_fixture here;
    auto producer = here.join("p");
    auto other = here.join("o");
    const auto item = item_of("a", "odd name/{}:%");
    here.submit(producer, item);
    CHECK(here.state_of(other, item.id) == state::ready);
    auto third = here.join("t");
    CHECK(await(here.io, third->cancel(item.id, 0, outcome_of(state::cancelled))).cancelled);
    CHECK(here.claim(other, 1, {"odd name/{}:%"}).claimed.empty());
}
