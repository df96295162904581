// Every row of the state table, done. A row for which there is no way here fails.
#include "core/bundles.hpp"
#include "core/gates.hpp"
#include "core/state_table.hpp"
#include "support/store_fixture.hpp"

#include <catch2/catch_test_macros.hpp>

#include <algorithm>
#include <map>

using namespace errand;
using namespace errand::test;
using namespace std::chrono_literals;

namespace {

std::string end_of(const claimed_task& task, state as, duration retention) {
    task_outcome outcome;
    outcome.ended_as = as;
    outcome.retention = retention;
    outcome.attempts = 1;
    const auto now = std::chrono::floor<duration>(std::chrono::system_clock::now());
    return encode_end(outcome, time_point{now}, task.body);
}

// One task on its way through one row.
class one_row {
public:
    explicit one_row(const state_row& row) : row_{row} {}

    void run() {
        prepare();
        if (row_.from) CHECK(here_.state_of(worker_, id_) == *row_.from);
        act();
        const auto found = await(here_.io, worker_->find(id_));
        CHECK(found.has_value() == row_.to.has_value());
        if (found && row_.to) CHECK(found->where == *row_.to);
    }

private:
    // Many rows need something special of the task from its beginning.
    bool is(transition what) const { return row_.event == what; }

    submission_item item(const task_id& id) {
        auto one = item_with(id, "[1]");
        if (is(transition::expire)) one.expires_after = 0ms;
        if (one.expires_after) {
            auto body = decode_body(one.body);
            body.expires_after = one.expires_after;
            one.body = encode(body);
        }
        return one;
    }

    submission_item waiting_item() {
        auto one = item(id_);
        one.after = {{parent_}};
        one.rule = is(transition::gather) ? on_failed::gather : on_failed::cancel;
        if (is(transition::resolve_delayed)) one.delay = 1h;
        auto body = decode_body(one.body);
        body.after = {parent_};
        body.rule = one.rule;
        one.body = encode(body);
        return one;
    }

    submission_item delayed_item() {
        auto one = item(id_);
        one.delay = is(transition::promote) || is(transition::expire) ? 1ms : 1h;
        return one;
    }

    void start() {
        here_.submit(worker_, item(id_));
        claim();
    }
    void claim() {
        const auto lease = is(transition::recover) ? duration{1ms} : duration{1h};
        const auto got = here_.claim(worker_, 10, {"default"}, lease).claimed;
        const auto mine = std::ranges::find(got, id_, &claimed_task::id);
        REQUIRE(mine != got.end());
        task_ = *mine;
    }
    void end(state as) {
        const auto retention = is(transition::clean) ? duration{1ms} : duration{1h};
        auto over = report_of(task_, report::kind::end);
        over.ended_as = as;
        over.retention = retention;
        over.record = end_of(task_, as, retention);
        CHECK(here_.finish(worker_, {over}) == std::vector{report_verdict::accepted});
    }
    void go_on(report::kind how, bool snoozed = false) {
        auto later = report_of(task_, how, is(transition::promote) ? 1ms : 1h);
        if (how != report::kind::give_back) {
            task_notes notes;
            notes.attempts = snoozed ? 0 : 1;
            notes.snoozed = snoozed;
            later.record = encode(notes);
        }
        CHECK(here_.finish(worker_, {later}) == std::vector{report_verdict::accepted});
    }
    void adopt() {
        const auto got = await(here_.io, worker_->adopt({{"default"}, {"test"}, 10}));
        REQUIRE(got.tasks.size() == 1);
        CHECK(got.tasks[0].id == id_);
    }
    void cancel() {
        const auto outcome = outcome_of(state::cancelled, is(transition::clean) ? 1ms : 1h);
        CHECK(await(here_.io, worker_->cancel(id_, 0, outcome)).cancelled);
    }
    void promote_until(state as) {
        const auto outcome = outcome_of(state::expired, is(transition::clean) ? 1ms : 1h);
        const std::vector<std::string> queues{"default"};
        CHECK(here_.until([&] {
            await(here_.io, worker_->promote(queues, 100, outcome));
            return here_.state_of(worker_, id_) == as;
        }));
    }

