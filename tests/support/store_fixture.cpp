#include "support/store_fixture.hpp"

#include "app/open_store.hpp"

#include <algorithm>

namespace errand::test {

std::shared_ptr<const sealing> sealing_of_tests(const std::string& keys) {
    return std::make_shared<const sealing>(encryption{.keys = read_encryption_keys(keys)});
}

store_fixture::~store_fixture() {
    // Whatever was closed ends now: nothing keeps the context busy, or a coroutine has leaked.
    const auto end = std::chrono::steady_clock::now() + deadline;
    if (io.stopped()) io.restart();
    while (!io.stopped() && std::chrono::steady_clock::now() < end) io.run_for(std::chrono::milliseconds{50});
    CHECK(io.stopped());
}

store_settings store_fixture::settings(const std::string& name) {
    store_settings with;
    behind->place(with);
    if (tests_are_sealed()) with.seals = sealing_of_tests();
    with.name = name;
    with.trouble = [this](std::string_view text) { troubles.emplace_back(text); };
    return with;
}

member store_fixture::join(store_settings with) {
    member one;
    one.of = open_store(io, std::move(with));
    one->listen(one.ear.get());
    await(io, one->open());
    return one;
}

submit_answer store_fixture::submit(member& by, submission_item item) {
    return submit_all(by, {std::move(item)}).at(0);
}

std::vector<submit_answer> store_fixture::submit_all(member& by, std::vector<submission_item> items,
                                                     submit_mode mode) {
    return await(io, by->submit(0, items, mode));
}

work_answer store_fixture::claim(member& by, std::size_t limit, std::vector<std::string> queues,
                                 duration lease) {
    work_call call;
    call.claim = {.queues = std::move(queues), .limit = limit, .lease = lease};
    return await(io, by->work(call));
}

work_answer store_fixture::claim_apart(member& by, std::size_t limit, std::vector<std::string> queues,
                                       duration lease) {
    work_call call;
    call.claim = {.queues = std::move(queues), .limit = limit, .lease = lease, .apart = true};
    return await(io, by->work(call));
}

std::vector<report_verdict> store_fixture::finish(member& by, std::vector<report> reports) {
    work_call call;
    std::set<claim_number> claims;
    for (const auto& one : reports) claims.insert(one.claim);
    call.closed.assign(claims.begin(), claims.end());
    call.reports = std::move(reports);
    return await(io, by->work(call)).verdicts;
}

state store_fixture::state_of(member& by, const task_id& id) {
    const auto found = await(io, by->find(id));
    REQUIRE(found);
    return found->where;
}

queue_state store_fixture::queue_of(member& by, const std::string& queue) {
    const auto all = await(io, by->overview()).queues;
    const auto found = std::ranges::find(all, queue, &queue_state::queue);
    return found == all.end() ? queue_state{} : *found;
}

bool store_fixture::keeps(const std::string& part, long count) const {
    const auto there = behind->kept(part);
    return there < 0 || there == count;
}

submission_item item_with(const task_id& id, const std::string& args, on_conflict conflict) {
    auto item = item_of(args);
    item.id = id;
    item.conflict = conflict;
    return item;
}

submission_item item_of(const std::string& args, const std::string& queue, int priority) {
    static std::uint64_t life = 1'763'000'000'000'000;
    task_body body;
    body.queue = queue;
    body.handler = "test";
    body.args = args;
    body.life = ++life;
    body.priority = static_cast<std::uint8_t>(priority);
    submission_item item;
    item.id = new_task_id(1'763'000'000'000);
    item.body = encode(body);
    item.queue = queue;
    item.priority = priority;
    return item;
}

report report_of(const claimed_task& task, report::kind what, duration delay, int attempts) {
    report one;
    one.id = task.id;
    one.claim = task.claim;
    one.what = what;
    one.queue = task.queue;
    one.priority = decode_body(task.body).priority;
    one.had_notes = !task.notes.empty();
    one.delay = delay;
    if (what == report::kind::later || what == report::kind::retry) {
        task_notes notes;
        notes.attempts = attempts;
        one.record = encode(notes);
    }
    return one;
}

report success_of(const claimed_task& task, duration retention, duration unique_for) {
    auto one = report_of(task, report::kind::end);
    one.retention = retention;
    task_outcome outcome;
    outcome.retention = retention;
    outcome.unique_for = unique_for;
    outcome.result = "42";
    one.record =
        encode_end(outcome, time_point{std::chrono::floor<duration>(std::chrono::system_clock::now())},
                   task.body);
    return one;
}

std::string outcome_of(state ended_as, duration retention) {
    task_outcome outcome;
    outcome.ended_as = ended_as;
    outcome.retention = retention;
    return encode(outcome);
}

std::string args_of(const claimed_task& task) { return decode_body(task.body).args; }

}  // namespace errand::test
