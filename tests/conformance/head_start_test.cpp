// Tasks with a head start go before those without a priority that became ready less than that before them.
#include "core/flow_notes.hpp"
#include "core/head_start.hpp"
#include "support/limit_fixture.hpp"

#include <catch2/generators/catch_generators.hpp>

using namespace errand;
using namespace errand::test;
using namespace std::chrono_literals;
using std::chrono::system_clock;

namespace {

struct starts : ward_on<store_fixture> {
    member by = join("by:1");

    // All are as old as if they had been made at once, however long that takes.
    const time_point began = std::chrono::floor<duration>(system_clock::now());
    // Submitted so long ago.
    auto old(const std::string& args, duration ago, duration ahead = 0ms) const {
        return made(args, began - ago, ahead);
    }
    static submission_item made(const std::string& args, time_point then, duration head_start = 0ms,
                                const std::string& gates = {}) {
        auto item = item_of(args);
        auto body = decode_body(item.body);
        body.life = static_cast<incarnation>(then.time_since_epoch().count()) << 16U | (body.life & 0xFFFFU);
        body.gates = gates;
        if (head_start > 0ms) {
            body.priority = ahead_priority;
            body.head_start = head_start;
        }
        item.body = encode(body);
        item.priority = body.priority;
        item.gated = !gates.empty();
        return item;
    }
    task_id put(const submission_item& item) {
        submit(worker, item);
        return item.id;
    }
    task_id ahead(const std::string& args, duration head_start) { return put(old(args, 0ms, head_start)); }
    std::string taken(std::size_t most = 100) {
        std::string all;
        for (const auto& one : claim(by, most).claimed) all += args_of(one);
        return all;
    }
    claimed_task take() { return claim(by, 1).claimed.at(0); }
    // What waits for its time has come.
    void promote_all(std::size_t count) {
        const std::vector<std::string> queues{"default"};
        std::size_t promoted = 0;
        CHECK(until([&] {
            promoted += await(io, worker->promote(queues, 1000, outcome_of(state::expired))).promoted;
            return promoted == count;
        }));
    }
};

}  // namespace

TEST_CASE("a head start is kept at the end of a body, before its gates") {
    for (const auto& gates : {std::string{}, gate_of(gate_kind::both, limit_number("x"), "key")}) {
        const auto item = starts::made("[1]", time_point{1h}, 90s, gates);
        const auto body = decode_body(item.body);
        CHECK(body.head_start == 90s);
        CHECK(body.args == "[1]");
        CHECK(body.gates == gates);
        CHECK(head_start_of(item.body) == 90s);
        CHECK(shown_priority(priority_of(item.body)) == 0);
        const auto where = args_of(std::string_view{item.body});
        CHECK(where.args == "[1]");
        const auto other = decode_body(with_args(item.body, where, "[1234]"));
        CHECK(other.head_start == 90s);
        CHECK(other.args == "[1234]");
    }
    CHECK(head_start_of(item_of("[1]").body) == 0ms);
}

TEST_CASE(
    "a task goes before those that became ready less than its head start before it, and behind all others") {
    starts t;
    t.put(t.old("a", 60min));
    t.put(t.old("b", 20min));
    t.put(t.old("c", 10min));
    t.put(t.old("d", 0ms));
    t.put(item_of("U", "default", 1));
    t.ahead("1", 15min);
    t.ahead("2", 15min);
    t.ahead("3", 5min);
    t.put(t.old("e", 0ms));
    t.ahead("4", 90min);
    CHECK(t.queue_of(t.worker).ready == 10);
    CHECK(t.check().empty());
    CHECK(t.taken(4) == "U4ab");
    t.ahead("5", 1min);
    CHECK(t.taken() == "12c35de");
}

TEST_CASE("those of one call stand in the order of their head starts, and then as they came") {
    starts t;
    std::vector<submission_item> all;
    for (int i = 0; i < 5; ++i) t.put(t.old(std::to_string(i), 50min - i * 10min));
    for (const auto* args : {"a", "b", "c"}) all.push_back(t.old(args, 0ms, 25min));
    all.push_back(t.old("x", 0ms, 2h));
    for (const auto* args : {"d", "e"}) all.push_back(t.old(args, 0ms, 25min));
    all.push_back(t.old("y", 0ms, 5min));
    t.submit_all(t.worker, all);
    CHECK(t.check().empty());
    CHECK(t.taken() == "x012abcde34y");
}

