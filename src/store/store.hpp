// The one seam between errand and what keeps its tasks.
//
// Every call is one transition of the state table, atomic, and takes a batch: it answers per item, and one bad item
// never fails its neighbours. A call returns once the store has answered; a store repeats by itself what an abort left
// ambiguous (each changing call carries its lane's number, so that a repeat changes nothing), and throws store_error
// only when its patience is used up. All times are the store's own.
//
// A store object belongs to one thread: all calls are made on the executor it was opened with.
#pragma once

#include <errand/awaitable.hpp>
#include <errand/time.hpp>

#include "core/dependency_rules.hpp"
#include "core/record.hpp"
#include "core/task_id.hpp"
#include "store/collect_store.hpp"
#include "store/figures_store.hpp"
#include "store/inspection.hpp"
#include "store/limit_store.hpp"
#include "store/quota_store.hpp"
#include "store/schedule_store.hpp"
#include "store/settings_store.hpp"
#include "store/submission.hpp"

#include <cstdint>
#include <memory>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <vector>

namespace errand {

// Grows with every claim in a shard and is never repeated: the fence of the tasks that the claim took.
using claim_number = std::uint64_t;

// ---- claim and finish -----------------------------------------------------------------------------------------------

struct claim_request {
    std::vector<std::string> queues;  // in the order in which to look
    std::size_t limit = 0;            // free slots; 0: claim nothing
    duration lease{30'000};
    bool takes_given = false;  // the listener hears task_given()
    // Always the same queues: what a store of several shards learns of one claim is of use for the next.
    bool keeps_queues = false;
    // Of those: it comes again when the listener hears woken(), and a shard where this worker waits since an earlier claim need not
    // be asked.
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
};

enum class depend_mode : char {
    look = 'l',    // the child is to hear of the parents; how do they stand?
    note = 'w',    // the same, without a look at them: they begin with the same submission
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

// What comes without being asked for. Called on the store's executor; must not throw and must not wait.
class store_listener {
public:
    virtual ~store_listener() = default;
    // There may be work, or the connection was new-made and something may have been missed: claim now.
    virtual void woken() {}
    // A task was submitted and handed to this worker, which had claimed fewer than it asked for and said that it takes such:
    // it is under a claim, and the worker does not wait in its queue any more.
    virtual void task_given(claimed_task) {}
    // Tasks may stand aside whose handlers this worker knows: adopt() takes them.
    virtual void stands_aside() {}
    // Somebody should take the news: tasks that others depend on have ended.
    virtual void news_came() {}
    // A schedule is to be looked at earlier than was said.
    virtual void schedules_changed() {}
    // What is set of handlers is another, or may be.
    virtual void settings_changed() {}
    // A task this worker runs was cancelled from outside.
    virtual void task_cancelled(const task_id&) {}
    // A task of this worker that stood in line at its gates may run, or may soon: yield_gates() says.
    virtual void may_go_on(const task_id&) {}
    // A watched task ended. An empty outcome is too large to be told: watch() again gives it.
    virtual void task_ended(const ended_task&) {}
    // What became of a report that was answered `later`.
    virtual void report_answered(const task_id&, claim_number, report_verdict) {}
    // The connection was lost and is back: watches have to be made again.
    virtual void reconnected() {}
};

class store : public schedule_store,
              public limit_store,
              public settings_store,
              public collect_store,
              public quota_store,
              public figures_store {
public:
    virtual ~store() = default;

    // Connects and checks version, settings and format; throws store_error saying what to do.
    virtual awaitable<void> open() = 0;
    // Ends the connection; calls in flight end with store_error. Safe to call twice.
    virtual void close() = 0;
    virtual void listen(store_listener* to) = 0;
    // Unique in the namespace: the worker under which this object claims, and the channel on which it is woken.
    virtual const std::string& name() const = 0;

    // Where the store's clock stands now, as measured by the last answer. No round trip.
    virtual time_point now() const = 0;

    // What tells the claims of this process from others of the same number: eight hexadecimal digits. Empty: no two have the
    // same.
    virtual std::string_view claim_mark() const { return {}; }
    // From here on this number is that of the claim that the process of this mark has made. To be said again before each
    // call about it: only so many are remembered.
    virtual void know_claim(claim_number, std::string_view /*mark*/) {}

    // Into how many shards the namespace is divided. A call is one step in each shard that it concerns.
    virtual std::size_t shards() const { return 1; }
    virtual std::size_t shard_of(const task_id&) const { return 0; }

    // A batch over several shards has been waiting for this one's answer for longer than is usual.
    virtual bool is_late(std::size_t) const { return false; }

    // Lanes 0 .. submit_lanes-1, and from there on as many as batches over several shards need; one call in flight per lane
    // and shard.
    static constexpr std::size_t submit_lanes = 2;
    static constexpr std::size_t lane_of_several_shards = submit_lanes;
    virtual awaitable<std::vector<submit_answer>> submit(std::size_t lane,
                                                         std::span<const submission_item> items,
                                                         submit_mode mode) = 0;
    // What one call carries, give or take one item: on a line of 1 Mbit/s it is sent in four seconds, which is well under a
    // lease and store_timeout.
    static constexpr std::size_t most_bytes_per_call = std::size_t{512} * 1000;
    // These do not come again. What nobody says that of is remembered for so long.
    static constexpr duration remembers_for = std::chrono::days{200};
    virtual awaitable<void> forget(std::span<const delivered_task> tasks) = 0;
    static constexpr std::size_t work_lanes = 2;
    virtual awaitable<work_answer> work(const work_call& call) = 0;
    // It has no free slot, although a claim of it found too little: what it may be woken for falls to others.
    virtual awaitable<void> busy(std::span<const std::string> queues) = 0;
    // Takes tasks that stand aside under a new claim. One call in flight. Whoever found fewer than it asked for hears
    // stands_aside() when there are some again, as far as the store knows which handlers it knows: beat() has told it.
    virtual awaitable<adopt_answer> adopt(const adopt_call& call) = 0;
    virtual awaitable<extend_answer> extend(const extend_call& call) = 0;
    // One call in flight. Each wish may be repeated. So many in one call.
    static constexpr std::size_t yields_per_call = 500;
    virtual awaitable<std::vector<yield_verdict>> yield_gates(std::span<const yield_wish> wishes) = 0;
    // Replaces the notes of a task this worker runs; lease_lost when it is no longer its own.
    virtual awaitable<report_verdict> note(const task_id& id, claim_number claim, std::string notes) = 0;
    // Keeps an encoded stage_record with a task this worker runs, behind those of the same life; a second one of its name
    // changes nothing. lease_lost when the task is no longer its own.
    virtual awaitable<report_verdict> stage(const task_id& id, claim_number claim, incarnation life,
                                            std::string record) = 0;
    // What is kept of the stages of a task this worker runs.
    virtual awaitable<stages_answer> stages(const task_id& id, claim_number claim) = 0;
    // Makes what is due ready, ends what has expired (with this encoded outcome), wakes an idle worker of every queue
    // that has ready tasks.
    virtual awaitable<promote_answer> promote(std::span<const std::string> queues, std::size_t limit,
                                              std::string_view expired_outcome) = 0;
    // Takes over about `limit` tasks whose lease has run out, under a new claim of this worker.
    virtual awaitable<recover_answer> recover(std::size_t limit, duration lease) = 0;
    // Deletes up to `limit` ended tasks whose retention is over; how many went or came nearer to it, 0: none is left.
    virtual awaitable<std::size_t> clean(std::size_t limit) = 0;
    // Deletes up to `limit` of the oldest ended tasks of queues that keep more than `most`; returns as clean() does.
    virtual awaitable<std::size_t> trim(std::size_t most, std::size_t limit) = 0;
    // Ends a task that has not ended, also a working one (its worker is told), with this encoded outcome. A life of 0
    // means whichever is there.
    virtual awaitable<cancel_answer> cancel(const task_id& id, incarnation life,
                                            std::string_view outcome) = 0;
    virtual awaitable<std::optional<found_task>> find(const task_id& id) = 0;
    // From now on the listener hears of the end of these tasks.
    virtual awaitable<watch_answer> watch(std::span<const watched_task> tasks) = 0;

    // ---- dependencies ----
    static constexpr std::size_t parents_per_call = 100;
    static constexpr std::size_t heirs_per_call = 50;
    // More parents of a task that is being registered: some that is gone, if any. False: it is not any more.
    struct enrol_answer {
        bool mine = true;
        std::optional<task_id> gone{};
    };
    virtual awaitable<enrol_answer> enrol(const task_id& id, incarnation life,
                                          std::span<const parent_task> parents) = 0;
    // Registers a task with parents that may be in another shard, as tie and enrol do with those of its own. May be
    // repeated. How each stands.
    virtual awaitable<std::vector<standing>> depend(const task_id& child, depend_mode mode,
                                                    std::span<const task_id> parents) = 0;
    // Its submission is complete; `walked`: it was found that no cycle goes through it.
    virtual awaitable<confirm_verdict> confirm(const task_id& id, incarnation life, bool walked) = 0;
    // Takes back a submission that is not complete; a life of 0: any.
    virtual awaitable<void> withdraw(const task_id& id, incarnation life) = 0;
    // A page of edges for each task, in order; fewer pages than tasks when they would be too many.
    // `of_waiting`: a task that does not wait itself has none.
    virtual awaitable<std::vector<links_page>> links(link kind, std::span<const links_from> from,
                                                     bool of_waiting) = 0;
    // Takes news for so long; whoever finds none hears news_came().
    virtual awaitable<news_answer> take_news(std::size_t limit, duration lease) = 0;
    // Tells tasks what became of those they wait for. Returns, for each resolution, who is to hear of that parent again.
    virtual awaitable<std::vector<std::vector<task_id>>> resolve(std::span<const resolution> all,
                                                                 std::string_view gathered) = 0;
    virtual awaitable<void> delivered(std::span<const delivery> all) = 0;
    // A task that ended otherwise than by success starts again with these notes: it stands aside where they tell of workers
    // that do not know its handler. `other_body`: in the place of its own; empty: as it was. False: it has not ended so.
    virtual awaitable<bool> revive(const task_id& id, incarnation life, time_point finished_at,
                                   std::string_view encoded_notes, std::string_view other_body = {}) = 0;

    // ---- inspection and repair ----
    virtual awaitable<overview_answer> overview() = 0;
    // At least what says something of today and so many days before; 0 days: only of now and of the last minutes.
    virtual awaitable<totals_answer> happened(int days) = 0;
    virtual awaitable<std::vector<worker_card>> workers() = 0;
    // The shards that do not answer: what looks tells nothing of what these keep.
    virtual awaitable<std::vector<std::size_t>> away() { co_return std::vector<std::size_t>{}; }
    // The lists of tasks in this state; of all queues when the name is empty.
    virtual awaitable<std::vector<task_list>> lists(state where, std::string_view queue) = 0;
    virtual awaitable<list_answer> list(const list_call& call) = 0;
    // Where the first task of each of these stands: its order; nullopt: there is none. It may be gone when it is listed. All in
    // the same direction and without a cursor; not of what workers run.
    virtual awaitable<std::vector<std::optional<time_point>>> heads(std::span<const list_call> calls) = 0;
    // No task of the queue is claimed from now on; what runs goes on. False: it was so already.
    virtual awaitable<bool> pause(std::string_view queue) = 0;
    virtual awaitable<bool> resume(std::string_view queue) = 0;
    virtual awaitable<edit_verdict> edit(const edit_call& call) = 0;
    // Deletes a task that no worker runs; with this outcome ends one that has not ended.
    virtual awaitable<remove_verdict> remove(const task_id& id, std::string_view outcome) = 0;

    // Looks whether all that is kept agrees with itself, step by step, while work goes on. Must not outlive the store.
    virtual std::unique_ptr<auditor> audit(bool repair) = 0;

    // Shows that this worker, which serves these queues, is alive: `card` is JSON text (host, pid, queues, handlers, …),
    // kept for `ttl`. Of the workers that serve a queue one is told every `looks_every` to look after it.
    static constexpr duration looks_every{4'000};
    virtual awaitable<beat_answer> beat(std::string_view card, duration ttl,
                                        std::span<const std::string> queues) = 0;
    // This worker claims no more: out of the idle sets, its card forgotten.
    virtual awaitable<void> leave(std::span<const std::string> queues) = 0;
};

}  // namespace errand