    void end_parent(state as) {
        here_.submit(worker_, item_with(parent_, "[0]"));
        const auto got = here_.claim(worker_, 10).claimed;
        REQUIRE(got.size() == 1);
        auto over = report_of(got[0], report::kind::end);
        over.ended_as = as;
        over.retention = 1h;
        over.record = end_of(got[0], as, 1h);
        here_.finish(worker_, {over});
    }
    void tell_news() {
        const auto got = await(here_.io, worker_->take_news(10, 10s));
        REQUIRE(got.entries.size() == 1);
        const resolution all{.parent = parent_,
                             .what = got.entries[0].what,
                             .cancelled = outcome_of(state::cancelled),
                             .children = got.entries[0].heirs};
        await(here_.io, worker_->resolve({&all, 1}, outcome_of(state::success)));
        delivery struck{.about = parent_, .what = got.entries[0].what, .token = got.entries[0].token};
        struck.last = true;
        await(here_.io, worker_->delivered({&struck, 1}));
    }

    void prepare() {
        if (!row_.from) {
            // Of a deleted one nothing is left to begin with.
            return;
        }
        switch (*row_.from) {
        case state::waiting:
            if (!is_item()) return void(here_.submit(worker_, waiting_item()));
            start();
            return collect();
        case state::delayed:
            if (!is(transition::adopt)) return void(here_.submit(worker_, delayed_item()));
            start();
            return go_on(report::kind::aside, true);
        case state::ready: here_.submit(worker_, item(id_)); return;
        case state::working: start(); return;
        case state::retry:
            start();
            go_on(report::kind::retry);
            return;
        case state::success:
        case state::dead:
            start();
            end(*row_.from);
            return;
        case state::cancelled:
            if (is(transition::take_up)) {
                here_.submit(worker_, waiting_item());
                end_parent(state::dead);
                tell_news();
            } else {
                here_.submit(worker_, item(id_));
                cancel();
            }
            return;
        case state::expired: {
            auto one = item(id_);
            one.expires_after = 0ms;
            auto body = decode_body(one.body);
            body.expires_after = 0ms;
            if (is(transition::clean)) body.retention = 1ms;
            one.body = encode(body);
            here_.submit(worker_, one);
            promote_until(state::expired);
            return;
        }
        }
    }

    void submit_again(on_conflict conflict, submission_item one) {
        one.conflict = conflict;
        const auto wanted =
            conflict == on_conflict::replace ? submit_verdict::replaced : submit_verdict::accepted;
        CHECK(here_.submit(worker_, one).verdict == wanted);
    }

    void edit(std::optional<time_point> due_at) {
        const auto found = await(here_.io, worker_->find(id_));
        edit_call call{
            .id = id_, .seen = found->body, .body = found->body, .due_at = due_at, .expires_at = {}};
        if (!due_at) {
            auto body = decode_body(found->body);
            body.args = "[2]";
            call.body = encode(body);
            call.unstarted_only = true;
        }
        CHECK(await(here_.io, worker_->edit(call)) == edit_verdict::done);
    }

    void act() {
        const auto in_an_hour = std::chrono::floor<duration>(std::chrono::system_clock::now()) + 1h;
        switch (row_.event) {
        case transition::submit: return submit_again(on_conflict::keep, item(id_));
        case transition::submit_delayed: return submit_again(on_conflict::keep, delayed_item());
        case transition::submit_waiting: return submit_again(on_conflict::keep, waiting_item());
        case transition::replace: return submit_again(on_conflict::replace, item(id_));
        case transition::replace_delayed: return submit_again(on_conflict::replace, delayed_item());
        case transition::replace_waiting: return submit_again(on_conflict::replace, waiting_item());
        case transition::resolve:
        case transition::resolve_delayed:
        case transition::gather: end_parent(state::success); return tell_news();
        case transition::forsake: end_parent(state::dead); return tell_news();
        case transition::take_up: {
            const auto parent = await(here_.io, worker_->find(parent_));
            CHECK(await(here_.io, worker_->revive(parent_, incarnation_of(parent->body), *parent->finished_at,
                                                  encode(task_notes{}))));
            return tell_news();
        }
        case transition::promote: return promote_until(state::ready);
        case transition::claim: return claim();
        case transition::succeed: return end(state::success);
        case transition::bury: return end(state::dead);
        case transition::fail: return go_on(report::kind::retry);
        case transition::adopt: return adopt();
        case transition::snooze: return go_on(report::kind::later, true);
        case transition::postpone: return go_on(report::kind::aside, true);
        case transition::give_back: return go_on(report::kind::give_back);
        case transition::regroup: return regroup();
        case transition::recover: return take_over();
        case transition::collect: return collect();
        case transition::settle: return tell_item(outcome_of(state::success));
        case transition::settle_dead: return tell_item(outcome_of(state::dead));
        case transition::settle_cancelled: return tell_item(outcome_of(state::cancelled));
        case transition::collect_again: return tell_item(collected_again(1h, encode(task_notes{})));
        case transition::release: return tell_item(std::string(1, at_once));
        case transition::put_off: return edit(in_an_hour);
        case transition::recollect: return edit(std::nullopt);
        case transition::expire:
            return row_.from == state::working ? end(state::expired) : promote_until(state::expired);
        case transition::cancel: return cancel();
        case transition::revive: {
            const auto found = await(here_.io, worker_->find(id_));
            CHECK(await(here_.io, worker_->revive(id_, incarnation_of(found->body), *found->finished_at,
                                                  encode(task_notes{}))));
            return;
        }
        case transition::reschedule: return edit(in_an_hour);
        case transition::run_now: return edit(time_point{});
        case transition::change: return edit(std::nullopt);
        case transition::remove:
            CHECK(await(here_.io, worker_->remove(id_, outcome_of(state::cancelled, 0ms))) ==
                  remove_verdict::removed);
            return;
        case transition::clean:
            CHECK(here_.until([&] { return await(here_.io, worker_->clean(100)) > 0; }));
            return;
        }
        FAIL("there is no way to exercise " << to_string(row_.event));
    }