TEST_CASE("its place among many is found, also where some of them have been cancelled") {
    starts t;
    std::vector<submission_item> all;
    for (int i = 0; i < 1000; ++i) all.push_back(t.old(std::to_string(i) + ' ', 2000s - i * 1s));
    t.submit_all(t.worker, all);
    for (int i = 600; i < 800; i += i % 3 + 1)
        await(t.io, t.worker->cancel(all[static_cast<std::size_t>(i)].id, 0, outcome_of(state::cancelled)));
    // Between two of them.
    t.ahead("early ", 1500s - 500ms);
    t.ahead("first ", 3000s);
    t.ahead("late ", 1000s);
    CHECK(t.check().empty());
    std::string got;
    for (auto more = t.taken(1000); !more.empty(); more = t.taken(1000)) got += more;
    CHECK(got.starts_with("first 0 1 2 "));
    CHECK(got.find("499 500 early 501 502 ") != got.npos);
    CHECK(got.ends_with("998 999 late "));
}

TEST_CASE("a retry has its head start again, and no sooner") {
    starts t;
    t.ahead("1", 1h);
    const auto first = t.take();
    t.put(t.old("a", 30min));
    t.put(t.old("b", 0ms));
    auto again = report_of(first, report::kind::retry, 1h);
    task_notes notes;
    notes.attempts = 1;
    again.record = encode(notes);
    t.finish(t.by, {again});
    CHECK(t.taken(1) == "a");
    const auto found = await(t.io, t.worker->find(first.id));
    CHECK(found->where == state::retry);
    // The retry's time has come.
    edit_call now{
        .id = first.id, .seen = found->body, .body = found->body, .due_at = time_point{}, .expires_at = {}};
    CHECK(await(t.io, t.worker->edit(now)) == edit_verdict::done);
    CHECK(t.taken() == "1b");
}

TEST_CASE("those that come back from an earlier stage have become ready then") {
    starts t;
    const auto now = t.began;
    for (const auto* args : {"a", "b", "c"}) t.put(t.old(args, 5h));
    auto claimed = t.claim(t.by, 3).claimed;
    // Each has runs behind it, of which the last has put it off to a time that is over.
    std::vector<report> reports;
    for (int i = 0; i < 3; ++i) {
        auto later = report_of(claimed[static_cast<std::size_t>(i)], report::kind::later, 1ms);
        task_notes notes;
        notes.started_at = now - 3h;
        notes.progress_text = std::string(300, 'p');
        notes.errors.resize(3, {1, now, "type", std::string(200, 'm'), now, "worker"});
        notes.log.resize(2, "a line");
        auto& flow = notes.flow.emplace();
        flow.stage = "second";
        flow.content = std::string(1000, 'c');
        flow.max_retry = 7;
        flow.finished.push_back({.name = "start", .attempt = 1, .started_at = now - 4h, .length = 5s});
        for (int run = 0; run < 4; ++run) {
            flow.runs.push_back({.claim = ~std::uint64_t{0} - 5,
                                 .started_at = now - 3h,
                                 .at = now - 2h,
                                 .stage = "start",
                                 .attempt = run,
                                 .cost = 1h,
                                 .worker = "w",
                                 .trace = "t",
                                 .error = "e",
                                 .next_stage = "second"});
        }
        // b was only reported, c was put off.
        flow.runs.back().at = now - (i == 0 ? 100min : 20min);
        if (i == 2) flow.runs.back().due_at = now - 5min;
        later.record = encode(notes);
        reports.push_back(later);
        const auto seen = ready_order(claimed[static_cast<std::size_t>(i)].body, later.record);
        CHECK(seen == now - (i == 0 ? 100min : i == 1 ? 20min : 5min));
    }
    for (const auto& one : reports) {
        t.finish(t.by, {one});
        t.promote_all(1);
    }
    t.ahead("1", 1h);
    t.ahead("2", 10min);
    t.ahead("3", 1min);
    CHECK(t.check().empty());
    CHECK(t.taken() == "a1b2c3");
}

