// The reports that wait to be sent, and which claims are over.
//
// Invariant: a report stays here until the store has accepted or refused it. A claim is closed by the call that carries
// the last of its reports, and never while another call carries one: that call may have to be repeated, and by then the
// lease would be gone by which others find its tasks if this worker dies.
#pragma once

#include "store/store.hpp"
#include "worker/leased_tasks.hpp"
#include "worker/worker_shared.hpp"

#include <atomic>
#include <span>
#include <string>
#include <unordered_map>
#include <vector>

namespace errand {

// On its loop's thread only, but for pending().
class reporter {
public:
    reporter(worker_shared& shared, leased_tasks& leased) : shared_{shared}, leased_{leased} {}

    void claimed(std::span<const claimed_task> tasks);
    void add(report&& one, leased_tasks::index leased_at, std::string handler);

    // Something is to be sent; a claim to be closed counts as one.
    std::size_t waiting() const noexcept { return reports_.empty() ? closed_.size() : reports_.size(); }
    bool empty() const noexcept {
        return reports_.empty() && closed_.empty() && on_their_way_ == 0 && later_.empty();
    }

    // From any thread: how many the store has neither accepted nor refused.
    std::size_t pending() const noexcept { return pending_.load(std::memory_order_relaxed); }

    // What one call takes along.
    struct batch {
        std::vector<leased_tasks::index> leased_at;
        std::vector<std::string> handlers;  // for events; empty when nobody listens
    };
    batch load(work_call& call);
    // The call was answered.
    void delivered(const work_call& call, const batch& sent, const work_answer& answer);
    // What became of a report that was answered `later`.
    void answered(const task_id& id, claim_number claim, report_verdict verdict);
    // It failed: everything waits again.
    void put_back(work_call& call, batch sent);

private:
    struct open_claim {
        std::size_t unreported = 0;  // tasks of which no call carries a report
        std::size_t under_way = 0;   // reports in calls
    };
    // Calls `change` for the claim of each report that is still open, then closes it if that was the last.
    template <class Change>
    void for_open(const std::vector<report>& reports, Change change);
    void delivered_in_part(const work_call& call, const batch& sent, const work_answer& answer);
    void landed();
    // Written by its own thread alone.
    void more_pending(std::size_t n) noexcept { pending_.store(pending() + n, std::memory_order_relaxed); }
    void less_pending(std::size_t n) noexcept { pending_.store(pending() - n, std::memory_order_relaxed); }
    void tell(const report& one, const std::string& handler, report_verdict verdict);

    worker_shared& shared_;
    leased_tasks& leased_;
    std::vector<report> reports_;
    batch waiting_;  // of reports_
    std::atomic<std::size_t> pending_{0};
    std::vector<claim_number> closed_;
    std::unordered_map<claim_number, open_claim> open_;
    std::size_t on_their_way_ = 0;  // calls that carry reports
    // Reports that a shard has in its hands which is away.
    struct late_report {
        report what;
        leased_tasks::index leased_at;
        std::string handler;
    };
    std::vector<late_report> later_;
    // What a shard said of such a report before the call that brought it was answered by the others.
    struct early_answer {
        task_id id;
        claim_number claim;
        report_verdict verdict;
    };
    std::vector<early_answer> early_;
};

}  // namespace errand
