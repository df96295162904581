#include "worker/active_task.hpp"

#include <errand/detail/engine.hpp>
#include <errand/error.hpp>

#include "core/gate_rules.hpp"
#include "core/utf8.hpp"
#include "runtime/on_loop.hpp"
#include "worker/executor.hpp"
#include "worker/stage_runner.hpp"

#include <boost/asio/co_spawn.hpp>
#include <boost/asio/detached.hpp>
#include <boost/asio/error.hpp>
#include <boost/system/system_error.hpp>

#include <algorithm>
#include <cmath>

namespace errand {

namespace asio = boost::asio;

active_task::active_task(executor& by, claimed_task&& claimed, leased_tasks::index at)
    : task{std::move(claimed)}, leased_at{at}, by_{by} {}

active_task::~active_task() = default;

task_logger& active_task::log() {
    const auto& app = by_.app();
    return log_.of(*app.log, body.handler, id(), number,
                   app.serves_several() ? name_space() : std::string_view{},
                   around.trace ? std::string_view{around.trace->trace_id} : std::string_view{});
}

void active_task::warn(std::string_view shown, std::string_view kept) {
    log();
    log_.warn(shown, kept);
}

const std::string& active_task::name_space() const { return by_.app().settings.name_space; }

void active_task::deadline_passed() { by_.deadline_passed(*this); }

awaitable<std::string> active_task::stored_result(std::string id) {
    return detail::stored_result(by_.app(), std::move(id));
}

task_notes active_task::notes_now() const {
    auto now = notes;
    log_.add_to(now.log);
    return now;
}

attempt_facts active_task::facts(std::string_view worker, time_point now) const {
    return {task.id,    task.claim, task.queue, body.priority, noted_ || !task.notes.empty(),
            started_at, worker,     task.body,  now,           task.sealed_body};
}

// ---- slot ------------------------------------------------------------------------------------------

void active_task::yield_slot() {
    if (waits_ == 0) {
        by_.one_more_waits();
        leave_gates();
    }
    ++waits_;
    if (slot_ == slot_state::held) {
        slot_ = slot_state::away;
        by_.slot_is_free();
    }
}

void active_task::leave_gates() {
    if (slot_ == slot_state::given_up || !any_counts_running(body.gates)) return;
    if (!gates_) gates_ = by_.gates().of(task.id, task.claim);
    by_.gates().leave(gates_);
}

bool active_task::holds_gates() const { return !gates_ || by_.gates().may_go_on(*gates_, told_to_stop); }

void active_task::hurry() {
    if (gates_) gates_->changed.open();
}

// While any branch waits, the others go on without a slot and without gates: taking them back for these could leave none for
// the very tasks that are waited for. Gates come first: who has a slot is to use it.
awaitable<void> active_task::regain_slot() {
    if (--waits_ > 0) co_return;
    by_.one_less_waits();
    std::exception_ptr cancelled;
    while (waits_ == 0 && slot_ != slot_state::given_up && !cancelled) {
        if (gates_ && !told_to_stop) co_await by_.gates().come_back(gates_, told_to_stop);
        // What it has not given back yet it keeps until it has ended.
        if (gates_ && told_to_stop) gates_->wants_back = true;
        if (waits_ > 0 || slot_ != slot_state::away) break;
        slot_ = slot_state::coming;
        try {
            co_await by_.slots().regain();
        } catch (...) {
            cancelled = std::current_exception();
        }
        if (slot_ == slot_state::given_up) {
            by_.slot_is_free();
        } else if (waits_ > 0 || !holds_gates()) {
            slot_ = slot_state::away;
            by_.slot_is_free();
        } else {
            slot_ = slot_state::held;
            break;
        }
    }
    if (cancelled) std::rethrow_exception(cancelled);
    if (!gates_ || waits_ > 0 || slot_ == slot_state::given_up) co_return;
    // Without its gates it must not do what it would do next.
    if (gates_->now == yielded_gates::standing::held) co_return;
    if (gates_->now == yielded_gates::standing::lost && !told_to_stop)
        throw lease_lost{"task " + id() + " is no longer this attempt's"};
    throw boost::system::system_error{asio::error::operation_aborted};
}

// A branch that nobody awaits may wait on: it counts as waiting until it ends.
void active_task::give_up_slot() {
    const bool held = slot_ == slot_state::held;
    slot_ = slot_state::given_up;
    if (gates_) by_.gates().forget(gates_);
    if (held) by_.slots().release();
}

// ---- stages ----------------------------------------------------------------------------------------

awaitable<std::string> active_task::run_stage(std::string name, stage_options how,
                                              const detail::stage_body& function) {
    stage_runner one{*this, by_.home(), std::move(name), std::move(how), function};
    co_return co_await one.run();
}

attempt_stages& active_task::stages() {
    if (!stages_) stages_ = std::make_unique<attempt_stages>(*this, by_);
    return *stages_;
}

// ---- bundle ----------------------------------------------------------------------------------------

void active_task::fail_item(std::size_t index, std::string why) {
    if (!bundle) throw usage_error{"fail_item: this task is no run over collected items"};
    bundle->fail(index, std::move(why));
}

// ---- schedule --------------------------------------------------------------------------------------

schedule_run* active_task::schedule() {
    if (!body.origin) return nullptr;
    if (!schedule_)
        schedule_ = std::make_unique<attempt_schedule>(*body.origin, *known, by_.app().settings.shards);
    return schedule_.get();
}

// ---- progress --------------------------------------------------------------------------------------

awaitable<void> active_task::progress(double done, std::string text) {
    if (std::isnan(done)) throw usage_error{"progress: the part done is not a number"};
    auto tell = [this, done, &text](loop&) {
        return tell_progress(std::clamp(done, 0.0, 1.0), std::move(text));
    };
    co_await on_loop(by_.home(), std::move(tell));
}

awaitable<void> active_task::tell_progress(double done, std::string text) {
    notes.progress = done;
    // What is shown is JSON.
    notes.progress_text = repaired_utf8(text);
    const auto mine = ++told_;
    if (!answered_) answered_ = std::make_unique<async_gate>(by_.home().executor());
    if (!writing_) {
        writing_ = true;
        // On the plain loop: the handler's cancellation must not cut a call that carries others' progress
        // too.
        asio::co_spawn(by_.home().executor(), write_notes(shared_from_this()),
                       asio::detached);  // throws nothing
    }
    while (written_ < mine && !refused_) co_await answered_->wait();
    if (refused_) std::rethrow_exception(refused_);
}

// One call at a time; what is told while it is under way goes with the next, the latest alone.
awaitable<void> active_task::write_notes(std::shared_ptr<active_task> of) {
    auto& me = *of;
    while (me.written_ < me.told_ && !me.refused_) {
        const auto carries = me.told_;
        me.noted_ = true;
        try {
            const auto verdict =
                co_await me.by_.home().tasks().note(me.task.id, me.task.claim, encode(me.notes_now()));
            if (verdict == report_verdict::lease_lost)
                throw lease_lost{"task " + me.id() + " is no longer this attempt's"};
            me.written_ = carries;
        } catch (...) {
            me.refused_ = std::current_exception();
        }
        me.answered_->open();
    }
    me.writing_ = false;
}

}  // namespace errand
