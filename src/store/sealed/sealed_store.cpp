#include "store/sealed/sealed_store.hpp"

#include "core/bundles.hpp"
#include "store/sealed.hpp"

#include <algorithm>
#include <utility>

namespace errand {

// Opens what comes without being asked for, and passes all on.
class sealed_store::opening_listener final : public store_listener {
public:
    opening_listener(const sealed_store& of, store_listener& to) : of_{of}, to_{to} {}

    void woken() override { to_.woken(); }
    void task_given(claimed_task task) override {
        of_.open(task);
        to_.task_given(std::move(task));
    }
    void stands_aside() override { to_.stands_aside(); }
    void news_came() override { to_.news_came(); }
    void schedules_changed() override { to_.schedules_changed(); }
    void settings_changed() override { to_.settings_changed(); }
    void task_cancelled(const task_id& id) override { to_.task_cancelled(id); }
    void may_go_on(const task_id& id) override { to_.may_go_on(id); }
    void task_ended(const ended_task& task) override {
        auto opened = task;
        of_.open(opened);
        to_.task_ended(opened);
    }
    void report_answered(const task_id& id, claim_number claim, report_verdict verdict) override {
        to_.report_answered(id, claim, verdict);
    }
    void reconnected() override { to_.reconnected(); }

private:
    const sealed_store& of_;
    store_listener& to_;
};

sealed_store::sealed_store(std::unique_ptr<store> in, sealed_records records)
    : passing_store{std::move(in)}, records_{std::move(records)} {}

sealed_store::sealed_store(store& in, sealed_records records)
    : passing_store{in}, records_{std::move(records)} {}

sealed_store::~sealed_store() {
    if (below_) in_.listen(nullptr);
}

void sealed_store::listen(store_listener* to) {
    auto fresh = to ? std::make_unique<opening_listener>(*this, *to) : nullptr;
    in_.listen(fresh.get());
    below_ = std::move(fresh);
}

// ---- in --------------------------------------------------------------------------------------------

submission_item sealed_store::sealed(submission_item one) const {
    one.body = records_.seal_body(one.id, one.body);
    return one;
}

report sealed_store::sealed(report one) const {
    switch (one.what) {
    case report::kind::end: one.record = records_.seal_end(one.id, one.record, one.sealed_body); break;
    case report::kind::join: one.record = records_.seal_joining(one.record); break;
    case report::kind::regroup: one.record = records_.seal_body(one.id, one.record); break;
    case report::kind::retry:
    case report::kind::later:
    case report::kind::aside:
    case report::kind::give_back: one.record = records_.seal_notes(one.id, one.record); break;
    }
    return one;
}

awaitable<std::vector<submit_answer>> sealed_store::submit(std::size_t lane,
                                                           std::span<const submission_item> items,
                                                           submit_mode mode) {
    std::vector<submission_item> all;
    all.reserve(items.size());
    for (const auto& one : items) all.push_back(sealed(one));
    co_return co_await in_.submit(lane, all, mode);
}

awaitable<work_answer> sealed_store::work(const work_call& call) {
    auto with = call;
    for (auto& one : with.reports) one = sealed(std::move(one));
    auto answer = co_await in_.work(with);
    open(answer.claimed);
    co_return answer;
}

awaitable<report_verdict> sealed_store::note(const task_id& id, claim_number claim, std::string notes) {
    auto record = records_.seal_notes(id, notes);
    co_return co_await in_.note(id, claim, std::move(record));
}

awaitable<report_verdict> sealed_store::stage(const task_id& id, claim_number claim, incarnation life,
                                              std::string record) {
    auto one = records_.seal_stage(id, record);
    co_return co_await in_.stage(id, claim, life, std::move(one));
}

awaitable<std::vector<std::vector<task_id>>> sealed_store::resolve(std::span<const resolution> all,
                                                                   std::string_view gathered) {
    std::vector<resolution> steps{all.begin(), all.end()};
    for (auto& one : steps) {
        // All else says why a task was cancelled, in errand's own words. Each item is told by itself.
        if (one.what != tidings::bundled || one.cancelled.empty() || one.children.size() != 1) continue;
        const auto& item = one.children.front();
        constexpr std::size_t front = 1 + 13;
        if (one.cancelled.front() == collects_again && one.cancelled.size() > front) {
            one.cancelled = one.cancelled.substr(0, front) +
                            records_.seal_notes(item, std::string_view{one.cancelled}.substr(front));
        } else if (one.cancelled.front() != at_once) {
            one.cancelled = records_.seal_outcome(item, one.cancelled, {});
        }
    }
    co_return co_await in_.resolve(steps, gathered);
}

awaitable<bool> sealed_store::revive(const task_id& id, incarnation life, time_point finished_at,
                                     std::string_view encoded_notes, std::string_view other_body) {
    const auto record = records_.seal_notes(id, encoded_notes);
    const auto body = other_body.empty() ? std::string{} : records_.seal_body(id, other_body);
    co_return co_await in_.revive(id, life, finished_at, record, body);
}

// The store compares bytes, and the same arguments are sealed otherwise each time: so what was seen is compared with what is there
// when both are open, and the store with what is there as it stands.
awaitable<edit_verdict> sealed_store::edit(const edit_call& call) {
    const auto there = co_await in_.find(call.id);
    if (!there) co_return edit_verdict::unknown;
    auto with = call;
    if (records_.open_body(call.id, there->body) != call.seen) co_return edit_verdict::changed;
    with.seen = there->body;
    with.body = records_.seal_change(call.id, call.body, call.seen, there->body);
    if (call.notes) {
        if (records_.open_notes(call.id, there->notes, there->body) != call.seen_notes)
            co_return edit_verdict::changed;
        with.seen_notes = there->notes;
        with.notes = records_.seal_notes(call.id, *call.notes, call.body);
    }
    co_return co_await in_.edit(with);
}

awaitable<std::vector<step_verdict>> sealed_store::step_schedules(std::span<const schedule_step> steps) {
    std::vector<schedule_step> all{steps.begin(), steps.end()};
    for (auto& one : all) {
        one.record = records_.seal_schedule(one.id, one.record);
        for (auto& made : one.runs) made = sealed(std::move(made));
    }
    co_return co_await in_.step_schedules(all);
}

// ---- out -------------------------------------------------------------------------------------------

void sealed_store::open(claimed_task& one) const {
    one.notes = records_.open_notes(one.id, one.notes, one.body);
    one.sealed_body = std::exchange(one.body, records_.open_body(one.id, one.body));
}

void sealed_store::open(std::vector<claimed_task>& all) const {
    for (auto& one : all) open(one);
}

void sealed_store::open(found_task& one) const {
    one.sealed_with = key_of_body(one.body);
    one.notes = records_.open_notes(one.id, one.notes, one.body);
    one.outcome = records_.open_outcome(one.id, one.outcome, one.body);
    one.stages = records_.open_stages(one.id, one.stages);
    one.body = records_.open_body(one.id, one.body);
}

// What a run wished for its schedule is not looked at here.
void sealed_store::open(ended_task& one) const {
    one.outcome = records_.open_outcome(one.id, one.outcome, {});
}

void sealed_store::open(std::vector<kept_schedule>& all) const {
    for (auto& one : all) one.record = records_.open_schedule(one.id, one.record);
}

awaitable<adopt_answer> sealed_store::adopt(const adopt_call& call) {
    auto answer = co_await in_.adopt(call);
    open(answer.tasks);
    co_return answer;
}

awaitable<recover_answer> sealed_store::recover(std::size_t limit, duration lease) {
    auto answer = co_await in_.recover(limit, lease);
    open(answer.tasks);
    co_return answer;
}

awaitable<stages_answer> sealed_store::stages(const task_id& id, claim_number claim) {
    auto answer = co_await in_.stages(id, claim);
    answer.records = records_.open_stages(id, answer.records);
    co_return answer;
}

awaitable<std::optional<found_task>> sealed_store::find(const task_id& id) {
    auto found = co_await in_.find(id);
    if (found) open(*found);
    co_return found;
}

awaitable<watch_answer> sealed_store::watch(std::span<const watched_task> tasks) {
    auto answer = co_await in_.watch(tasks);
    for (auto& one : answer.ended) open(one);
    co_return answer;
}

awaitable<list_answer> sealed_store::list(const list_call& call) {
    auto answer = co_await in_.list(call);
    for (auto& one : answer.items) open(one.task);
    co_return answer;
}

awaitable<bundle_page> sealed_store::bundle(const task_id& carrier, const std::optional<task_id>& after) {
    auto page = co_await in_.bundle(carrier, after);
    for (auto& one : page.items) {
        one.notes = records_.open_notes(one.id, one.notes, one.body);
        one.body = records_.open_body(one.id, one.body);
    }
    co_return page;
}

awaitable<schedules_answer> sealed_store::due_schedules(std::size_t limit) {
    auto answer = co_await in_.due_schedules(limit);
    open(answer.schedules);
    co_return answer;
}

awaitable<schedules_answer> sealed_store::find_schedules(std::span<const task_id> ids) {
    auto answer = co_await in_.find_schedules(ids);
    open(answer.schedules);
    co_return answer;
}

awaitable<schedule_list> sealed_store::list_schedules(std::string after, std::size_t limit) {
    auto list = co_await in_.list_schedules(std::move(after), limit);
    open(list.schedules);
    co_return list;
}

// ----------------------------------------------------------------------------------------------------

std::unique_ptr<store> seal_store(store& in, std::shared_ptr<const sealing> keys, std::string name_space) {
    return std::make_unique<sealed_store>(in, sealed_records{std::move(keys), std::move(name_space)});
}

std::unique_ptr<store> seal_store(std::unique_ptr<store> in, std::shared_ptr<const sealing> keys,
                                  std::string name_space) {
    return std::make_unique<sealed_store>(std::move(in),
                                          sealed_records{std::move(keys), std::move(name_space)});
}

}  // namespace errand