TEST_CASE("one that is given back goes first, and one that gets a priority has no head start") {
    starts t;
    t.put(t.old("a", 10min));
    t.ahead("1", 1h);
    const auto taken = t.take();
    CHECK(args_of(taken) == "1");
    t.ahead("2", 2h);
    t.finish(t.by, {report_of(taken, report::kind::give_back)});
    CHECK(t.taken(2) == "12");
    const auto id = t.ahead("3", 1h);
    t.put(item_of("U", "default", 3));
    const auto found = await(t.io, t.worker->find(id));
    for (const auto priority : {2, 0}) {
        const auto seen = await(t.io, t.worker->find(id))->body;
        auto body = decode_body(seen);
        body.priority = static_cast<std::uint8_t>(priority);
        const edit_call change{.id = id, .seen = seen, .body = encode(body), .due_at = {}, .expires_at = {}};
        CHECK(await(t.io, t.worker->edit(change)) == edit_verdict::done);
        CHECK(t.check().empty());
        if (priority > 0) continue;
        CHECK(t.taken() == "Ua3");
    }
}

TEST_CASE("what waits for another task, for its time or aside has its head start when it is ready") {
    starts t;
    auto item = t.old("1", 0ms, 1h);
    item.delay = 1ms;
    t.put(item);
    t.put(t.old("a", 30min));
    t.put(t.old("b", 0ms));
    t.promote_all(1);
    CHECK(t.check().empty());
    CHECK(t.taken(1) == "1");
    // One that is cancelled while it is ready.
    const auto gone = t.ahead("2", 1h);
    CHECK(await(t.io, t.worker->cancel(gone, 0, outcome_of(state::cancelled))).cancelled);
    CHECK(t.check().empty());
    CHECK(t.taken() == "ab");
    CHECK(t.queue_of(t.worker).ready == 0);
    // One that waits for another task.
    const auto parent = t.put(item_of("p"));
    auto child = t.old("3", 0ms, 1h);
    child.after = {{parent}};
    auto body = decode_body(child.body);
    body.after = {parent};
    child.body = encode(body);
    t.put(child);
    CHECK(t.state_of(t.worker, child.id) == state::waiting);
    const auto over = success_of(t.take());
    t.put(t.old("c", 10min));
    t.finish(t.by, {over});
    const auto got = await(t.io, t.worker->take_news(10, 10s));
    REQUIRE(got.entries.size() == 1);
    const auto& news = got.entries[0];
    const resolution told{.parent = parent,
                          .what = news.what,
                          .cancelled = outcome_of(state::cancelled),
                          .children = news.heirs};
    await(t.io, t.worker->resolve({&told, 1}, outcome_of(state::success)));
    CHECK(t.taken() == "3c");
    // Who does not know its handler puts it aside; whoever knows it gets it there.
    const auto strange = t.ahead("4", 1h);
    auto aside = report_of(t.take(), report::kind::aside);
    task_notes notes;
    notes.unknown_handler = 1;
    aside.record = encode(notes);
    t.finish(t.by, {aside});
    CHECK(t.check().empty());
    const auto adopted = t.adopt();
    REQUIRE(adopted.size() == 1);
    CHECK(adopted[0].id == strange);
}

TEST_CASE("what waits at a limit stands in its group as it came, whatever its head start") {
    limit_fixture t;
    const auto gates = t.running("crm", "a");
    t.set("crm", t.at_most(1));
    for (const auto& [args, ahead] : {std::pair{"0", 0h}, std::pair{"1", 1h}, std::pair{"2", 0h}})
        t.submit(t.worker,
                 starts::made(args, std::chrono::floor<duration>(system_clock::now()), ahead, gates));
    CHECK(t.check().empty());
    for (const auto* next : {"0", "1", "2"}) {
        const auto got = t.take(10);
        REQUIRE(got.size() == 1);
        CHECK(args_of(got[0]) == next);
        t.finish_one(got[0]);
    }
}

TEST_CASE(
    "those that come one by one with the same head start stand as they came, before all that they pass") {
    starts t;
    t.put(t.old("a", 3h));
    t.put(t.old("b", 30min));
    for (const auto* args : {"1", "2", "3", "4", "5"}) t.ahead(args, 4h);
    for (const auto* args : {"6", "7", "8", "9"}) t.ahead(args, 1h);
    CHECK(t.taken() == "12345a6789b");
}

