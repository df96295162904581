// The reports that wait to be sent, and which claims are over.
//
// Invariant: a report stays here until the store has accepted or refused it. A claim is `closed` once the
// last of its tasks is reported; its lease is held until then.
#pragma once

#include "store/store.hpp"
#include "worker/frame.hpp"
#include "worker/held_tasks.hpp"

#include <span>
#include <string>
#include <unordered_map>
#include <vector>

namespace errand {

// On its loop's thread only.
class reporter {
public:
    reporter(worker_frame& frame, held_tasks& held) : frame_{frame}, held_{held} {}

    void claimed(std::span<const claimed_task> tasks);
    void add(report one, held_tasks::place place, std::string handler);

    std::size_t waiting() const noexcept { return reports_.size(); }
    bool empty() const noexcept { return reports_.empty() && closed_.empty() && on_their_way_ == 0; }

    // What one call takes along.
    struct batch {
        std::vector<held_tasks::place> places;
        std::vector<std::string> handlers;  // for events; empty when nobody listens
    };
    batch load(work_call& call);
    // The call was answered.
    void delivered(const work_call& call, const batch& sent, const work_answer& answer);
    // It failed: everything waits again.
    void put_back(work_call& call, batch sent);

private:
    void tell(const report& one, const std::string& handler, report_verdict verdict);

    worker_frame& frame_;
    held_tasks& held_;
    std::vector<report> reports_;
    batch waiting_;  // of reports_
    std::vector<claim_number> closed_;
    std::unordered_map<claim_number, std::size_t> open_;  // tasks not yet reported
    std::size_t on_their_way_ = 0;                        // calls that carry reports
};

}  // namespace errand
