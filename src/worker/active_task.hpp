// One attempt of one task: what the handler sees of it, and what its end needs.
//
// It is kept alive by the executor that its coroutines run on, so it outlives all of them. Everything but
// log(), cancelled() and the facts belongs to the thread of its home loop.
#pragma once

#include "core/attempt_lane.hpp"
#include "core/attempt_rules.hpp"
#include "runtime/ambient.hpp"
#include "runtime/handlers.hpp"
#include "runtime/open_span.hpp"
#include "runtime/running_task.hpp"
#include "worker/attempt_report.hpp"
#include "worker/attempt_schedule.hpp"
#include "worker/attempt_stages.hpp"
#include "worker/bundle_run.hpp"
#include "worker/deadlines.hpp"
#include "worker/leased_tasks.hpp"
#include "worker/slot_pool.hpp"
#include "worker/task_log.hpp"

#include <boost/asio/cancellation_signal.hpp>
#include <boost/intrusive/list.hpp>
#include <boost/json/monotonic_resource.hpp>
#include <boost/json/value.hpp>

#include <array>
#include <atomic>
#include <memory>

namespace errand {

class executor;
struct yielded_gates;
struct live_tag;
using live_hook = boost::intrusive::list_base_hook<boost::intrusive::tag<live_tag>>;

class active_task final : public running_task,
                          public timed,
                          public live_hook,
                          public std::enable_shared_from_this<active_task> {
public:
    active_task(executor& by, claimed_task&& claimed, leased_tasks::index at);
    ~active_task() override;

    // ---- what the handler sees ----
    std::string id() const override { return to_text(task.id); }
    const std::string& handler() const override { return body.handler; }
    const std::string& queue() const override { return task.queue; }
    int attempt() const override { return number; }
    const std::map<std::string, std::string>& headers() const override { return body.headers; }
    time_point deadline() const override { return until; }
    std::uint64_t fence() const override { return task.claim; }
    bool cancelled() const override { return told_to_stop.load(std::memory_order_relaxed); }
    task_logger& log() override;
    // A line that says in the program's log less than in the task's.
    void warn(std::string_view shown, std::string_view kept);
    schedule_run* schedule() override;
    const std::string& name_space() const override;
    void fail_item(std::size_t index, std::string why) override;
    awaitable<void> progress(double done, std::string text) override;

    awaitable<std::string> stored_result(std::string id) override;
    detail::effect_key effect() const override { return {id(), body.life, terms.retention}; }

    // ---- its slot ----
    void yield_slot() override;
    awaitable<void> regain_slot() override;
    // Its coroutine has ended: what it holds is given back. Its executor tells of that.
    void give_up_slot();
    // It was told to stop: it waits for its gates no longer.
    void hurry();

    // What it asked of its schedule.
    schedule_wish wish() const { return schedule_ ? schedule_->wish() : schedule_wish{}; }

    // Its stages, known from the first use on.
    attempt_stages& stages();

    // The notes as they stand, with what was logged.
    task_notes notes_now() const;
    attempt_facts facts(std::string_view worker, time_point now) const;

    claimed_task task;
    const leased_tasks::index leased_at;
    task_body body;
    task_notes notes;
    int number = 1;
    const known_handler* known = nullptr;
    bool goes_by_name = false;                    // of its handler, and by no alias
    std::shared_ptr<const handler_settings> set;  // of its handler at run time
    attempt_terms terms;
    std::string locked;                             // of what this program has no key for: why
    int locked_before = 0;                          // notes.locked as it was claimed
    std::string joins;                              // an item's encoded joining
    std::unique_ptr<bundle_run> bundle;             // of a run over items, once they are read
    std::optional<time_point> started_at;           // by the store's clock
    std::optional<duration> waited;                 // see wait_of(); once it has started
    attempt_cells* counted = nullptr;               // where its start was counted, if in a lane
    time_point until = time_point::max();           // by this machine's
    std::chrono::steady_clock::time_point began{};  // when its coroutine was started

private:
    // Arguments of usual size need no allocation of their own.
    std::array<unsigned char, 512> args_buffer_;
    boost::json::monotonic_resource args_memory_{args_buffer_.data(), args_buffer_.size()};

public:
    std::optional<boost::json::value> args;  // an array, in that memory
    detail::call_stage stage = detail::call_stage::decoding;
    boost::json::storage_ptr args_storage() noexcept { return &args_memory_; }

    ambient around;
    std::unique_ptr<open_span> span;                           // while it runs, where somebody takes spans
    std::shared_ptr<boost::asio::cancellation_signal> cancel;  // of the coroutine that it runs in
    std::atomic<bool> told_to_stop{false};
    bool withdrawn = false;  // it is no longer this worker's, and that was told
    bool given_up = false;   // it was reported although its coroutine goes on
    bool dying = false;      // its handler hears that the task is dead, and nothing stops that
    attempt_end cause =
        attempt_end::threw;             // what a failure means: why it was told to stop, the first reason
    std::shared_ptr<active_task> self;  // while it runs

private:
    void deadline_passed() override;
    awaitable<std::string> run_stage(std::string name, stage_options how,
                                     const detail::stage_body& function) override;
    awaitable<void> tell_progress(double done, std::string text);
    static awaitable<void> write_notes(std::shared_ptr<active_task> of);

    void leave_gates();
    bool holds_gates() const;

    executor& by_;

    enum class slot_state : unsigned char { held, away, coming, given_up };
    slot_state slot_ = slot_state::held;
    int waits_ = 0;                         // branches of it that wait for other tasks
    std::shared_ptr<yielded_gates> gates_;  // from the first wait on, of a task that has some

    unsigned told_ = 0;     // progress, counted
    unsigned written_ = 0;  // how much of that the store has
    bool writing_ = false;
    bool noted_ = false;  // the store may hold notes that this attempt wrote
    std::exception_ptr refused_;
    std::unique_ptr<async_gate> answered_;

    std::unique_ptr<attempt_stages> stages_;  // most tasks have none
    std::unique_ptr<attempt_schedule> schedule_;
    task_log log_;
};

}  // namespace errand
