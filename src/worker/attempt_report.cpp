#include "worker/attempt_report.hpp"

#include "core/gates.hpp"
#include "core/job_rules.hpp"

#include <algorithm>
#include <utility>

namespace errand {
namespace {

constexpr duration wish_is_kept_for = std::chrono::days{1};

// Attempts are counted in the outcome itself; notes go with it only when they say more.
bool say_more(const task_notes& notes) {
    return !notes.errors.empty() || !notes.log.empty() || notes.progress > 0 ||
           !notes.progress_text.empty() || notes.lost_leases > 0 || notes.wish || notes.flow;
}

bool says_nothing(const task_notes& notes) {
    return !say_more(notes) && notes.attempts == 0 && notes.unknown_handler == 0 && !notes.snoozed;
}

state end_of(verdict kind) {
    switch (kind) {
    case verdict::bury: return state::dead;
    case verdict::expire: return state::expired;
    default: return state::success;
    }
}

void set_end(report& out, decision& decided, const attempt_terms& terms, const attempt_facts& facts,
             std::string result) {
    task_outcome outcome;
    outcome.ended_as = end_of(decided.kind);
    // Only a success holds its biz_id.
    if (decided.kind == verdict::succeed) outcome.unique_for = terms.unique_for;
    outcome.retention = terms.job && decided.kind == verdict::bury ? dead_job_is_kept_for : terms.retention;
    // Its schedule has not heard it yet, and is to hear it also when no worker is there for a while.
    if (decided.notes.wish) outcome.retention = std::max(outcome.retention, wish_is_kept_for);
    outcome.started_at = facts.started_at ? facts.started_at : decided.notes.started_at;
    outcome.attempts = decided.notes.attempts;
    outcome.worker = facts.started_at ? std::string{facts.worker} : std::move(decided.notes.worker);
    outcome.result = std::move(result);
    if (say_more(decided.notes)) outcome.notes = std::move(decided.notes);
    // What pause_on_dead says when it dies counts, not what it said when it was made.
    const bool died = outcome.ended_as == state::dead && schedule_of(facts.body);
    out.tells_schedule = tells_end(facts.body) || died || (outcome.notes && outcome.notes->wish);
    out.what = report::kind::end;
    out.ended_as = outcome.ended_as;
    out.retention = outcome.retention;
    out.record = encode_end(outcome, facts.now, facts.body);
    out.sealed_body = facts.sealed_body;
}

void set_return(report& out, decision& decided, const attempt_facts& facts) {
    if (facts.started_at) {
        decided.notes.started_at = facts.started_at;
        decided.notes.worker = std::string{facts.worker};
    }
    const bool back = decided.kind == verdict::give_back;
    out.what = back && decided.strange             ? report::kind::aside
               : back                              ? report::kind::give_back
               : decided.kind == verdict::fail     ? report::kind::retry
               : decided.kind == verdict::postpone ? report::kind::aside
                                                   : report::kind::later;
    out.delay = decided.delay;
    out.strange = decided.strange;
    if (!back || decided.strange || !says_nothing(decided.notes)) out.record = encode(decided.notes);
}

// The decision knows what failed; who ran the attempt, and since when, is known here.
void sign_error(task_notes& notes, const attempt_facts& facts) {
    if (!facts.started_at || notes.errors.empty() || !notes.errors.back().worker.empty()) return;
    notes.errors.back().started_at = facts.started_at;
    notes.errors.back().worker = std::string{facts.worker};
}

}  // namespace

report report_of(decision decided, const attempt_terms& terms, const attempt_facts& facts,
                 std::string result) {
    report out;
    out.id = facts.id;
    out.claim = facts.claim;
    out.queue = std::string{facts.queue};
    out.priority = facts.priority;
    out.had_notes = facts.had_notes;
    out.gated = !gates_of(facts.body).empty();
    sign_error(decided.notes, facts);
    switch (decided.kind) {
    case verdict::succeed:
    case verdict::bury:
    case verdict::expire: set_end(out, decided, terms, facts, std::move(result)); break;
    default: set_return(out, decided, facts); break;
    }
    return out;
}

}  // namespace errand