    void regroup() {
        auto body = decode_body(task_.body);
        body.gates = gate_of(gate_kind::both, "late", "");
        auto back = report_of(task_, report::kind::regroup);
        back.record = encode(body);
        CHECK(here_.finish(worker_, {back}) == std::vector{report_verdict::accepted});
        CHECK(gates_of(await(here_.io, worker_->find(id_))->body) == body.gates);
    }

    // The item waits alone in a bundle of ten.
    void collect() {
        joining one;
        one.key = bundle_key_of("test", "default", "");
        one.carrier = carrier_ = derive_carrier_id(one.key, id_, task_.claim);
        one.max_size = 10;
        one.wait = one.grace = is_told() ? duration{1} : duration{1h};
        auto body = decode_body(task_.body);
        body.retention = 1h;
        one.carrier_body = encode(body);
        auto joins = report_of(task_, report::kind::join);
        joins.record = encode(one);
        CHECK(here_.finish(worker_, {joins}) == std::vector{report_verdict::accepted});
    }
    bool is_told() const {
        return is(transition::settle) || is(transition::settle_dead) || is(transition::settle_cancelled) ||
               is(transition::collect_again) || is(transition::release);
    }
    bool is_item() const { return is_told() || is(transition::put_off) || is(transition::recollect); }
    // Its bundle is run, and this is told of it.
    void tell_item(const std::string& becomes) {
        const std::vector<std::string> queues{"default"};
        std::vector<claimed_task> got;
        CHECK(here_.until([&] {
            await(here_.io, worker_->promote(queues, 100, outcome_of(state::expired)));
            got = here_.claim(worker_, 10).claimed;
            return !got.empty();
        }));
        REQUIRE(got.size() == 1);
        CHECK(got[0].id == carrier_);
        CHECK(here_.finish(worker_, {success_of(got[0])}) == std::vector{report_verdict::accepted});
        const resolution told{
            .parent = carrier_, .what = tidings::bundled, .cancelled = becomes, .children = {id_}};
        await(here_.io, worker_->resolve({&told, 1}, outcome_of(state::success)));
    }

    void take_over() {
        CHECK(here_.until([&] { return !await(here_.io, worker_->recover(10, 1h)).tasks.empty(); }));
        const auto found = await(here_.io, worker_->find(id_));
        CHECK(found->claim > task_.claim);
    }

    state_row row_;
    store_fixture here_;
    member worker_ = here_.join("w");
    task_id id_ = new_task_id(1'763'000'000'000);
    task_id carrier_;
    task_id parent_ = new_task_id(1'763'000'000'000);
    claimed_task task_;
};

}  // namespace

TEST_CASE("every row of the state table takes a task where it says") {
    for (const auto& row : state_table()) {
        INFO((row.from ? to_string(*row.from) : "nothing") << " -> " << to_string(row.event));
        one_row{row}.run();
    }
}
