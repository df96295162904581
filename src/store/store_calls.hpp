// What a store is asked and what it answers: data only. The seam itself is store.hpp.
#pragma once

#include <errand/time.hpp>

#include "core/dependency_rules.hpp"
#include "core/record.hpp"
#include "core/task_id.hpp"
#include "store/limit_store.hpp"

#include <cstdint>
#include <optional>
#include <string>
#include <vector>

namespace errand {

// Grows with every claim in a shard and is never repeated: the fence of the tasks that the claim took.
using claim_number = std::uint64_t;

// ---- claim and finish -----------------------------------------------------------------------------------------------

struct claim_request {
    std::vector<std::string> queues;  // in the order in which to look
    std::size_t limit = 0;            // free slots; 0: claim nothing
    duration lease{30'000};
    bool apart = false;        // each task comes under a claim of its own, else all under one
    bool takes_given = false;  // the listener hears task_given()
    // Always the same queues: what a store of several shards learns of one claim is of use for the next.
    bool keeps_queues = false;
    // Of those: it comes again when the listener hears woken(), and a shard where this worker waits since an earlier claim need not
    // be asked, nor a queue.
    bool trusts_wakes = false;
    // Others want them: it fails rather than waits for a store that is kept otherwise than it was when this was opened.
    bool shares_slots = false;
};

struct claimed_task {
    task_id id;
    claim_number claim = 0;
    std::string queue;
    std::string body;           // an encoded task_body
    std::string notes;          // encoded task_notes, empty when there are none
    bool handed = false;        // of recovered ones: it was handed over, and maybe never arrived
    std::string sealed_body{};  // as the store keeps the body, where its content is encrypted
};

// What a worker says of a task it claimed.
struct report {
    enum class kind : std::uint8_t {
        end,    // ended: `record` is what encode_end() makes of outcome and body
        retry,  // an attempt failed: `record` is the new notes, due after `delay`
        later,  // snooze: likewise
        aside,  // its worker does not know its handler: it stands aside for adopt(); `record` is the new notes
        give_back,  // to the head of its queue at once; `record` is the new notes (empty: unchanged)
        join,       // it waits in the open bundle of its key, or begins one; `record` is an encoded joining
        regroup,    // it lacked gates: at once to the end of its group; `record` is its body with them
    };
    task_id id;
    claim_number claim = 0;
    kind what = kind::end;
    std::string queue;
    int priority = 0;
    bool expires = false;    // its body has expires_after
    bool had_notes = false;  // the store holds notes of it (the claim brought some, or note() wrote some)
    state ended_as = state::success;
    std::string record;
    duration delay{0};
    duration retention{0};        // of an ended task; 0: nothing is kept
    bool tells_schedule = false;  // of an end: the schedule whose run it is is to hear of it
    bool again = false;           // it was in a call that failed, which the store may have done all the same
    bool gated = false;           // its body has gates: it holds them under this claim
    bool strange =
        false;  // some workers do not know its handler: when it is due it stands aside for the others
    std::string
        sealed_body{};  // of an end: what the claim had; sealing it anew costs as much as all else of the end
};

// It is to go on later, or waits in a bundle that closes by itself: whoever claims where it was reported, with that or after it, hears
// when to look.
constexpr bool sets_a_time(const report& of) noexcept {
    return of.what == report::kind::retry || of.what == report::kind::later || of.what == report::kind::join;
}

enum class report_verdict : std::uint8_t { accepted, lease_lost };

struct work_call {
    std::size_t lane = 0;  // one call in flight per lane
    std::vector<report> reports;
    std::vector<claim_number> closed;  // claims whose last task is reported in this call or was before
    claim_request claim;
};

struct work_answer {
    std::vector<report_verdict> verdicts;  // one per report, in order
    // Of these reports the verdict is not known yet: the listener hears it with report_answered(), and until then the
    // store has them in its hands. Only a store of several shards does so, for one that is away.
    std::vector<std::size_t> later{};
    std::vector<claimed_task> claimed;
    std::optional<time_point>
        next_due;  // when this worker should look next; set when fewer than asked were claimed. Now: one answer could not carry more
    bool skipped = false;  // not all was looked at, as the claim trusts wakes
    time_point now{};      // the store's clock
};

// For tasks that stand aside because whoever claimed them does not know their handler.
struct adopt_call {
    std::vector<std::string> queues;
    std::vector<std::string> handlers;  // that this worker knows, by all their names
    std::size_t limit = 0;              // free slots; 0: only asks whether there are any
    duration lease{30'000};
    bool all_but =
        false;  // those are the ones that it does not take: it takes all others, and hears nothing of them
};

struct adopt_answer {
    std::vector<claimed_task> tasks{};
    bool more = false;  // there are some, or may be, that were not taken
};

struct extend_call {
    // One under which none of the tasks is that are named with it stays as it is.
    std::vector<claim_number> claims;
    std::vector<std::pair<task_id, claim_number>> tasks;  // those still running under them
    duration lease{30'000};
    bool never_shorter = false;  // a lease that ends later than that stays as it is
};

struct extend_answer {
    std::vector<claim_number> lost_claims;  // their leases ran out: every task under them is lost
    std::vector<std::pair<task_id, claim_number>> lost_tasks;  // cancelled, or taken over
    // Their shard has not answered: nobody knows whether they are extended.
    std::vector<std::pair<task_id, claim_number>> unheard{};
};

// An attempt that waits for other tasks lets these through its gates, and holds them again before it goes on.
struct yield_wish {
    task_id id;
    claim_number claim = 0;
    bool back = false;  // it goes on; else it waits from now on
};

enum class yield_verdict : std::uint8_t {
    done,  // its gates are given back, or it holds them and goes on
    in_line,  // it goes on as soon as its gates have room: before all that have not started. The listener hears may_go_on()
    lost,  // the task is no longer this claim's
};

struct stages_answer {
    report_verdict verdict = report_verdict::accepted;
    std::string records;  // as decode_stages() reads them; empty for none
};

// ---- look -----------------------------------------------------------------------------------------------------------

struct ended_task {
    task_id id;
    incarnation life = 0;
    time_point finished_at{};
    std::string outcome;  // an encoded task_outcome
};

struct found_task {
    task_id id;
    state where = state::ready;
    std::string body;
    std::string notes;                      // may be empty
    std::optional<time_point> due_at;       // delayed, retry; absent of a delayed one that stands aside
    std::optional<time_point> finished_at;  // ended
    std::string outcome;                    // ended
    claim_number claim = 0;                 // working
    std::string worker;                     // working
    std::optional<time_point> claimed_at;   // working, as far as the store knows
    std::string stages;                     // as decode_stages() reads them; may be empty
    std::vector<task_id> needs;             // waiting: some of those whose end it needs
    std::size_t needed = 0;                 // waiting: how many they are
    bool registering = false;               // waiting: its submission is not complete
    std::size_t failed = 0;                 // how many of those it waited for ended otherwise than by success
    std::vector<closed_gate> closed{};      // ready: the gates that are closed to it now
    time_point now{};
    std::string
        sealed_with{};  // the id of the key that its arguments are kept encrypted with, and were opened with
};

struct list_item {
    found_task task;
    time_point order{};  // lists of one state are merged by this
    std::string cursor;
};

struct watched_task {
    task_id id;
    incarnation life = 0;  // 0: any
};

struct watch_answer {
    std::vector<ended_task> ended;       // these had ended already
    std::vector<task_id> unknown;        // the store knows nothing of these
    std::vector<watched_task> replaced;  // the ids of these have another life now
    std::vector<watched_task> gone;      // these have ended and were deleted since
    time_point now{};
};

struct recover_answer {
    std::vector<claimed_task> tasks;     // under a new claim of this worker
    std::optional<time_point> next_end;  // when the next lease runs out unless it is extended
    time_point now{};
};

struct cancel_answer {
    bool known = false;
    bool cancelled = false;  // it is cancelled now, whoever did it
};

struct beat_answer {
    std::size_t alive = 0;  // workers in the namespace
    bool looks = false;     // this one is to promote() now: nobody has for a while
};

struct promote_answer {
    std::size_t promoted = 0;
    std::size_t expired = 0;
    std::optional<time_point> next_due;
    time_point now{};
};

// ---- depend ---------------------------------------------------------------------------------------------------------

struct links_from {
    task_id of;
    std::optional<task_id> after{};  // the last one seen
};

struct links_page {
    std::vector<task_id> others{};
    bool more = false;
};

// How a parent stands when a child is registered with it.
enum class standing : char {
    open = '-',    // it has not ended, or there are news of it
    absent = '?',  // the store knows nothing of it
    success = 's',
    dead = 'd',
    cancelled = 'c',
    expired = 'x',
    told =
        '!',  // of depend_mode::note: how it ended before is being told, so the child is not registered yet
};

enum class depend_mode : char {
    look = 'l',  // the child is to hear of the parents; how do they stand?
    note = 'w',  // the same of those that begin with the same submission: of their new life, not of the last
    forget = 'x',  // the child need not hear of them
};

struct news {
    task_id about;
    tidings what = tidings::check;
    std::string token{};           // shown again by delivered()
    std::vector<task_id> heirs{};  // who is to hear of it; the first page. Of `ran`: the run
    bool more = false;
};

struct news_answer {
    std::vector<news> entries;
    std::optional<time_point> next;  // when there will be more, as far as is known
    time_point now{};
};

struct resolution {
    task_id parent;
    tidings what = tidings::check;
    std::string
        cancelled{};  // encoded outcome of those that are cancelled because of it; of `bundled`: of all of
                      // them, or what core/bundles.hpp says instead
    std::vector<task_id> children{};
};

struct delivery {
    task_id about;
    tidings what = tidings::check;
    std::string token{};
    bool last = false;            // all have heard
    std::vector<task_id> done{};  // these need not hear of it again
};

enum class confirm_verdict : std::uint8_t {
    accepted,
    walk,       // others depend on it: a cycle is to be looked for first
    lost,       // it is not there any more
    withdrawn,  // it is being taken back: withdraw() goes on with that
};

}  // namespace errand
