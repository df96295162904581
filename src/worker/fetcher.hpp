// Brings reports out and claimed tasks in, both in the same calls.
//
// There is no timer: a lane sends as soon as there is something to send, and what gathers while its call is
// under way goes with the next. So a lone report leaves at once, and under load a call carries many.
#pragma once

#include "runtime/async_gate.hpp"
#include "worker/executor.hpp"
#include "worker/reporter.hpp"
#include "worker/slot_shares.hpp"
#include "worker/worker_shared.hpp"

#include <array>
#include <chrono>
#include <deque>

namespace errand {

// On its loop's thread only.
class fetcher {
public:
    // `settled`: told when nothing is to be reported and no call under way.
    fetcher(worker_shared& shared, loop& home, slot_share slots, reporter& reports,
            std::function<void()> settled);

    // Its counterpart; set once, before start().
    void feeds(executor& to) noexcept { executor_ = &to; }
    void start();
    // There may be tasks that this worker can claim.
    void woken();
    // This one came without being asked for.
    void given(claimed_task task);
    // Slots that others had reserved were taken, or are free again.
    void settled();
    // There are reports, or slots have become free.
    void look();
    void stop_claiming();
    // After the store was closed: lanes end.
    void stop();
    // Nothing to report and nothing under way.
    bool idle() const noexcept { return reports_.empty() && in_flight_ == 0 && given_.empty(); }

    // One call of this lane. Throws what the store throws, after the reports are back in the queue.
    awaitable<void> pass(std::size_t lane);

private:
    awaitable<void> run(std::size_t lane);
    // Not to wait for ever for a wake-up that was lost, whatever lost it.
    awaitable<void> claim_now_and_then();
    awaitable<void> recover_from(std::exception_ptr failure);
    void tell_wish();
    bool wanted(std::size_t lane) const;
    std::size_t claimable() const;
    std::size_t claim_limit() const;
    void take_given();
    void tell_claimed(const claimed_task& task) const;
    void look_after_put_off(const std::vector<report>& reports) const;
    void learn(const work_call& call, const work_answer& answer, unsigned wakes_before);

    struct lane_state {
        explicit lane_state(const boost::asio::any_io_executor& executor) : gate{executor} {}
        async_gate gate;
        bool waits = false;
        bool in_flight = false;
    };

    worker_shared& shared_;
    loop& home_;
    slot_share slots_;
    reporter& reports_;
    std::function<void()> settled_;
    executor* executor_ = nullptr;
    std::array<lane_state, store::work_lanes> lanes_;
    boost::asio::steady_timer pause_;
    boost::asio::steady_timer soon_;
    boost::asio::steady_timer again_;
    std::chrono::steady_clock::time_point claimed_at_{};  // the last claim that skipped nothing was answered
    bool doubts_ = false;             // it may have missed a wake: nothing is to be skipped
    std::deque<claimed_task> given_;  // not taken yet
    std::size_t in_flight_ = 0;
    unsigned wakes_ = 0;
    bool claims_ = true;
    bool hungry_ = true;   // there may be more than was claimed
    bool plenty_ = false;  // the last claim got all it asked for
    bool stopped_ = false;
    int resting_ = 0;  // lanes that wait after a failure
    std::optional<time_point> told_due_;
};

}  // namespace errand