TEST_CASE("those that come one by one with other head starts stand in their order between two others") {
    starts t;
    t.put(t.old("a ", 3h));
    t.put(t.old("b ", 0ms));
    // More than find room between two that follow each other, and longer ones after shorter ones as well as before.
    std::vector<int> lengths;
    for (int i = 0; i < 400; ++i) lengths.push_back(1 + i * 149 % 401);
    for (const int length : lengths) t.ahead(std::to_string(length) + ' ', length * 10s);
    for (int i = 0; i < 400; ++i) t.ahead("s ", 10h);
    CHECK(t.check().empty());
    std::string wanted;
    for (int i = 0; i < 400; ++i) wanted += "s ";
    wanted += "a ";
    std::ranges::sort(lengths, std::greater{});
    for (const int length : lengths) wanted += std::to_string(length) + ' ';
    CHECK(t.taken(1000) == wanted + "b ");
}

TEST_CASE("large ones that fall due together are made ready in as many calls as it takes") {
    starts t;
    std::vector<submission_item> all;
    for (int i = 0; i < 40; ++i) {
        auto item = t.old(std::string(200'000, 'x'), 0ms, 1h);
        item.delay = 1ms;
        all.push_back(item);
    }
    t.submit_all(t.worker, all);
    t.put(t.old("a", 30min));
    t.promote_all(40);
    CHECK(t.check().empty());
    std::string got;
    for (auto more = t.taken(10); !more.empty(); more = t.taken(10)) got += more;
    CHECK(got.size() == 40 * 200'000 + 1);
    CHECK(got.back() == 'a');
}

TEST_CASE("what is given back goes first, whatever went before others meanwhile") {
    starts t;
    t.put(t.old("a", 0ms));
    for (int i = 1; i <= 5; ++i) t.ahead(std::to_string(i), i * 10s);
    const auto first = t.take();
    CHECK(args_of(first) == "5");
    t.finish(t.by, {report_of(first, report::kind::give_back)});
    CHECK(t.taken() == "54321a");
}

TEST_CASE("many head starts in one call are in their order, and few tasks are looked at for them") {
    starts t;
    std::vector<submission_item> all, early;
    for (int i = 0; i < 500; ++i) all.push_back(t.old("p", 1000s - i * 1s));
    t.submit_all(t.worker, all);
    for (int i = 0; i < 200; ++i)
        early.push_back(t.old(std::to_string(i % 100) + ' ', 0ms, 500s + i % 100 * 1s));
    t.submit_all(t.worker, early);
    std::string got;
    for (auto more = t.taken(1000); !more.empty(); more = t.taken(1000)) got += more;
    std::string order = got;
    std::erase(order, 'p');
    std::string wanted;
    for (int i = 99; i >= 0; --i) wanted += std::to_string(i) + ' ' + std::to_string(i) + ' ';
    CHECK(order == wanted);
    // The youngest is 501 s old: the one that passes most is to pass 98 of them, and Redis does not look for each.
    const auto before = std::ranges::count(got.substr(0, got.find("99 ")), 'p');
    CHECK(before >= 400);
    CHECK(before <= 406);
}

TEST_CASE("a place in a list that a task has left tells nothing of others") {
    starts t;
    std::vector<submission_item> all;
    for (int i = 0; i < 9; ++i) all.push_back(t.old(std::to_string(i), 1000s - i * 1s));
    t.submit_all(t.worker, all);
    // All that a search looks at first are to come tomorrow.
    for (const auto at : {3U, 4U, 5U}) {
        auto body = decode_body(all[at].body);
        body.due_at = std::chrono::floor<duration>(system_clock::now()) + 24h;
        const edit_call later{.id = all[at].id,
                              .seen = all[at].body,
                              .body = encode(body),
                              .due_at = body.due_at,
                              .expires_at = {}};
        CHECK(await(t.io, t.worker->edit(later)) == edit_verdict::done);
    }
    t.ahead("x", 1s);
    CHECK(t.taken() == "012678x");
}

TEST_CASE("a task whose records do not decode is passed by none") {
    starts t;
    t.put(t.old("a", 30min));
    auto back = report_of(t.take(), report::kind::give_back);
    back.record = std::string{"\1\x22\2\2\2\2", 6};
    t.finish(t.by, {back});
    t.put(t.old("b", 20min));
    t.ahead("1", 2h);
    CHECK(t.taken() == "a1b");
}
