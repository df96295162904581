// Lets others through the gates of attempts that wait for other tasks, and has them hold these again before they go on.
//
// Invariant: an attempt that goes on holds its gates, as the store has said; but for one that was told to stop, which only ends.
// A wish that was not sent yet is dropped when the opposite is wished: who does not wait in fact costs no call.
#pragma once

#include "runtime/async_gate.hpp"
#include "worker/worker_shared.hpp"

#include <boost/asio/steady_timer.hpp>

#include <atomic>
#include <deque>
#include <memory>
#include <vector>

namespace errand {

// What one attempt holds of its gates, as far as that is known.
struct yielded_gates {
    yielded_gates(const boost::asio::any_io_executor& executor, const task_id& of, claim_number by)
        : id{of}, claim{by}, changed{executor} {}

    enum class standing : unsigned char { held, given_back, in_line, unknown, lost };

    const task_id id;
    const claim_number claim;
    standing now = standing::held;
    bool wants_back = false;
    bool queued = false;
    bool asks_again = false;  // it was told to ask while a call was under way
    bool over = false;        // the attempt has ended
    async_gate changed;

    bool needs_call() const noexcept {
        if (over || now == standing::lost) return false;
        return now != (wants_back ? standing::held : standing::given_back);
    }
};

// On its loop's thread only.
class gate_yielder {
public:
    using gates = std::shared_ptr<yielded_gates>;

    gate_yielder(worker_shared& shared, loop& home);

    gates of(const task_id& id, claim_number claim);
    // It waits now.
    void leave(const gates& one);
    // Completes when it may go on: see `may_go_on`.
    awaitable<void> come_back(gates one, const std::atomic<bool>& told_to_stop);
    // It holds them, or never will.
    bool may_go_on(const yielded_gates& one, const std::atomic<bool>& told_to_stop) const noexcept;
    // The attempt has ended: its report gives back what it holds.
    void forget(const gates& one);

    // The store says so of this task; or all may have missed it.
    void look(const task_id& id);
    void look_at_all();
    // Nobody waits any longer.
    void stop();

private:
    void put(const gates& one);
    awaitable<void> run();
    awaitable<void> send();
    void answered(const gates& one, bool back, yield_verdict verdict);
    awaitable<void> recover_from(std::exception_ptr failure);

    worker_shared& shared_;
    loop& home_;
    boost::asio::steady_timer pause_;
    std::deque<gates> queue_;  // what they want is to be sent, if it is not so already
    std::vector<gates> sent_;  // in the call under way
    std::vector<gates> in_line_;
    bool running_ = false;
    bool failed_ = false;  // it waits before it calls again
    bool stopped_ = false;
};

}  // namespace errand
