#include "worker/active_task.hpp"

#include <errand/detail/engine.hpp>
#include <errand/error.hpp>

#include "runtime/on_loop.hpp"
#include "worker/executor.hpp"
#include "worker/stage_runner.hpp"

#include <boost/asio/co_spawn.hpp>
#include <boost/asio/detached.hpp>

#include <algorithm>
#include <cmath>

namespace errand {

namespace asio = boost::asio;

active_task::active_task(executor& by, claimed_task claimed, leased_tasks::index at)
    : task{std::move(claimed)}, leased_at{at}, by_{by} {}

active_task::~active_task() = default;

task_logger& active_task::log() {
    const auto& app = by_.app();
    return log_.of(*app.log, body.handler, id(), number,
                   app.serves_several() ? name_space() : std::string_view{});
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
    return {task.id, task.claim, task.queue, body.priority, noted_ || !task.notes.empty(), started_at,
            worker,  task.body,  now};
}

// ---- slot ------------------------------------------------------------------------------------------

void active_task::yield_slot() {
    if (waits_ == 0) by_.one_more_waits();
    ++waits_;
    if (slot_ == slot_state::held) {
        slot_ = slot_state::away;
        by_.slot_is_free();
    }
}

// While any branch waits, the others go on without a slot: taking it back for them could leave none for the
// very tasks that are waited for.
awaitable<void> active_task::regain_slot() {
    if (--waits_ > 0) co_return;
    by_.one_less_waits();
    if (slot_ != slot_state::away) co_return;
    slot_ = slot_state::coming;
    std::exception_ptr cancelled;
    try {
        co_await by_.slots().regain();
    } catch (...) {
        cancelled = std::current_exception();
    }
    if (slot_ == slot_state::given_up) {
        by_.slot_is_free();
    } else if (waits_ > 0) {
        slot_ = slot_state::away;
        by_.slot_is_free();
    } else {
        slot_ = slot_state::held;
    }
    if (cancelled) std::rethrow_exception(cancelled);
}

// A branch that nobody awaits may wait on: it counts as waiting until it ends.
void active_task::give_up_slot() {
    const bool held = slot_ == slot_state::held;
    slot_ = slot_state::given_up;
    if (held) by_.slot_is_free();
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
    notes.progress_text = std::move(text);
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
